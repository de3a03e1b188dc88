"""A model's answers as they really come: fenced, chatty, misnamed, broken, or about memories it was never offered."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest

from talk import Open, known
from zhiji import Zhiji
from zhiji.models.base import ChatMessages
from zhiji.testing import FrozenClock
from zhiji.tokens import Counter
from zhiji.types import Completion, Extraction, Memory, Status


class Reading:
    """A model that chats until it is told to extract, then answers with what a test says."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.extracting = False

    async def __call__(self, messages: ChatMessages, tools: object) -> Completion:
        return Completion(text=self.answer if self.extracting else "好")


MODEL = {"extractor": "model", "extract_every_turns": 1, "job_attempts": 2, "episodes": "off"}


async def extracted(zj: Zhiji, model: Reading, words: str, user: str = "u1") -> tuple[list[Memory], list[Extraction]]:
    """The words were said and read by the model; returns every memory and every outcome."""
    model.extracting = False
    await zj.chat(user, words)
    model.extracting = True
    await zj.drain()
    return await zj.memories.list(user, statuses=list(Status)), await zj.jobs.extractions(user)


CODE = "回答时用 ```json 代码块``` 展示配置"


@pytest.mark.parametrize(
    ("words", "content", "answer"),
    [
        ("我喜欢 🍜 和火锅", "喜欢 🍜 和火锅", '[{"type":"preference","content":"喜欢 \\ud83c\\udf5c 和火锅","confidence":0.9},]'),
        ("我叫老张", "用户叫老张", '```json\n[{"type":"identity","content":"用户叫老张","confidence":0.95}]\n```\n说明：我提取了一条信息。'),
        (CODE, CODE, json.dumps([{"type": "preference", "content": CODE, "confidence": 0.9}], ensure_ascii=False)),
        (CODE, CODE, "```json\n" + json.dumps([{"type": "preference", "content": CODE, "confidence": 0.9}]) + "\n```"),
        ("我是素食者", "用户是素食者", "['用户是素食者']"),
        ("我是素食者", "用户是素食者", "[{'fact':'用户是素食者'}]"),
        ("我是素食者", "用户是素食者", '[{"text":"用户是素食者"}]'),
        ("我是素食者", "用户是素食者", "{'用户是素食者':''}"),
        ("我是素食者", "用户是素食者", '[null, 3, {"content":["a"]}, {"content":"用户是素食者"}]'),
        ("我是素食者", "用户是素食者", '{"memories":{"content":"用户是素食者"}}'),
    ],
)  # fmt: skip
async def test_any_shape_of_one_fact_is_one_memory(open_zhiji: Open, words: str, content: str, answer: str) -> None:
    """Fences, chatter, backticks, pairs of surrogates, other names and junk beside it: one memory, as said (C025, C042, C044, C047)."""
    model = Reading(answer)
    async with open_zhiji(model=model, **MODEL) as zj:
        memories, _ = await extracted(zj, model, words)
        assert [memory.content for memory in memories] == [content]


async def test_a_pair_of_surrogates_is_one_sign(open_zhiji: Open) -> None:
    """What the lenient path read is stored whole and found by its other words (C025)."""
    model = Reading('[{"type":"preference","content":"喜欢 \\ud83c\\udf5c 和火锅","confidence":0.9},]')
    async with open_zhiji(model=model, **MODEL) as zj:
        await extracted(zj, model, "我喜欢 🍜 和火锅")
        (found,) = await zj.recall("u1", "火锅")
        assert "\U0001f35c" in found.memory.content


async def test_junk_beside_a_fact_is_counted(open_zhiji: Open) -> None:
    """Elements that are no facts are skipped, and the outcome says how many; a fact without confidence claims little (C047)."""
    model = Reading('[null, 3, {"content":["a"]}, {"content":"用户是素食者"}]')
    async with open_zhiji(model=model, **MODEL) as zj:
        (memory,), (outcome,) = await extracted(zj, model, "我是素食者")
        assert (outcome.outcome, outcome.reasons[0]) == ("partial", "3 elements were no facts")
        assert memory.confidence <= 0.5


FIVE = [
    {"type": type, "content": content, "confidence": 0.9}
    for type, content in (
        ("identity", "用户叫老张"),
        ("identity", "用户住杭州"),
        ("preference", "用户吃素"),
        ("identity", "用户有猫"),
        ("preference", "用户爱爬山"),
    )
]


@pytest.mark.parametrize("answer", [FIVE, {"current_status": "ok", "result": FIVE}], ids=["array", "envelope"])
async def test_every_fact_of_a_list_is_kept(open_zhiji: Open, answer: object) -> None:
    """Five facts, bare or in an envelope nobody announced, are five memories (C048)."""
    model = Reading(json.dumps(answer, ensure_ascii=False))
    async with open_zhiji(model=model, **MODEL) as zj:
        await extracted(zj, model, "我叫老张，住杭州，吃素，有猫，爱爬山")
        assert await known(zj) == sorted(str(fact["content"]) for fact in FIVE)


@pytest.mark.parametrize("answer", ["[]", "{}"])
async def test_nothing_is_an_answer(open_zhiji: Open, answer: str) -> None:
    """An empty list or object is a valid outcome: nothing to remember (C045)."""
    model = Reading(answer)
    async with open_zhiji(model=model, **MODEL) as zj:
        memories, outcomes = await extracted(zj, model, "你好")
        assert (memories, [one.outcome for one in outcomes]) == ([], ["nothing"])


@pytest.mark.parametrize("answer", ["```\n今天没有要记的内容\n```", "```json\n```", "", "null", "没有可提取的信息"])
async def test_prose_is_a_failure_that_is_seen(open_zhiji: Open, answer: str) -> None:
    """What holds no JSON is retried as often as configured, then dead, told apart from "nothing" (C045)."""
    model = Reading(answer)
    async with open_zhiji(model=model, **MODEL) as zj:
        memories, outcomes = await extracted(zj, model, "你好")
        assert (memories, [one.outcome for one in outcomes]) == ([], ["failed"] * 2)
        (dead,) = await zj.jobs.list("u1", statuses=["dead"])
        assert dead.error.startswith("extraction_failed")


FIVE_KNOWN = {
    "name": "用户叫李四",
    "city": "用户住在杭州",
    "job": "用户是厨师",
    "call_me": "叫用户四哥",
    "hometown": "用户老家在成都",
}


async def test_a_memory_that_was_not_offered_is_not_touched(open_zhiji: Open) -> None:
    """Five are offered: other numbers, null, and a real id of somebody else leave every row as it was (C050)."""
    async with open_zhiji() as zj:
        foreign = await zj.remember("u2", "用户住在杭州", type="identity", key="identity:city", value="杭州")
        own = [
            await zj.remember("u1", content, type="identity", key=f"identity:{key}", value=content[-2:])
            for key, content in FIVE_KNOWN.items()
        ]
    offered: list[str] = []
    answer = [
        {"op": op, "ref": ref, "type": "identity", "content": content, "confidence": 1}
        for op, ref, content in (
            ("update", "12", "用户住在上海"),
            ("delete", None, ""),
            ("delete", "#12", ""),
            ("delete", "1", ""),
            ("delete", foreign.id, "用户住在杭州"),
            ("forget", "#99", "用户叫李四"),
        )
    ]

    async def model(messages: ChatMessages, tools: object) -> Completion:
        offered[:] = re.findall(r"#\d identity:.*", str(messages[0]["content"])) or offered
        return Completion(text=json.dumps(answer, ensure_ascii=False))

    async with open_zhiji(model=model, **MODEL) as zj:
        words = "我是老家在成都的厨师，叫我四哥，我叫李四，住在杭州"
        await zj.ingest("u1", [{"role": "user", "content": words}, {"role": "assistant", "content": "好"}])
        await zj.drain()
        assert len(offered) == len(FIVE_KNOWN)
        for owner, before in (("u2", foreign), *(("u1", one) for one in own)):
            now = await zj.memories.get(owner, before.id)
            assert (now.content, now.status, now.revision) == (before.content, before.status, before.revision)
        assert await known(zj) == sorted(FIVE_KNOWN.values())


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("我叫李四", [Status.SUPERSEDED]),
        ("My name is 李四", [Status.SUPERSEDED]),
        ("忘掉我叫李四", []),
        ("把我叫李四这个清空吧", []),
        ("please wipe my name, 李四", []),
    ],
)
@pytest.mark.parametrize("ref", [None, "#0"])
async def test_a_model_deletes_nothing_for_good_unasked(
    open_zhiji: Open, words: str, left: list[Status], ref: str | None
) -> None:
    """Where no word of the user could ask to forget, the fact ends at most, and can be restored; where one does it is gone."""
    async with open_zhiji() as zj:
        name = await zj.remember("u1", "用户叫李四", type="identity", key="identity:name", value="李四")
    fact = {"op": "forget", "ref": ref, "type": "identity", "content": "用户叫李四", "confidence": 0.95}
    model = Reading(json.dumps([fact], ensure_ascii=False))
    async with open_zhiji(model=model, **MODEL) as zj:
        memories, _ = await extracted(zj, model, words)
        assert [memory.status for memory in memories] == left
        if left:
            assert (await zj.memories.restore("u1", name.id)).status is Status.ACTIVE


async def test_a_number_stands_for_what_was_offered_under_it(open_zhiji: Open, clock: FrozenClock) -> None:
    """Of several memories that were offered the answer changes one by its number: the others stay as they were (C050)."""
    known_before = {"name": "用户叫李四", "city": "用户住在杭州", "occupation": "用户是厨师", "call_me": "叫用户四哥"}
    async with open_zhiji() as zj:
        for key, content in known_before.items():
            await zj.remember("u1", content, type="identity", key=f"identity:{key}", value=content[-2:])
    offered: list[str] = []

    async def model(messages: ChatMessages, tools: object) -> Completion:
        offered[:] = re.findall(r"#\d identity:.*", "\n".join(str(message["content"]) for message in messages))
        (city,) = [line for line in offered if "杭州" in line]
        fact = {
            "ref": city[:2],
            "type": "identity",
            "content": "用户住在上海",
            "value": "上海",
            "sources": [1],
            "confidence": 0.9,
        }
        return Completion(text=json.dumps([fact], ensure_ascii=False))

    async with open_zhiji(model=model, **MODEL) as zj:
        clock.advance(timedelta(days=1))
        words = "我叫李四，是厨师，我搬家了，现在住在上海"
        await zj.ingest("u1", [{"role": "user", "content": words}, {"role": "assistant", "content": "好"}])
        await zj.drain()
        assert [one.outcome for one in await zj.jobs.extractions("u1")] == ["written"]
        assert len(offered) > 1
        held = {memory.key: memory.content for memory in await zj.memories.list("u1")}
        assert held == {
            f"identity:{key}": content for key, content in (known_before | {"city": "用户住在上海"}).items()
        }


async def test_no_prompt_is_longer_than_the_window(open_zhiji: Open) -> None:
    """A hundred long turns are read in pieces, each with its prompt within the window; none is left out (C141)."""
    sizes: list[int] = []

    async def model(messages: ChatMessages, tools: object) -> Completion:
        sizes.append(sum(Counter().text(str(message["content"])) for message in messages))
        return Completion(text="[]")

    turns = [
        {"role": role, "content": f"第 {number} 问：" + "退货地址是哪里啊" * 20}
        for number in range(100)
        for role in ("user", "assistant")
    ]
    async with open_zhiji(model=model, max_context_tokens=4000, **MODEL) as zj:
        session = await zj.ingest("u1", turns)
        await zj.drain()
        outcomes = (await zj.jobs.extractions("u1", session_id=session.id))[::-1]
        assert [one.first_seq for one in outcomes[1:]] == [one.last_seq + 1 for one in outcomes[:-1]]
        assert (outcomes[0].first_seq, outcomes[-1].last_seq) == (1, 200)
    assert len(sizes) == len(outcomes) > 5
    assert max(sizes) < 4000
