"""What every store promises about memories as rows: kept whole, changed by compare-and-set, deleted without a trace."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from zhiji.errors import DimensionMismatch, StaleMemory
from zhiji.stores.base import Filter, MemoryChange, Query, Store, Tombstone
from zhiji.testing.values import ALICE, BOB, at, end, ids, job, memory, open_session, put, remember, run_turn, turn
from zhiji.types import Extraction, Memory, Scope, Source, Status, Trust

ALL = frozenset(Status)
ACTIVE = frozenset({Status.ACTIVE})

FULL = Memory(
    id="mem_full",
    type="order",
    content="订单 OD20240415008 正在退货 👩‍🚀",
    key="order:OD20240415008",
    value={"status": "退货中", "items": [1, 2.5, None, True]},
    importance=5,
    confidence=0.85,
    trust=Trust.TOOL,
    sources=(Source(session="ses_1", seqs=(3, 4)), Source(session="ses_2", seqs=(1,))),
    lang="zh",
    valid_from=at(-1.5),
    valid_to=at(99),
    superseded_by="mem_other",
    links=("mem_a", "mem_b"),
    created_at=at(1),
    updated_at=at(2.000001),
    last_recalled_at=at(3),
    recalls=7,
    expires_at=at(1000),
    reason="said twice",
)
"""A memory with every field set."""


async def stored(store: Store, id: str) -> Memory:
    """Return one memory that must exist."""
    (found,) = await store.load_memories(ALICE, [id])
    return found


class MemoryContract:
    """Rows of memories."""

    async def test_memory_comes_back_whole(self, store: Store) -> None:
        """Every field survives the round trip, times to the microsecond; the store raises only the revision."""
        await remember(store, FULL)
        assert await stored(store, "mem_full") == replace(FULL, revision=1)

    async def test_load_keeps_the_given_order(self, store: Store) -> None:
        """Memories come in the order of the ids, once each; unknown ids and those of other owners are left out."""
        await remember(store, memory("a", "甲"), memory("b", "乙"), memory("c", "丙"))
        await remember(store, memory("x", "别人的"), scope=BOB)
        assert ids(await store.load_memories(ALICE, ["c", "x", "a", "nobody", "c"])) == ["c", "a"]
        assert await store.load_memories(ALICE, []) == []

    async def test_same_id_of_two_owners_is_two_memories(self, store: Store) -> None:
        """Ids and keys of one owner say nothing about another's."""
        await remember(store, memory("a", "甲", key="order:OD1"))
        await remember(store, memory("a", "乙", key="order:OD1"), scope=BOB)
        assert [each.content for each in await store.load_memories(BOB, ["a"])] == ["乙"]
        assert [each.content for each in await store.by_keys(ALICE, ["order:OD1"])] == ["甲"]

    async def test_lists_newest_first_by_pages(self, store: Store) -> None:
        """A list is ordered by time of update, then id, and cut by status, type, limit and offset."""
        rows = [memory(f"m{number}", f"第{number}条", seconds=number // 2) for number in range(7)]
        gone = memory("old", "旧", status=Status.ARCHIVED)
        await remember(store, *rows, gone, memory("t", "任务", type="task", seconds=-1))
        listed = await store.list_memories(ALICE, statuses=ACTIVE)
        assert ids(listed) == ["m6", "m5", "m4", "m3", "m2", "m1", "m0", "t"]
        assert ids(await store.list_memories(ALICE, statuses=ACTIVE, limit=2, offset=3)) == ["m3", "m2"]
        assert ids(await store.list_memories(ALICE, statuses=ALL, types=frozenset({"task"}))) == ["t"]
        rest = await store.list_memories(ALICE, statuses=ACTIVE, without=frozenset({"task"}), limit=2, offset=5)
        assert ids(rest) == ["m1", "m0"]
        assert ids(await store.list_memories(ALICE, statuses=ACTIVE, without=frozenset({rows[0].type, "x"}))) == ["t"]
        assert ids(await store.list_memories(ALICE, statuses=frozenset({Status.ARCHIVED}))) == ["old"]
        assert await store.list_memories(ALICE, statuses=frozenset()) == []

    async def test_expired_memories_take_no_place_in_a_list(self, store: Store) -> None:
        """With ``now``, what has expired is left out before the page is cut; at its very instant it has."""
        rows = [memory(f"m{number}", f"第{number}条", seconds=number, expires_at=at(number)) for number in range(4)]
        await remember(store, *rows, memory("ever", "永久", seconds=-1))
        assert ids(await store.list_memories(ALICE, statuses=ACTIVE, now=at(2), limit=2)) == ["m3", "ever"]
        assert len(await store.list_memories(ALICE, statuses=ACTIVE)) == 5

    async def test_keys_find_every_status(self, store: Store) -> None:
        """``by_keys`` returns the whole history of a key, newest first."""
        old = memory("old", "旧", key="order:OD1", status=Status.SUPERSEDED)
        await remember(store, old, memory("new", "新", 5, key="order:OD1"), memory("other", "别的", key="order:OD2"))
        assert ids(await store.by_keys(ALICE, ["order:OD1", "order:OD9"])) == ["new", "old"]

    async def test_profile_holds_short_closed_attributes(self, store: Store) -> None:
        """The profile is what is active, unexpired, of a profile key and short, by key."""
        await remember(
            store,
            memory("name", "姓名是李四", key="identity:name", value="李四", type="identity"),
            memory("diet", "吃素", key="preference:diet", value="吃素", type="preference"),
            memory("nut", "对花生过敏", key="identity:allergy.花生", value="花生", type="identity"),
            memory("phone", "电话", key="identity:phone", value="138****1234", type="identity"),
            memory("job", "职业", key="identity:job", value="很" * 65, type="identity"),
            memory("age", "年龄", key="identity:age", value="30", type="identity", expires_at=at(10)),
            memory("city", "住址", key="identity:city", value="杭州", type="identity", status=Status.QUARANTINED),
            memory("free", "自由的话", type="identity", value="x"),
        )
        assert ids(await store.profile(ALICE, now=at(9))) == ["age", "nut", "name", "diet"]
        assert ids(await store.profile(ALICE, now=at(10))) == ["nut", "name", "diet"]

    # -- changing --

    async def test_change_needs_the_present_revision(self, store: Store) -> None:
        """A write based on an older revision is refused, and what is stored stays."""
        await remember(store, memory("a", "甲"))
        first = await stored(store, "a")
        await store.change_memories(ALICE, MemoryChange(puts=[put(replace(first, confidence=0.5))]))
        with pytest.raises(StaleMemory):
            await store.change_memories(ALICE, MemoryChange(puts=[put(replace(first, confidence=0.1))]))
        assert (await stored(store, "a")).confidence == 0.5
        assert (await stored(store, "a")).revision == first.revision + 1

    async def test_insert_of_a_known_id_is_stale(self, store: Store) -> None:
        """A new row never replaces an old one; changing what does not exist is refused too."""
        await remember(store, memory("a", "甲"))
        with pytest.raises(StaleMemory):
            await remember(store, memory("a", "乙"))
        with pytest.raises(StaleMemory):
            await remember(store, memory("b", "丙", revision=1))
        assert [each.content for each in await store.list_memories(ALICE, statuses=ALL)] == ["甲"]

    async def test_single_valued_key_has_one_active_row(self, store: Store) -> None:
        """Two active memories of one business key are refused; superseding in the same change is not, in any order."""
        await remember(store, memory("a", "甲", key="order:OD1"))
        with pytest.raises(StaleMemory):
            await remember(store, memory("b", "乙", key="order:OD1"))
        old = replace(await stored(store, "a"), status=Status.SUPERSEDED, superseded_by="b", valid_to=at(5))
        await store.change_memories(ALICE, MemoryChange(puts=[put(memory("b", "乙", 5, key="order:OD1")), put(old)]))
        assert ids(await store.list_memories(ALICE, statuses=ACTIVE)) == ["b"]
        await remember(store, memory("c", "丙", key="order:OD1", status=Status.QUARANTINED))
        assert ids(await store.by_keys(ALICE, ["order:OD1"])) == ["b", "c", "a"]

    async def test_change_is_all_or_nothing(self, store: Store) -> None:
        """If one write of a change is refused, none of it happened: rows, deletions or tombstones."""
        await remember(store, memory("a", "甲"), memory("b", "乙"))
        buried = Tombstone(key=None, content_digest="d", deleted_at=at())
        stale = replace(await stored(store, "b"), revision=9)
        change = MemoryChange(puts=[put(memory("c", "丙")), put(stale)], deletes=["a"], tombstones=[buried])
        with pytest.raises(StaleMemory):
            await store.change_memories(ALICE, change)
        assert ids(await store.list_memories(ALICE, statuses=ALL)) == ["b", "a"]
        assert await store.tombstones(ALICE, keys=[], digests=["d"]) == []

    async def test_deleting_ignores_what_is_not_there(self, store: Store) -> None:
        """Deletion takes the owner's own rows only."""
        await remember(store, memory("a", "甲"))
        await remember(store, memory("b", "乙"), scope=BOB)
        await store.change_memories(ALICE, MemoryChange(deletes=["a", "b", "nobody"]))
        assert await store.list_memories(ALICE, statuses=ALL) == []
        assert ids(await store.list_memories(BOB, statuses=ALL)) == ["b"]

    async def test_recalls_are_counted_beside_changes(self, store: Store) -> None:
        """A finished turn counts what it recalled without touching the revision; later writes and late clocks keep it."""
        await remember(store, memory("a", "甲"), memory("b", "乙"))
        before = await stored(store, "a")
        await open_session(store)
        for number, seconds in ((1, 2), (2, 1)):
            opened = await store.begin_turn(ALICE, "ses_1", turn(number, "问", seconds), history_turns=20)
            await store.finish_turn(ALICE, end(opened, seconds, recalled=["a", "nobody"]))
        touched = await stored(store, "a")
        assert touched == replace(before, recalls=2, last_recalled_at=at(2))
        await store.change_memories(ALICE, MemoryChange(puts=[put(replace(before, confidence=0.8))]))
        kept = await stored(store, "a")
        assert (kept.recalls, kept.last_recalled_at, kept.confidence) == (2, at(2), 0.8)
        assert (await stored(store, "b")).recalls == 0

    async def test_recalls_put_the_deadline_off(self, store: Store) -> None:
        """A recall moves the deadline of an active memory to the one it brings, never to an earlier one, and is no change.

        What is kept for good stays so, and history is not prolonged. A search that took the old deadline in knows the new one.
        """
        rows = [memory(id_, "退货地址", expires_at=at(10)) for id_ in ("a", "b")]
        over = memory("old", "退货地址", status=Status.SUPERSEDED, expires_at=at(10))
        await remember(store, *rows, memory("ever", "退货地址"), over)
        asked = Query(terms={"退货": 1.0}, filter=Filter(now=at(5)))
        assert len(await store.search(ALICE, asked)) == 3
        await open_session(store)
        for number, until in ((1, at(20)), (2, at(15)), (3, None)):
            opened = await store.begin_turn(ALICE, "ses_1", turn(number, "问", number), history_turns=20)
            await store.finish_turn(ALICE, end(opened, number, recalled=["a", "ever", "old"], until=until))
        found = await store.load_memories(ALICE, ["a", "b", "ever", "old"])
        assert [one.expires_at for one in found] == [at(20), at(10), None, at(10)]
        later = replace(asked, filter=Filter(now=at(19)))
        assert sorted(hit.memory.id for hit in await store.search(ALICE, later)) == ["a", "ever"]
        assert [hit.memory.id for hit in await store.search(ALICE, replace(asked, filter=Filter(now=at(20))))] == [
            "ever"
        ]

    async def test_recalls_outside_of_a_turn_count_alike(self, store: Store) -> None:
        """A recall by a program is counted and puts the deadline off, of this owner's memories only, and is no change."""
        for scope in (ALICE, BOB):
            await remember(store, memory("a", "甲", expires_at=at(10)), scope=scope)
        version = await store.memory_version(ALICE)
        await store.count_recalls(ALICE, {"a": at(20), "nobody": at(20)}, now=at(5))
        await store.count_recalls(ALICE, {}, now=at(6))
        await store.count_recalls(Scope("shop", "stranger"), {"a": at(20)}, now=at(6))
        touched = await stored(store, "a")
        assert (touched.recalls, touched.last_recalled_at, touched.expires_at) == (1, at(5), at(20))
        assert await store.memory_version(ALICE) == version
        (other,) = await store.load_memories(BOB, ["a"])
        assert (other.recalls, other.expires_at) == (0, at(10))

    async def test_expired_memories_of_all_owners(self, store: Store) -> None:
        """What is due is told soonest first, whatever its status and whoever owns it, at its very instant, or of one owner."""
        await remember(store, memory("a", "甲", expires_at=at(3)), memory("later", "乙", expires_at=at(9)))
        await remember(store, memory("b", "丙", expires_at=at(1), status=Status.ARCHIVED), scope=BOB)
        await remember(
            store, memory("c", "丁", expires_at=at(2), status=Status.SUPERSEDED), memory("ever", "戊"), scope=BOB
        )
        due = [(BOB, "b"), (BOB, "c"), (ALICE, "a")]
        assert await store.expired_memories(at(3)) == due
        assert await store.expired_memories(at(3), limit=2) == due[:2]
        assert await store.expired_memories(at(3), scope=BOB) == due[:2]
        assert await store.expired_memories(at(2.9), scope=ALICE) == []

    async def test_jobs_of_a_change_are_committed_with_it(self, store: Store) -> None:
        """The jobs that follow from a change are there if it is, and are not if it is refused."""
        await store.change_memories(ALICE, MemoryChange(puts=[put(memory("a", "甲"))]), jobs=[job("vectors", 3)])
        stale = replace(put(memory("a", "甲")), memory=replace(memory("a", "甲"), revision=7))
        with pytest.raises(StaleMemory):
            await store.change_memories(ALICE, MemoryChange(puts=[stale]), jobs=[job("other")])
        assert [(one.subject, one.created_at) for one in await store.list_jobs(scope=ALICE)] == [("vectors", at(3))]

    async def test_decision_on_what_has_changed_since_is_refused(self, store: Store) -> None:
        """A change that was decided before somebody else's is refused whole; decided anew, it is written."""
        seen = await store.memory_version(ALICE)
        await remember(store, memory("a", "甲"))
        late = MemoryChange(puts=[put(memory("b", "甲"))], seen=seen)
        with pytest.raises(StaleMemory):
            await store.change_memories(ALICE, late, jobs=[job("vectors")])
        assert await store.list_jobs() == []
        await store.change_memories(ALICE, replace(late, seen=await store.memory_version(ALICE)))
        assert ids(await store.list_memories(ALICE, statuses=ALL)) == ["b", "a"]

    async def test_extraction_decided_on_what_has_changed_since_is_refused(self, store: Store) -> None:
        """Two passes over two sessions that decide at once: the second writes nothing, its watermark stays."""
        seen = await store.memory_version(ALICE)
        for number, refused in ((1, False), (2, True)):
            await open_session(store, id=f"ses_{number}")
            outcome = Extraction(
                session=f"ses_{number}", first_seq=1, last_seq=2, outcome="written", extractor="rules", time=at()
            )
            change = MemoryChange(puts=[put(memory(f"m{number}", "对花生过敏"))], seen=seen)
            with pytest.raises(StaleMemory) if refused else nullcontext():
                await store.commit_sediment(
                    ALICE, outcome.session, change=change, outcome=outcome, expected_watermark=0, watermark=2
                )
        assert ids(await store.list_memories(ALICE, statuses=ALL)) == ["m1"]
        second = await store.load_session(ALICE, "ses_2")
        assert second is not None
        assert second.extracted_upto == 0
        assert len(await store.extractions(ALICE)) == 1

    async def test_every_change_raises_the_version(self, store: Store) -> None:
        """Puts, deletions and deletion records raise it; recalls, refusals, empty changes and other owners do not."""
        versions = [await store.memory_version(ALICE)]
        buried = Tombstone(key=None, content_digest="d", deleted_at=at())
        first = put(memory("a", "甲"))
        for change in (MemoryChange(puts=[first]), MemoryChange(tombstones=[buried]), MemoryChange(deletes=["a"])):
            await store.change_memories(ALICE, change)
            versions.append(await store.memory_version(ALICE))
        assert versions == sorted(set(versions))
        await open_session(store)
        opened = await store.begin_turn(ALICE, "ses_1", turn(1), history_turns=20)
        await store.finish_turn(ALICE, end(opened, recalled=["a"]))
        await remember(store, memory("a", "甲"), scope=BOB)
        await store.change_memories(ALICE, MemoryChange(seen=versions[0]))
        with pytest.raises(StaleMemory):
            await store.change_memories(ALICE, MemoryChange(puts=[put(memory("b", "乙", revision=3))]))
        assert await store.memory_version(ALICE) == versions[-1]

    # -- deletion records --

    async def test_tombstones_are_found_by_key_or_digest(self, store: Store) -> None:
        """A deletion record is found by either, keeps its latest time, and is the owner's own."""
        keyed = Tombstone(key="order:OD1", content_digest="d1", deleted_at=at(1))
        plain = Tombstone(key=None, content_digest="d2", deleted_at=at(2))
        await store.change_memories(ALICE, MemoryChange(tombstones=[keyed, plain]))
        later = replace(plain, deleted_at=at(9))
        for tombstone in (later, plain):
            await store.change_memories(ALICE, MemoryChange(tombstones=[tombstone]))
        assert await store.tombstones(ALICE, keys=["order:OD1"], digests=[]) == [keyed]
        assert await store.tombstones(ALICE, keys=["", "order:OD2"], digests=["d2"]) == [later]
        assert len(await store.tombstones(ALICE, keys=["order:OD1"], digests=["d1", "d2"])) == 2
        assert await store.tombstones(BOB, keys=["order:OD1"], digests=["d1"]) == []

    async def test_digest_is_keyed_and_stable(self, store: Store) -> None:
        """The same text has the same digest, another text another one, and neither shows the text."""
        one, other = await store.digest("对花生过敏"), await store.digest("对虾过敏")
        assert one == await store.digest("对花生过敏") != other
        assert len(one) == 64

    # -- vectors --

    async def test_vectors_are_asked_for_until_put(self, store: Store) -> None:
        """Every memory without a vector of the model is listed in the order of insertion, whatever its status."""
        await remember(store, memory("b", "乙", 5), memory("a", "甲", status=Status.ARCHIVED), memory("c", "丙"))
        assert ids(await store.unembedded(ALICE, "m", limit=2)) == ["b", "a"]
        await store.put_vectors(ALICE, "m", {"b": np.array([1, 0], np.float32), "gone": np.array([0, 1], np.float32)})
        assert ids(await store.unembedded(ALICE, "m")) == ["a", "c"]
        assert ids(await store.unembedded(ALICE, "other")) == ["b", "a", "c"]
        assert await store.unembedded(BOB, "m") == []

    @pytest.mark.parametrize("bad", [[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 0.0], [1e308, 1e308]])
    async def test_unusable_vectors_are_not_asked_for_again(self, store: Store, bad: list[float]) -> None:
        """A vector of which nothing can be made counts as put, so that the job that embeds comes to an end."""
        await remember(store, memory("a", "甲"))
        with np.errstate(over="ignore"):
            vector = np.array(bad).astype(np.float32)
        await store.put_vectors(ALICE, "m", {"a": vector})
        assert await store.unembedded(ALICE, "m") == []

    async def test_vectors_of_another_dimension_are_refused(self, store: Store) -> None:
        """One model has one dimension per owner; the error names the way out. Deleting the last one frees it."""
        await remember(store, memory("a", "甲"), memory("b", "乙"))
        await store.put_vectors(ALICE, "m", {"a": np.array([1, 0], np.float32)})
        with pytest.raises(DimensionMismatch, match="zhiji reindex"):
            await store.put_vectors(ALICE, "m", {"b": np.array([1, 0, 0], np.float32)})
        await store.put_vectors(ALICE, "n", {"b": np.array([1, 0, 0], np.float32)})
        await store.change_memories(ALICE, MemoryChange(deletes=["a"]))
        await store.put_vectors(ALICE, "m", {"b": np.array([1, 0, 0], np.float32)})
        assert await store.unembedded(ALICE, "m") == []

    async def test_vectors_of_other_models_are_dropped(self, store: Store) -> None:
        """What another model made, or this one at another dimension, goes; then the model may have the new dimension."""
        await remember(store, memory("a", "甲"), memory("b", "乙"))
        await remember(store, memory("c", "丙"), scope=BOB)
        for scope, given in ((ALICE, {"a": [1, 0], "b": [0, 1]}), (BOB, {"c": [1, 0]})):
            await store.put_vectors(scope, "m", {id_: np.array(row, np.float32) for id_, row in given.items()})
        await store.put_vectors(ALICE, "n", {"a": np.array([1, 0, 0], np.float32)})
        version = await store.memory_version(ALICE)
        assert await store.drop_vectors(ALICE, model="m", dim=2) == 1
        assert await store.memory_version(ALICE) > version
        assert [row.id for row in await store.unembedded(ALICE, "n")] == ["a", "b"]
        assert await store.unembedded(ALICE, "m") == []
        assert await store.drop_vectors(ALICE, model="m", dim=3) == 2
        assert await store.drop_vectors(ALICE, model="m", dim=3) == 0
        await store.put_vectors(ALICE, "m", {"a": np.array([1, 0, 0], np.float32)})
        assert [row.id for row in await store.unembedded(ALICE, "m")] == ["b"]
        assert await store.unembedded(BOB, "m") == []

    async def test_what_was_unsaid_is_in_no_summary(self, store: Store) -> None:
        """Summaries go with the deletion, in every session of the owner; which messages said it is kept, per session."""
        for number, (scope, session) in enumerate([(ALICE, "ses_1"), (ALICE, "ses_2"), (BOB, "ses_1")], 1):
            await open_session(store, scope, session)
            await run_turn(store, number, scope=scope, id=session)
            assert await store.write_summary(scope, session, "用户住在杭州", upto_seq=2, expected_upto=0)
        await store.change_memories(ALICE, MemoryChange(unsaid=[Source(session="ses_1", seqs=(1,))]))
        for session in ("ses_1", "ses_2"):
            held = await store.load_session(ALICE, session)
            assert held is not None
            assert (held.summary, held.summary_upto) == ("", 0)
            assert await store.load_summary(ALICE, session, 2) is None
        kept = await store.load_session(BOB, "ses_1")
        assert kept is not None
        assert kept.summary == "用户住在杭州"
        assert await store.unsaid(ALICE, "ses_1") == {1}
        assert await store.unsaid(ALICE, "ses_2") == await store.unsaid(BOB, "ses_1") == frozenset()
        await store.erase(ALICE)
        assert await store.unsaid(ALICE, "ses_1") == frozenset()

    async def test_delete_removes_every_status(self, store: Store) -> None:
        """Erasure takes hundreds of memories of every status with terms, vectors and deletion records."""
        statuses = [Status.ACTIVE, Status.SUPERSEDED, Status.ARCHIVED, Status.QUARANTINED]
        rows = [memory(f"m{number}", f"第{number}条", status=statuses[number % 4]) for number in range(250)]
        await remember(store, *rows)
        await store.put_vectors(ALICE, "m", {row.id: np.array([1, 0], np.float32) for row in rows})
        buried = Tombstone(key="order:OD1", content_digest="d", deleted_at=at())
        await store.change_memories(ALICE, MemoryChange(tombstones=[buried]))
        assert (await store.erase(ALICE))["memories"] == 250
        assert await store.list_memories(ALICE, statuses=ALL) == []
        assert await store.unembedded(ALICE, "m") == []
        assert await store.tombstones(ALICE, keys=["order:OD1"], digests=["d"]) == []
        assert sum((await store.erase(ALICE)).values()) == 0

    async def test_expiry_is_part_of_the_row(self, store: Store) -> None:
        """An expired memory is still there for management; only the readers of what is active leave it out."""
        await remember(store, memory("a", "甲", expires_at=at() + timedelta(days=30)))
        assert (await stored(store, "a")).expires_at == at() + timedelta(days=30)
        assert ids(await store.list_memories(ALICE, statuses=ACTIVE)) == ["a"]
