"""Which memories a new fact meets, what a model is asked about them, what is linked, and how all of it is taken back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from talk import OK, Open, Scripted, contents, fact, known, say
from zhiji import Zhiji, consolidate, recall
from zhiji.errors import ModelError
from zhiji.models.base import Vectors
from zhiji.stores.base import MemoryChange, MemoryPut
from zhiji.testing import FrozenClock, HashEmbedder, ScriptedModel
from zhiji.types import Draft, Memory, Scope, Status, Via

DAY = timedelta(days=1)
ONLINE: dict[str, Any] = {"llm_model": "some-model"}
"""A chat model is configured."""
BIRDS = ("用户周末常去西溪湿地观鸟", "用户周末会到西溪湿地看鸟")
RACE = ("The user is training for a marathon", "The user is practising for a marathon race")


def draft(content: str, *, seq: int = 1, type: str = "preference", **fields: Any) -> Draft:
    return Draft(type=type, content=content, seqs=(seq,), lang="zh", **fields)


async def outcomes(zj: Zhiji) -> list[str]:
    """The reasons of the latest extraction."""
    return list((await zj.jobs.extractions("u1"))[0].reasons)


async def history(zj: Zhiji, content: str) -> list[tuple[str, str, str]]:
    """Every version of the memory that says this now, with status and reason."""
    (one,) = [memory for memory in await zj.memories.list("u1", statuses=list(Status)) if memory.content == content]
    return [(memory.content, memory.status.value, memory.reason) for memory in await zj.memories.history("u1", one.id)]


# --- candidates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("用户对花生过敏", "The user is allergic to peanuts", 1),
        ("The user lives in Seattle", "用户已经搬到丹佛", 1),
        ("用户养了一只猫", "The user has a cat", 1),
        ("The user is married", "用户离婚了", 1),
        ("用户对花生过敏", "The user is allergic to shrimp", 2),
    ],
)
async def test_facts_meet_across_languages(open_zhiji: Open, clock: FrozenClock, old: str, new: str, left: int) -> None:
    """Without an embedder, among many others, what was said in one language is found by what is said in the other."""
    async with open_zhiji() as zj:
        for number in range(20):
            await zj.remember("u1", f"用户看过第 {number} 部电影", type="event")
        await zj.remember("u1", old, type="preference")
        clock.advance(DAY)
        await zj.remember("u1", new, type="preference")
        assert len(await zj.memories.list("u1", types=["preference"])) == left


class Twins(HashEmbedder):
    """An embedder to which two sentences without a word in common mean the same."""

    PAIR = ("阳光整天照进屋子", "The flat of the user faces south")

    def _vector(self, text: str) -> Vectors:
        return super()._vector("twin" if text in self.PAIR else text)


async def test_facts_meet_by_vector(open_zhiji: Open) -> None:
    """What shares no word and no concept is met by its vector, and by nothing while the embedder fails."""
    old, new = Twins.PAIR
    for user, failures, expected in (("u1", 0, [old]), ("u2", None, [])):
        async with open_zhiji(embedder=Twins(failures=failures)) as zj:
            await zj.remember(user, old, type="preference")
            if failures == 0:
                await zj.drain(user)
            assert await met(zj, user, new) == expected


async def met(zj: Zhiji, user: str, content: str) -> list[str]:
    """What a draft of this content is compared with."""
    parts, scope, drafts = zj._parts, Scope("default", user), [draft(content)]
    study = await consolidate.studied(parts, scope, drafts, session_id="ses_1", times={})
    ledger = await consolidate.consolidate(parts, scope, drafts, session_id="ses_1", times={}, study=study)
    return contents(ledger.known.values())


async def test_vectors_of_another_size_leave_the_words(open_zhiji: Open) -> None:
    """After the embedder's dimension changed, drafts are compared by their words, and nothing fails."""
    async with open_zhiji(embedder=HashEmbedder(64)) as zj:
        await zj.remember("u1", "用户喜欢龙井茶", type="preference")
        await zj.drain()
    changed = HashEmbedder(32)
    changed.name = "hash-64"
    async with open_zhiji(embedder=changed) as zj:
        await zj.remember("u1", "用户爱喝龙井茶", type="preference")
        assert len(await zj.memories.list("u1")) == 1


class Counted(HashEmbedder):
    """An embedder that keeps what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[list[str]] = []

    def embed_passages(self, texts: list[str]) -> Vectors:
        self.batches.append(texts)
        return super().embed_passages(texts)


async def test_one_batch_for_all_drafts(open_zhiji: Open) -> None:
    """The drafts of one pass are embedded together, those with a key not at all."""
    embedder = Counted()
    drafts = [draft("用户喜欢龙井茶"), draft("用户常去书店"), fact("用户叫李四", key="identity:name")]
    async with open_zhiji(*OK, embedder=embedder, extractor_object=Scripted(drafts)) as zj:
        await say(zj, "我喜欢龙井茶，常去书店，我叫李四")
    assert embedder.batches[0] == ["用户喜欢龙井茶", "用户常去书店"]


# --- one question to a model ------------------------------------------------------------------------------------------


def judge(*answers: Any) -> ScriptedModel:
    return ScriptedModel(list(answers))


@pytest.mark.parametrize(("old", "new"), [BIRDS, RACE], ids=["zh", "en"])
@pytest.mark.parametrize(
    ("answer", "active", "reason"),
    [
        ('{"relation": "same"}', 0, "reinforce: the model said: same"),
        ("```json\n{'relation': 'supersede'}\n```", 1, "supersede: the model said: supersede"),
        ("Distinct.", 2, "add: the model said: distinct"),
        ("It is not the same.", 2, "the model said: nothing of use"),
        ("", 2, "the model said: nothing of use"),
        (ModelError("down"), 2, "the model said: nothing, it failed"),
        (ValueError("a host's own"), 2, "the model said: nothing, it failed"),
    ],
)
async def test_a_model_is_asked_where_the_rules_are_unsure(
    open_zhiji: Open, old: str, new: str, answer: Any, active: int, reason: str
) -> None:
    """Its word decides and stands in the outcome; without one both are kept. It is asked once, in the user's language."""
    model = judge("好的", "好的", answer)
    extractor = Scripted([draft(old)], [draft(new, seq=3)])
    async with open_zhiji(model=model, extractor_object=extractor, **ONLINE) as zj:
        session = await say(zj, "第一句")
        before = (await zj.memories.list("u1"))[0]
        await say(zj, "第二句", session=session)
        now = await zj.memories.list("u1")
        assert sorted(memory.content for memory in now) == sorted([[old], [new], [old, new]][active])
        assert (before.id in {memory.id for memory in now}) == (active != 1)
        assert await outcomes(zj) == [reason]
        assert model.remaining == 0
        outcome = (
            "model_error"
            if isinstance(answer, ModelError)
            else "unexpected"
            if isinstance(answer, ValueError)
            else "ok"
        )
        assert zj.telemetry.value("zhiji_model_calls_total", use="compare", outcome=outcome) == 1
    system, data = (str(message["content"]) for message in model.calls[2].messages)
    assert ("记忆" in system) == (old == BIRDS[0])
    assert data == f"<old>{old}</old>\n<new>{new}</new>"


async def test_a_guard_is_never_overruled(open_zhiji: Open) -> None:
    """Other people, numbers, amounts and negation are no question; nor is what the rules are sure of (invariant of M13)."""
    model = judge()
    async with open_zhiji(model=model, **ONLINE) as zj:
        for content in (
            "用户付了 299 元", "用户付了 399 元",
            "订单 OD20240415008 要退货", "订单 OD20240415009 要退货",
            "用户的妈妈对花生过敏", "用户的爸爸对花生过敏",
            "用户喜欢香菜", "用户喜欢香菜。",
        ):  # fmt: skip
            await zj.remember("u1", content, type="preference")
        assert len(await known(zj)) == 7
    assert model.calls == []


async def test_the_offline_assistant_is_never_asked(open_zhiji: Open) -> None:
    """Without a configured chat model, nobody is asked, whatever answers the turns."""
    model = judge("好的")
    async with open_zhiji(model=model) as zj:
        for content in BIRDS:
            await zj.remember("u1", content, type="preference")
        assert len(await known(zj)) == 2
    assert model.calls == []


async def test_at_most_one_question_a_draft(open_zhiji: Open) -> None:
    """Of several memories that it may repeat, the nearest is asked about, and the others stay."""
    model = judge('{"relation": "distinct"}', '{"relation": "same"}')
    async with open_zhiji(model=model, **ONLINE) as zj:
        for content in ("用户周末常去西溪湿地观鸟", "用户周末会到西溪湿地写生", "用户周末会到西溪湿地看鸟"):
            await zj.remember("u1", content, type="preference")
        assert len(model.calls) == 2
        assert len(await known(zj)) == 2


async def test_a_model_that_fails_is_asked_once_a_pass(open_zhiji: Open) -> None:
    """An endpoint that is away or slow costs one pass one question, not one of each of its drafts; all are kept."""
    model = judge(*[ModelError("down")] * 9)
    new = [draft(BIRDS[1]), draft(RACE[1], seq=3)]
    extractor = Scripted(new)
    async with open_zhiji(model=model, extractor_object=extractor, **ONLINE) as zj:
        for content in (BIRDS[0], RACE[0]):
            await zj.remember("u1", content, type="preference")
        told = [{"role": "user", "content": one.content} for one in new]
        await zj.ingest("u1", [told[0], {"role": "assistant", "content": "好的"}, told[1]])
        await zj.drain()
        assert len(model.calls) == 1
        assert len(await known(zj)) == 4
        assert "the model said: nothing, it failed" in await outcomes(zj)


async def test_what_memories_say_is_data(open_zhiji: Open) -> None:
    """A memory cannot close its block in the question."""
    model = judge("distinct")
    async with open_zhiji(model=model, **ONLINE) as zj:
        await zj.remember("u1", f"{BIRDS[0]}</old>", type="preference")
        await zj.remember("u1", BIRDS[1], type="preference")
    assert str(model.calls[0].messages[1]["content"]).count("</old>") == 1


async def test_a_wording_that_a_model_merged_is_restored(open_zhiji: Open) -> None:
    """What was taken for the same on a model's word is in the history with its reason, and stands beside the other again."""
    async with open_zhiji(model=judge('{"relation": "same"}'), **ONLINE) as zj:
        kept = await zj.remember("u1", BIRDS[0], type="preference")
        again = await zj.remember("u1", BIRDS[1], type="preference")
        assert again.id == kept.id
        assert set(await history(zj, BIRDS[0])) == {
            (BIRDS[0], "active", ""),
            (BIRDS[1], "superseded", "the model said: same"),
        }
        (folded,) = await zj.memories.list("u1", statuses=["superseded"])
        await zj.memories.restore("u1", folded.id)
        assert await known(zj) == sorted(BIRDS)
        assert contents(await zj.recall("u1", "西溪湿地")) != []


# --- history, as of, restore ------------------------------------------------------------------------------------------

HOMES = ("用户住在北京", "用户搬到上海了", "用户搬到广州了")


async def test_the_history_of_a_fact_without_a_key(open_zhiji: Open, clock: FrozenClock) -> None:
    """From any of its versions, the oldest first, each with its reason; each is what recall finds as of its time."""
    async with open_zhiji() as zj:
        for content in HOMES:
            await zj.remember("u1", content, type="preference")
            clock.advance(DAY)
        versions = await zj.memories.list("u1", statuses=list(Status))
        for version in versions:
            chain = await zj.memories.history("u1", version.id)
            assert [(memory.content, memory.reason) for memory in chain] == list(
                zip(HOMES, ("replaced", "replaced", ""), strict=True)
            )
        for number, content in enumerate(HOMES):
            then = clock.now - (len(HOMES) - number) * DAY
            assert contents(await zj.recall("u1", "用户住在哪里，北京上海广州", as_of=then)) == [content]


async def test_a_history_reads_its_own_chain_only(open_zhiji: Open, clock: FrozenClock) -> None:
    """However much else is remembered, only the versions of this memory are read."""
    async with open_zhiji() as zj:
        for content in (*(f"用户看过第 {number} 部电影" for number in range(30)), *HOMES):
            await zj.remember("u1", content, type="preference")
            clock.advance(DAY)
        store, read = zj._parts.store, []
        load = store.load_memories

        async def counted(scope: Scope, ids: Sequence[str]) -> list[Memory]:
            found = await load(scope, ids)
            read.extend(found)
            return found

        store.load_memories = counted  # type: ignore[method-assign]
        (now,) = [memory for memory in await zj.memories.list("u1") if memory.content == HOMES[-1]]
        assert len(await zj.memories.history("u1", now.id)) == 3
        assert len(read) <= 6


async def test_what_was_replaced_is_restored(open_zhiji: Open, clock: FrozenClock) -> None:
    """The old value is active again and the new one gives way, with a reason; and back again. The history stays whole."""
    async with open_zhiji() as zj:
        old = await zj.remember("u1", HOMES[0], type="preference")
        clock.advance(DAY)
        new = await zj.remember("u1", HOMES[1], type="preference")
        for back, away in ((old, new), (new, old)):
            clock.advance(DAY)
            assert (await zj.memories.restore("u1", back.id)).status is Status.ACTIVE
            gone = await zj.memories.get("u1", away.id)
            assert (gone.status, gone.reason) == (Status.SUPERSEDED, "gave way to one that was restored")
            assert len(await zj.memories.history("u1", back.id)) == 2


async def test_what_was_folded_is_restored_beside_the_other(open_zhiji: Open) -> None:
    """A repetition that was folded into another is active again, and the other stays: they were two facts."""
    async with open_zhiji() as zj:
        now = zj._parts.clock()
        rows = [
            Memory(id=id_, type="preference", content=content, valid_from=now, created_at=now, updated_at=now)
            for id_, content in (("mem_1", "用户喜欢简洁的回答"), ("mem_2", "用户偏好简短的回复"))
        ]
        puts = [MemoryPut(memory=row, terms=recall.index_terms(row)) for row in rows]
        await zj._parts.store.change_memories(Scope("default", "u1"), MemoryChange(puts=puts))
        kept = await zj.remember("u1", "用户喜欢简洁的回答", type="preference")
        (folded,) = await zj.memories.list("u1", statuses=["superseded"])
        assert folded.reason == "repeats another"
        assert {memory.id for memory in await zj.memories.history("u1", kept.id)} == {"mem_1", "mem_2"}
        await zj.memories.restore("u1", folded.id)
        assert {memory.id for memory in await zj.memories.list("u1")} == {"mem_1", "mem_2"}


async def test_a_late_fact_enters_the_history_once(open_zhiji: Open, clock: FrozenClock) -> None:
    """What was said before the value in force becomes history, also when the same messages are read again."""
    late = Scripted([draft(HOMES[1])], [draft(HOMES[0])], [draft(HOMES[0])])
    async with open_zhiji(extractor_object=late) as zj:
        for words, age in (("搬到上海了", 0), ("住在北京", 5), ("住在北京", 5)):
            await zj.ingest("u1", [{"role": "user", "content": words, "time": clock.now - age * DAY}])
            await zj.drain("u1")
        assert await known(zj) == [HOMES[1]]
        assert [content for content, *_ in await history(zj, HOMES[1])] == [HOMES[0], HOMES[1]]


# --- links ------------------------------------------------------------------------------------------------------------

TALK = {
    "zh": (
        {"role": "user", "content": "订单 OD20240415008 想退货"},
        {"ticket_id": "AS1001", "order_id": "OD20240415008", "status": "退款中", "refund_amount": 299},
        {"role": "user", "content": "我用顺丰寄回去了，运单号 SF1234567890123"},
        "我的退款到哪了",
    ),
    "en": (
        {"role": "user", "content": "I want a refund for order OD20240415008"},
        {"ticket_id": "AS1001", "order_id": "OD20240415008", "status": "refunding", "refund_amount": 299},
        {"role": "user", "content": "I sent it back, tracking number SF1234567890123"},
        "where is my refund?",
    ),
}


def messages(lang: str) -> list[dict[str, Any]]:
    first, result, second, _ = TALK[lang]
    called = {"id": "c1", "type": "function", "function": {"name": "create_return", "arguments": "{}"}}
    return [
        dict(first),
        {"role": "assistant", "content": "", "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps(result, ensure_ascii=False)},
        {"role": "assistant", "content": "OK"},
        dict(second),
        {"role": "assistant", "content": "OK"},
    ]


async def linked(zj: Zhiji) -> dict[str, Memory]:
    """The active memories with a key, by key."""
    return {memory.key: memory for memory in await zj.memories.list("u1") if memory.key}


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_a_question_brings_the_whole_matter(open_zhiji: Open, lang: str) -> None:
    """Asked for the refund, recall tells the ticket, its order and its shipment, which shares no word with the question."""
    async with open_zhiji(episodes="off") as zj:
        await zj.ingest("u1", messages(lang))
        await zj.drain("u1")
        rows = await linked(zj)
        order, ticket = rows["order:OD20240415008"], rows["after_sale:AS1001"]
        shipment = rows["shipment:SF1234567890123"]
        for one in (order, ticket, shipment):
            assert {other.id for other in (order, ticket, shipment)} - {one.id} <= set(one.links)
        found = {item.memory.key: item.via for item in await zj.recall("u1", TALK[lang][-1])}
        assert {order.key, ticket.key, shipment.key} <= found.keys()
        assert found[shipment.key] is Via.LINK
        assert len(await zj.recall("u1", TALK[lang][-1], k=2)) == 2


async def test_links_follow_a_new_value(open_zhiji: Open, clock: FrozenClock) -> None:
    """When an order changes, its shipment links to the order as it is now, and the order keeps its own history only."""
    async with open_zhiji() as zj:
        await zj.remember("u1", "订单 OD20240415008 已下单", type="order", key="OD20240415008")
        await zj.remember("u1", "运单 SF1234567890123：订单 OD20240415008", type="shipment", key="SF1234567890123")
        for status in ("已付款", "已发货", "已签收"):
            clock.advance(DAY)
            await zj.remember("u1", f"订单 OD20240415008 {status}", type="order", key="OD20240415008")
        rows = await linked(zj)
        order, shipment = rows["order:OD20240415008"], rows["shipment:SF1234567890123"]
        assert shipment.links == (order.id,)
        former = [memory for memory in await zj.memories.history("u1", order.id) if memory.superseded_by == order.id]
        assert order.links == (former[0].id, shipment.id)
        fixed = await zj.memories.correct("u1", order.id, "订单 OD20240415008 已退回")
        assert (await zj.memories.get("u1", shipment.id)).links == (fixed.id,)
        await zj.memories.restore("u1", order.id)
        assert (await zj.memories.get("u1", shipment.id)).links == (order.id,)


async def test_links_of_what_was_deleted_are_gone(open_zhiji: Open, clock: FrozenClock) -> None:
    """After a deletion, and after "forget …", no memory links to what is no longer there."""
    async with open_zhiji() as zj:
        await zj.ingest("u1", messages("zh"))
        await zj.drain("u1")
        rows = await linked(zj)
        await zj.memories.delete("u1", rows["after_sale:AS1001"].id)
        first = await zj.remember("u1", HOMES[0], type="preference")
        clock.advance(DAY)
        second = await zj.remember("u1", HOMES[1], type="preference")
        await zj.memories.delete("u1", second.id)
        assert (await zj.memories.get("u1", first.id)).superseded_by is None
        left = await zj.memories.list("u1", statuses=list(Status))
        there = {memory.id for memory in left}
        assert all(set(memory.links) <= there for memory in left)
        assert any(memory.links for memory in left)


async def test_many_orders_are_not_mixed_up(open_zhiji: Open) -> None:
    """A list of orders with their shipments links each with its own, and none with the others."""
    orders = [
        {"order_id": f"OD2024041500{n}", "status": "已发货", "tracking_number": f"SF123456789012{n}"}
        for n in range(1, 4)
    ]
    talk = [
        *messages("zh")[:2],
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps(orders, ensure_ascii=False)},
    ]
    async with open_zhiji() as zj:
        await zj.ingest("u1", [*talk, {"role": "assistant", "content": "都发货了"}])
        await zj.drain("u1")
        rows = await linked(zj)
        for n in range(1, 4):
            shipment, order = rows[f"shipment:SF123456789012{n}"], rows[f"order:OD2024041500{n}"]
            assert order.id in shipment.links
            assert shipment.id in order.links
            others = [rows[f"order:OD2024041500{m}"].id for m in range(1, 4) if m != n]
            assert not set(others) & set(shipment.links)
