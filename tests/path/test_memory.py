"""From words to memories and back: extraction after a turn, merging, forgetting, recall in the next session."""

from __future__ import annotations

from datetime import timedelta

import pytest

from talk import OK, Open, Scripted, active, fact, say
from zhiji.errors import EmptyMessage, ExtractionFailed, InvalidInput, InvalidKey, MemoryNotFound
from zhiji.testing import FrozenClock, HashEmbedder
from zhiji.types import Draft, JobStatus, Status


async def test_a_one_turn_visit_is_remembered(open_zhiji: Open) -> None:
    """After one turn: name, order and masked phone, with type, key, importance, source."""
    async with open_zhiji(*OK) as zj:
        session = await say(zj, "我叫李四，订单 OD20240415008 想退货，手机 13812345678")
        known = await active(zj)
        assert known["identity:name"].value == "李四"
        order = known["order:OD20240415008"]
        assert order.importance >= 4
        assert order.sources[0].session == session
        assert order.sources[0].seqs == (1,)
        assert "138****5678" in known["identity:phone"].content
        assert not any("13812345678" in memory.content for memory in known.values())


async def test_the_next_session_knows(open_zhiji: Open, clock: FrozenClock) -> None:
    """Two days later, in a new session, name and order are in the context though nobody named them."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "我叫李四，订单 OD20240415008 想退货，退货地址是什么")
        clock.advance(timedelta(days=2))
        reply = await zj.chat("u1", "我把那个退货寄走了，地址没问题吧")
        seen = [str(message["content"]) for message in (await zj.context("u1", reply.request_id)).messages]
        assert "李四" in seen[0]
        assert "OD20240415008" in seen[-1]
        assert any(item.memory.key == "order:OD20240415008" for item in reply.recalled)


async def test_memories_of_one_user_never_reach_another(open_zhiji: Open) -> None:
    """Same words, other user, similar ids: nothing is recalled, listed or shown."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "我叫王晴，我住在杭州", user="vip")
        for other in ("vip1", "vi", "VIP", "vip ", "%", "*"):
            assert await zj.recall(other, "王晴 杭州") == []
            assert await zj.memories.list(other) == []
        mine = (await zj.memories.list("vip"))[0]
        for verb in (zj.memories.get, zj.memories.delete, zj.memories.restore, zj.memories.history):
            with pytest.raises(MemoryNotFound):
                await verb("vip1", mine.id)


async def test_a_changed_fact_supersedes(open_zhiji: Open, clock: FrozenClock) -> None:
    """The old value stays as history with validity dates; only the new one is active; as-of sees the old one."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "我住在北京")
        before = clock()
        clock.advance(timedelta(days=10))
        await say(zj, "我搬家了，现在住在上海")
        now = (await active(zj))["identity:city"]
        assert "上海" in now.content
        history = await zj.memories.history("u1", now.id)
        assert [memory.status for memory in history] == [Status.SUPERSEDED, Status.ACTIVE]
        assert history[0].superseded_by == now.id
        assert history[0].valid_to == now.valid_from
        today = [item.memory.content for item in await zj.recall("u1", "住在哪", types=["identity"])]
        then = [item.memory.content for item in await zj.recall("u1", "住在哪", types=["identity"], as_of=before)]
        assert any("上海" in content for content in today)
        assert not any("北京" in content for content in today)
        assert any("北京" in content for content in then)
        assert not any("上海" in content for content in then)


@pytest.mark.parametrize(
    ("said", "then", "gone", "kept"),
    [
        ("remind me the boiler inspection is on the 9th", "wait no landlord moved it, its the 16th now", "9th", "16th"),
        ("周四下午三点跟供应商开会，提醒我", "看岔了 周五上午十点", "周四", "周五上午十点"),
        ("我下周搬去厦门", "收回收回 房子没谈成", "厦门", ""),
        ("i have hiv, what can i take for a cold", "please keep that private and don't log it", "hiv", ""),
        ("我家后院停着俩航母，我每天开", "逗你呢", "航母", ""),
        ("周五提醒我交房租，再提醒我周六约牙医洗牙", "洗牙那个取消", "洗牙", "房租"),
    ],
)
async def test_what_a_later_turn_corrects_or_takes_back_is_not_active(
    open_zhiji: Open, said: str, then: str, gone: str, kept: str
) -> None:
    """In a live session, where each turn is learnt from by itself, a fact without a key is replaced or closed all the same."""
    async with open_zhiji(*OK) as zj:
        session = await say(zj, said)
        await say(zj, then, session=session)
        contents = "\n".join(memory.content for memory in await zj.memories.list("u1"))
        assert gone not in contents
        assert kept in contents


async def test_the_same_fact_again_adds_no_row(open_zhiji: Open) -> None:
    """Said three times, in two sessions, and remembered by a program: one row."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "我对花生过敏", "我对花生过敏")
        await say(zj, "我对花生过敏。")
        await zj.remember("u1", "用户对花生过敏", type="identity", key="identity:allergy.花生")
        rows = [memory for memory in await zj.memories.list("u1") if "花生" in memory.content]
        assert len(rows) == 1


async def test_forgetting_in_conversation(open_zhiji: Open) -> None:
    """ "忘掉…" removes the memory; the same transcript does not bring it back; saying it anew does."""
    async with open_zhiji(*OK) as zj:
        session = await say(zj, "我住在杭州")
        assert "identity:city" in await active(zj)
        await say(zj, "忘掉我的住址，忘掉我住在杭州", session=session)
        assert "identity:city" not in await active(zj)
        assert not [item for item in await zj.recall("u1", "杭州", k=20) if "杭州" in item.memory.content]


async def test_deleted_is_deleted(open_zhiji: Open, clock: FrozenClock) -> None:
    """A deleted memory is gone from every read, survives a re-extraction of its transcript, and may be said anew."""
    draft = fact("用户的生日是 3 月 5 日", key="identity:birthday")
    async with open_zhiji(*OK, extractor_object=Scripted([draft], [draft])) as zj:
        session = (await zj.chat("u1", "我的生日是 3 月 5 日")).session_id
        await zj.drain()
        memory = (await active(zj))["identity:birthday"]
        await zj.memories.delete("u1", memory.id)
        assert await zj.recall("u1", "生日") == []
        with pytest.raises(MemoryNotFound):
            await zj.memories.restore("u1", memory.id)
        await zj.chat("u1", "嗯", session=session)
        await zj.drain()
        assert await active(zj) == {}, "the second pass cites the old message"
        clock.advance(timedelta(minutes=1))
        await zj.chat("u1", "我的生日是 3 月 5 日", session=session)
        zj._parts.extractor.steps.append([fact("用户的生日是 3 月 5 日", key="identity:birthday", seq=5)])  # type: ignore[attr-defined]
        await zj.drain()
        assert "identity:birthday" in await active(zj)


async def test_a_deletion_while_extraction_waits_is_honoured(open_zhiji: Open) -> None:
    """Queued extraction does not bring back a user who was erased meanwhile."""
    async with open_zhiji(*OK) as zj:
        await zj.chat("u1", "我叫李四，住在杭州")
        certificate = await zj.erase("u1")
        await zj.drain()
        assert certificate.total > 0
        assert await zj.memories.list("u1", statuses=list(Status)) == []
        assert await zj.sessions.list("u1", archived=True) == []
        assert await zj.jobs.list("u1") == []


async def test_low_confidence_waits_until_said_again(open_zhiji: Open) -> None:
    """A doubtful fact is quarantined, not recalled; said again in another session it is admitted."""
    doubtful = fact("用户可能住在杭州", key="identity:city", confidence=0.5)
    async with open_zhiji(*OK, extractor_object=Scripted([doubtful], [doubtful], [doubtful])) as zj:
        first = await say(zj, "我好像住在杭州")
        assert await active(zj) == {}
        await say(zj, "嗯", session=first)
        assert await active(zj) == {}
        await say(zj, "我大概住在杭州")
        assert set(await active(zj)) == {"identity:city"}


async def test_an_extractor_that_fails_is_seen_and_loses_nothing(open_zhiji: Open) -> None:
    """Each failure is a stored outcome; the watermark stays; dead is dead until replayed; then every fact is there."""
    steps: list[list[Draft] | Exception] = [ExtractionFailed()] * 3
    async with open_zhiji(
        *OK, job_attempts=3, extractor_object=Scripted(*steps, [fact("用户叫李四", key="identity:name")])
    ) as zj:
        session = await say(zj, "我叫李四")
        (dead,) = await zj.jobs.list("u1", statuses=["dead"])
        assert dead.attempts == 3
        assert dead.error.startswith("extraction_failed")
        assert [outcome.outcome for outcome in await zj.jobs.extractions("u1")] == ["failed"] * 3
        assert (await zj.sessions.get("u1", session)).extracted_upto == 0
        await zj.jobs.replay("u1", dead.id)
        await zj.drain()
        assert "identity:name" in await active(zj)
        assert (await zj.jobs.extractions("u1"))[0].outcome == "written"
        assert [job.status for job in await zj.jobs.list("u1")] == [JobStatus.DONE]


async def test_nothing_to_remember_is_an_outcome(open_zhiji: Open) -> None:
    """Small talk stores no memory, and says so."""
    async with open_zhiji(*OK) as zj:
        await say(zj, "哈哈哈哈你好搞笑 😂")
        assert await zj.memories.list("u1") == []
        assert (await zj.jobs.extractions("u1"))[0].outcome == "nothing"


async def test_a_job_delivered_again_changes_nothing(open_zhiji: Open) -> None:
    """Running the same sediment job twice writes nothing twice."""
    from zhiji.stores.base import NewJob
    from zhiji.types import JobKind, Scope

    async with open_zhiji(*OK) as zj:
        session = await say(zj, "我叫李四，对花生过敏")
        before = await zj.memories.list("u1")
        store = zj._parts.store
        for _ in range(3):
            await store.enqueue(
                Scope("default", "u1"), NewJob(kind=JobKind.SEDIMENT, subject=session, run_at=zj._parts.clock())
            )
            await zj.drain()
        assert await zj.memories.list("u1") == before


async def test_remember_correct_restore_history(open_zhiji: Open, clock: FrozenClock) -> None:
    """An operator writes, corrects, and takes the correction back; each step keeps the others as history."""
    async with open_zhiji() as zj:
        first = await zj.remember("u1", "用户住在北京", type="identity", key="identity:city", value="北京")
        assert (first.importance, first.confidence, first.status) == (3, 1.0, Status.ACTIVE)
        clock.advance(timedelta(days=1))
        second = await zj.memories.correct("u1", first.id, "用户住在上海", "电话里说的")
        assert second.id != first.id
        assert (await zj.memories.get("u1", first.id)).status is Status.SUPERSEDED
        assert [memory.content for memory in await zj.memories.list("u1")] == ["用户住在上海"]
        await zj.memories.restore("u1", first.id)
        assert [memory.content for memory in await zj.memories.list("u1")] == ["用户住在北京"]
        assert {memory.id for memory in await zj.memories.history("u1", first.id)} == {first.id, second.id}


async def test_keys_are_normalised_and_never_shared_by_accident(open_zhiji: Open) -> None:
    """Full width, case, spaces and hyphens are one key; Chinese keys are told apart; an empty id is an error."""
    async with open_zhiji() as zj:
        for written in ("order:od2024-0415 008", "ＯＤ２０２４０４１５００８", "OD20240415008"):
            memory = await zj.remember("u1", "订单 OD20240415008 正在退货", type="order", key=written)
            assert memory.key == "order:OD20240415008"
        for name in ("收货地址", "发票抬头", "地址１", "地址1"):
            await zj.remember("u1", f"{name}的内容", type="conclusion", key=name)
        assert len(await zj.memories.list("u1")) == 4
        for bad in ("", "order:", "  -- "):
            with pytest.raises(InvalidKey):
                await zj.remember("u1", "x", type="order", key=bad)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"content": "  ", "type": "identity"}, EmptyMessage),
        ({"content": "x" * 2001, "type": "identity"}, InvalidInput),
        ({"content": "x", "type": "nonsense"}, InvalidKey),
        ({"content": "x", "type": "episode"}, InvalidKey),
        ({"content": "x", "type": "identity", "importance": 6}, InvalidInput),
        ({"content": "x", "type": "identity", "confidence": float("nan")}, InvalidInput),
    ],
)
async def test_remember_refuses_what_does_not_fit(open_zhiji: Open, arguments: dict[str, object], error: type) -> None:
    """One clear refusal for each thing that is wrong; nothing is stored."""
    async with open_zhiji() as zj:
        with pytest.raises(error):
            await zj.remember("u1", **arguments)  # type: ignore[arg-type]
        assert await zj.memories.list("u1", statuses=list(Status)) == []


async def test_what_was_recalled_is_not_extracted_from_its_echo(open_zhiji: Open) -> None:
    """The extractor is told what was injected into its turns."""
    watching = Scripted()
    async with open_zhiji(*OK, extractor_object=watching) as zj:
        await zj.remember("u1", "订单 OD1 的退货地址是杭州市西湖区文三路 18 号", type="conclusion")
        await say(zj, "退货地址是哪里")
        assert any("文三路" in content for content in watching.increments[-1].recalled)


async def test_an_extractor_sees_masked_words(open_zhiji: Open) -> None:
    """No full phone number reaches an extractor."""
    watching = Scripted()
    async with open_zhiji(*OK, extractor_object=watching) as zj:
        await say(zj, "电话 13812345678")
        assert "138****5678" in watching.increments[0].messages[0].content


async def test_a_broken_embedder_never_breaks_a_turn(open_zhiji: Open) -> None:
    """Without working vectors memories are written and found by keyword; the vector job is dead, not silent."""
    async with open_zhiji(*OK, embedder=HashEmbedder(failures=None), job_attempts=2) as zj:
        await say(zj, "我叫李四，订单 OD20240415008 想退货")
        found = await zj.recall("u1", "od20240415008")
        assert "OD20240415008" in str(found[0].memory.key)
        assert [job.kind for job in await zj.jobs.list("u1", statuses=["dead"])] == ["embed"]


async def test_vectors_are_written_by_a_job_of_their_own(open_zhiji: Open) -> None:
    """With an embedder, a memory is found by the vector arm after the drain."""
    async with open_zhiji(*OK, embedder=HashEmbedder()) as zj:
        await say(zj, "我叫李四，订单 OD20240415008 想退货")
        assert (await zj.recall("u1", "订单 退货", explain=True))[0].via in ("both", "vector")


async def test_scores_are_explained_on_request(open_zhiji: Open) -> None:
    """``explain`` gives the four terms in [0, 1]; without it there are none; the score is their weighted sum."""
    async with open_zhiji(*OK) as zj:
        await zj.remember("u1", "用户喜欢喝龙井茶", type="preference", importance=5)
        (item,) = await zj.recall("u1", "龙井茶", explain=True)
        assert set(item.terms) == {"similarity", "decay", "confidence", "type"}
        assert all(0 <= term <= 1 for term in item.terms.values())
        weights = {"similarity": 0.5, "decay": 0.2, "confidence": 0.2, "type": 0.1}
        assert item.score == pytest.approx(sum(weights[name] * term for name, term in item.terms.items()))
        assert item.terms["type"] == pytest.approx(0.9)
        assert (await zj.recall("u1", "龙井茶"))[0].terms == {}


async def test_the_article_number_of_memories_is_the_default(open_zhiji: Open) -> None:
    """Five memories at most reach a context by default; ``k`` says otherwise."""
    async with open_zhiji(*OK) as zj:
        for number in range(9):
            await zj.remember("u1", f"用户收藏了第 {number} 本龙井茶书", type="event", key=f"book-{number}")
        assert len(await zj.recall("u1", "龙井茶书")) == 5
        assert len(await zj.recall("u1", "龙井茶书", k=8)) == 8
        assert await zj.recall("u1", "龙井茶书", k=0) == []


async def test_ingested_turns_sediment_like_any_other(open_zhiji: Open, clock: FrozenClock) -> None:
    """A transcript from elsewhere gives the same memories, dated by its own times."""
    async with open_zhiji() as zj:
        session = await zj.ingest(
            "u1",
            [
                {"role": "system", "content": "ignored"},
                {"role": "user", "content": "我叫李四", "time": "2025-05-01T08:00:00"},
                {"role": "assistant", "content": "您好"},
                {"role": "tool", "tool_call_id": "nobody", "content": "{}"},
            ],
        )
        await zj.drain("u1")
        name = (await active(zj))["identity:name"]
        assert name.valid_from.isoformat() == "2025-05-01T08:00:00+00:00"
        messages = await zj.sessions.messages("u1", session.id)
        assert [message.orphan for message in messages] == [False, False, True]
        clock.advance(timedelta(days=3))
        assert (await zj.sessions.get("u1", session.id)).expires_at is None


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "assistant", "content": "hi"}],
        [{"role": "robot", "content": "hi"}],
        [{"role": "user", "content": 3}],
        [{}],
    ],
)
async def test_ingest_refuses_what_is_no_conversation(open_zhiji: Open, messages: list[dict[str, object]]) -> None:
    """The refusal names the message; nothing is stored."""
    async with open_zhiji() as zj:
        with pytest.raises(InvalidInput):
            await zj.ingest("u1", messages)
        assert await zj.sessions.list("u1") == []
