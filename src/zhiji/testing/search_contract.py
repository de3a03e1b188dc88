"""What every store promises about searching: the filter, both arms, their order, and that changes show at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from zhiji import scoring, text
from zhiji.errors import DimensionMismatch
from zhiji.stores.base import Filter, Hit, MemoryChange, Query, Store, Vector
from zhiji.testing.values import ALICE, BOB, at, memory, put, remember
from zhiji.types import Memory, Scope, Status

NOW = at(1000)


def vector(*values: float) -> Vector:
    """Return a vector of length 1 in this direction."""
    array = np.array(values, np.float64)
    return (array / np.linalg.norm(array)).astype(np.float32)


def asking(words: str, *, as_of: float | None = None, types: Sequence[str] | None = None, **changes: Any) -> Query:
    """Return the query for these words at ``NOW``."""
    filter = Filter(
        now=NOW,
        as_of=None if as_of is None else at(as_of),
        types=None if types is None else frozenset(types),
    )
    return replace(Query(terms=text.query_terms(words), filter=filter), **changes)


async def found(store: Store, query: Query, scope: Scope = ALICE) -> list[str]:
    """Return the ids of the hits."""
    return [hit.memory.id for hit in await store.search(scope, query)]


async def hits(store: Store, query: Query) -> Mapping[str, Hit]:
    """Return the hits by id."""
    return {hit.memory.id: hit for hit in await store.search(ALICE, query)}


def episode(id: str, content: str, seq: int, speaker: str, session: str = "ses_1") -> Memory:
    """Return a past message as a memory."""
    value = {"session": session, "seq": seq, "speaker": speaker}
    return memory(id, content, type="episode", value=value, key=f"episode:{session}:{seq}")


class SearchContract:
    """Searching one owner's memories."""

    cosine_tolerance = 0.0
    """How far a cosine may be from that of the float32 vectors; for a store that keeps them at a lower precision."""

    # -- the keyword arm --

    async def test_marks_find_a_row_and_make_it_no_longer(self, store: Store) -> None:
        """A term that begins with ``scoring.MARK`` can be asked for, and changes no score of any other term."""
        rows = [memory("marked", "用户喜欢龙井茶"), memory("plain", "用户喜欢普洱茶")]
        marks = {f"{scoring.MARK}drink:tea": 1, f"{scoring.MARK}drink": 3}
        puts = [put(row) for row in rows]
        puts[0] = replace(puts[0], terms={**(puts[0].terms or {}), **marks})
        await store.change_memories(ALICE, MemoryChange(puts=puts))
        await remember(store, *rows, scope=BOB)
        query = asking("喜欢喝什么茶")
        scores = [[(hit.memory.id, hit.keyword) for hit in await store.search(who, query)] for who in (ALICE, BOB)]
        assert sorted(scores[0]) == sorted(scores[1])
        assert await found(store, replace(query, terms={f"{scoring.MARK}drink": 1.0})) == ["marked"]

    async def test_words_inside_sentences_are_found(self, store: Store) -> None:
        """Chinese words of one or two characters, glued ASCII and identifiers in any case find their memory."""
        await remember(
            store,
            memory("address", "用户的退货地址是杭州市西湖区，订单OD20240415008已签收"),
            memory("change", "昨天确认了换货流程"),
            memory("go", "他用go写服务"),
            memory("wang", "我姓王"),
            memory("sku", "已把sku-kz9改成预售"),
        )
        for words, id in [
            ("退货地址", "address"), ("西湖区", "address"), ("杭州", "address"), ("签收", "address"),
            ("od20240415008", "address"), ("换货", "change"), ("流程", "change"), ("go", "go"), ("王", "wang"),
            ("kz9", "sku"), ("SKU-KZ9", "sku"),
        ]:  # fmt: skip
            assert (await found(store, asking(words)))[:1] == [id], words
        assert await found(store, asking("ai")) == []

    async def test_more_and_rarer_words_rank_higher(self, store: Store) -> None:
        """A memory with all of the words comes first, one with the rarer word before one with the commoner."""
        common = [memory(f"c{number}", f"订单里的杯子{number}") for number in range(9)]
        await remember(store, *common, memory("rare", "一只陶埙"), memory("both", "订单里有陶埙"))
        assert (await found(store, asking("订单 陶埙")))[:2] == ["both", "rare"]

    async def test_scores_say_how_much_was_found(self, store: Store) -> None:
        """Keyword scores are positive, about 1 where all that was asked is there, smaller for a part of it."""
        await remember(store, memory("all", "blue umbrella"), memory("part", "blue curtain"))
        scores = await hits(store, asking("blue umbrella"))
        assert 0.8 < scores["all"].keyword < 1.3
        assert 0 < scores["part"].keyword < 0.6
        assert scores["all"].cosine is None

    async def test_query_without_terms_finds_nothing(self, store: Store) -> None:
        """Neither arm on: nothing is found, and nothing is divided by zero, not even without any memory."""
        assert await found(store, asking("订单")) == []
        await remember(store, memory("a", "甲"), replace(memory("b", "！？")))
        assert await found(store, asking("")) == []
        assert await found(store, asking("不存在的词")) == []

    async def test_equal_scores_put_the_newest_row_first(self, store: Store) -> None:
        """Ties are broken by order of insertion, newest first, also where the limit cuts among equals."""
        await remember(store, *[memory(f"m{number}", "同一句话") for number in range(6)])
        assert await found(store, asking("同一句话")) == ["m5", "m4", "m3", "m2", "m1", "m0"]
        assert await found(store, asking("同一句话", limit=2)) == ["m5", "m4"]

    # -- the vector arm --

    async def test_each_arm_surfaces_a_memory_alone(self, store: Store) -> None:
        """A memory without a common word is found by its vector, one without a vector by its words."""
        await remember(store, memory("words", "蓝色雨伞"), memory("sense", "避水的器具"), memory("far", "咖啡"))
        await store.put_vectors(ALICE, "m", {"sense": vector(1, 0.1), "far": vector(-1, 0)})
        result = await hits(store, asking("蓝色雨伞", vector=vector(1, 0), model="m", limit=1))
        assert set(result) == {"words", "sense"}
        assert result["words"].cosine is None
        assert result["sense"].cosine == pytest.approx(0.995, abs=0.001 + self.cosine_tolerance)
        assert result["sense"].keyword == 0

    async def test_vectors_order_by_cosine(self, store: Store) -> None:
        """Without terms the hits come by cosine; vectors of another model do not count."""
        await remember(store, *[memory(id, id) for id in ("near", "mid", "far", "other")])
        await store.put_vectors(ALICE, "m", {"near": vector(1, 0), "mid": vector(1, 1), "far": vector(0, 1)})
        await store.put_vectors(ALICE, "n", {"other": vector(1, 0, 0)})
        query = asking("", vector=vector(1, 0), model="m")
        assert await found(store, query) == ["near", "mid", "far"]
        assert await found(store, replace(query, limit=2)) == ["near", "mid"]

    async def test_query_of_another_dimension_is_refused(self, store: Store) -> None:
        """A vector that cannot be compared is an error that names the way out; an unknown model finds nothing."""
        await remember(store, memory("a", "甲"))
        await store.put_vectors(ALICE, "m", {"a": vector(1, 0)})
        with pytest.raises(DimensionMismatch, match="zhiji reindex"):
            await store.search(ALICE, asking("甲", vector=vector(1, 0, 0), model="m"))
        assert (await hits(store, asking("甲", vector=vector(1, 0, 0), model="n")))["a"].cosine is None

    async def test_bad_vectors_leave_finite_scores(self, store: Store) -> None:
        """A memory whose vector was unusable is found by its words, without a cosine."""
        await remember(store, memory("good", "甲醛检测"), memory("bad", "甲醛超标"))
        await store.put_vectors(ALICE, "m", {"good": vector(1, 1), "bad": np.array([np.nan, 1], np.float32)})
        result = await hits(store, asking("甲醛", vector=vector(1, 0), model="m"))
        assert result["bad"].cosine is None
        assert result["good"].cosine == pytest.approx(0.7071, abs=0.001 + self.cosine_tolerance)
        assert all(np.isfinite(hit.keyword) for hit in result.values())

    # -- the filter --

    async def test_only_active_memories_are_found(self, store: Store) -> None:
        """Superseded, quarantined, archived and expired rows are found by neither arm."""
        await remember(
            store,
            memory("active", "退货地址"),
            memory("superseded", "退货地址", status=Status.SUPERSEDED),
            memory("quarantined", "退货地址", status=Status.QUARANTINED),
            memory("archived", "退货地址", status=Status.ARCHIVED),
            memory("expired", "退货地址", expires_at=NOW),
            memory("lasting", "退货地址", expires_at=at(1000.000001)),
        )
        everything = ("active", "superseded", "quarantined", "archived", "expired", "lasting")
        await store.put_vectors(ALICE, "m", dict.fromkeys(everything, vector(1, 0)))
        assert await found(store, asking("退货地址")) == ["lasting", "active"]
        assert await found(store, asking("", vector=vector(1, 0), model="m")) == ["lasting", "active"]

    async def test_what_is_forgotten_is_looked_for_in_every_status(self, store: Store) -> None:
        """Asked for the whole, history, the archive and the quarantine are searched, too; what has expired is not."""
        await remember(
            store,
            memory("active", "退货地址"),
            memory("superseded", "退货地址", status=Status.SUPERSEDED),
            memory("quarantined", "退货地址", status=Status.QUARANTINED),
            memory("archived", "退货地址", status=Status.ARCHIVED),
            memory("expired", "退货地址", expires_at=NOW),
        )
        asked = asking("退货地址")
        whole = replace(asked, filter=replace(asked.filter, is_whole=True))
        assert sorted(await found(store, whole)) == ["active", "archived", "quarantined", "superseded"]

    async def test_as_of_sees_what_held_then(self, store: Store) -> None:
        """A past instant shows the fact that held then and not its replacement, and the other way round."""
        await remember(
            store,
            memory("old", "住在杭州", 10, status=Status.SUPERSEDED, valid_to=at(100), superseded_by="new"),
            memory("new", "住在成都", 100),
            memory("doubtful", "住在北京", 10, status=Status.QUARANTINED),
        )
        assert await found(store, asking("住在", as_of=50)) == ["old"]
        assert await found(store, asking("住在", as_of=99.999999)) == ["old"]
        assert await found(store, asking("住在", as_of=100)) == ["new"]
        assert await found(store, asking("住在", as_of=5)) == []
        assert await found(store, asking("住在")) == ["new"]

    async def test_types_are_a_hard_filter(self, store: Store) -> None:
        """Only rows of the wanted types are scored, so that statistics of others do not shine through."""
        await remember(store, memory("a", "订单甲", type="order"), memory("b", "订单乙", type="task"))
        assert await found(store, asking("订单", types=["order"])) == ["a"]
        assert await found(store, asking("订单", types=[])) == []
        alone = await hits(store, asking("订单", types=["order"]))
        await remember(store, *[memory(f"n{number}", "订单订单", type="task") for number in range(20)])
        assert (await hits(store, asking("订单", types=["order"])))["a"].keyword == alone["a"].keyword

    async def test_owners_do_not_see_each_other(self, store: Store) -> None:
        """Neither hits nor word statistics cross from one owner to another."""
        await remember(store, memory("a", "秘密花园"), memory("b", "花园"))
        before = await hits(store, asking("秘密花园"))
        for user in ("alice ", "ALICE", "alic", "alice1"):
            other = Scope("shop", user)
            await remember(store, *[memory(f"x{number}", "秘密花园") for number in range(9)], scope=other)
            assert "a" not in await found(store, asking("秘密花园"), other)
        assert await hits(store, asking("秘密花园")) == before
        assert await found(store, asking("秘密花园"), BOB) == []

    # -- changes show at once --

    async def test_deleted_memories_are_found_no_more(self, store: Store) -> None:
        """After a deletion neither arm nor a list returns the memory, however warm a cache was."""
        await remember(store, memory("a", "生日是 3 月 5 日"), memory("b", "生日礼物"))
        await store.put_vectors(ALICE, "m", {"a": vector(1, 0), "b": vector(0, 1)})
        query = asking("生日", vector=vector(1, 0), model="m")
        assert (await found(store, query))[0] in ("a", "b")
        await store.change_memories(ALICE, MemoryChange(deletes=["a"]))
        assert await found(store, query) == ["b"]
        await remember(store, memory("c", "生日蛋糕"))
        assert set(await found(store, query)) == {"b", "c"}

    async def test_changes_of_a_row_show(self, store: Store) -> None:
        """Superseding, restoring, new terms and new vectors are seen by the next search."""
        await remember(store, memory("a", "喜欢红茶"), memory("b", "喜欢绿茶"))
        assert set(await found(store, asking("喜欢"))) == {"a", "b"}
        (row,) = await store.load_memories(ALICE, ["a"])
        gone = replace(row, status=Status.SUPERSEDED, valid_to=at(5))
        await store.change_memories(ALICE, MemoryChange(puts=[put(gone)]))
        assert await found(store, asking("喜欢")) == ["b"]
        (row,) = await store.load_memories(ALICE, ["a"])
        back = replace(row, status=Status.ACTIVE, valid_to=None)
        await store.change_memories(ALICE, MemoryChange(puts=[put(back, terms={"red": 1})]))
        assert await found(store, asking("喜欢")) == ["b"]
        assert await found(store, asking("red")) == ["a"]
        await store.put_vectors(ALICE, "m", {"b": vector(0, 1)})
        assert await found(store, asking("", vector=vector(1, 0), model="m")) == ["b"]
        await store.put_vectors(ALICE, "m", {"a": vector(1, 0)})
        assert await found(store, asking("", vector=vector(1, 0), model="m")) == ["a", "b"]

    async def test_update_without_terms_keeps_them(self, store: Store) -> None:
        """A write that gives no terms leaves the index entries and the vector as they are."""
        await remember(store, memory("a", "喜欢红茶"))
        await store.put_vectors(ALICE, "m", {"a": vector(1, 0)})
        (row,) = await store.load_memories(ALICE, ["a"])
        await store.change_memories(ALICE, MemoryChange(puts=[put(replace(row, confidence=0.4), terms=None)]))
        result = await hits(store, asking("红茶", vector=vector(1, 0), model="m"))
        assert result["a"].memory.confidence == 0.4
        assert result["a"].cosine == pytest.approx(1, abs=self.cosine_tolerance)
        assert result["a"].keyword > 0

    async def test_put_may_bring_its_vector(self, store: Store) -> None:
        """A row and its vector may be written in one change."""
        change = MemoryChange(puts=[put(memory("a", "甲"), vector=vector(3, 4), model="m")])
        await store.change_memories(ALICE, change)
        assert await store.unembedded(ALICE, "m") == []
        result = await hits(store, asking("", vector=vector(1, 0), model="m"))
        assert result["a"].cosine == pytest.approx(0.6, abs=1e-5 + self.cosine_tolerance)

    # -- episodes --

    async def test_neighbours_help_episodes_of_other_speakers(self, store: Store) -> None:
        """The messages before and after count for a share, if somebody else said them; never across sessions."""
        await remember(
            store,
            episode("q", "你上次去哪里徒步", 1, "小李"),
            episode("a", "黄山", 2, "小王"),
            episode("own", "黄山", 3, "小王"),
            episode("far", "黄山", 2, "小王", session="ses_2"),
        )
        plain = await hits(store, asking("徒步 黄山"))
        wide = await hits(store, asking("徒步 黄山", window=0.5))
        assert wide["a"].keyword == pytest.approx(plain["a"].keyword + 0.5 * plain["q"].keyword)
        assert wide["own"].keyword == plain["own"].keyword
        assert wide["far"].keyword == plain["far"].keyword
        assert wide["q"].keyword > plain["q"].keyword

    async def test_neighbour_alone_brings_an_episode_up(self, store: Store) -> None:
        """An answer without any word of the query is found by the question before it; a filtered neighbour is silent."""
        await remember(store, episode("q", "你家猫叫什么", 1, "小李"), episode("a", "煤球", 2, "小王"))
        assert set(await found(store, asking("猫", window=0.5))) == {"q", "a"}
        assert await found(store, asking("猫")) == ["q"]
        (row,) = await store.load_memories(ALICE, ["q"])
        archived = replace(row, status=Status.ARCHIVED)
        await store.change_memories(ALICE, MemoryChange(puts=[put(archived)]))
        assert await found(store, asking("猫", window=0.5)) == []
