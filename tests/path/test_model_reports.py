"""A model's answers as they really come: fenced, chatty, misnamed, broken, or about memories it was never offered."""

from __future__ import annotations

import json

import pytest

from talk import Open, known
from zhiji import Zhiji
from zhiji.models.base import ChatMessages
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


async def test_a_memory_that_was_not_offered_is_not_touched(open_zhiji: Open) -> None:
    """Unknown numbers, null, and a real id of somebody else: their rows stay as they were (C050)."""
    async with open_zhiji() as zj:
        foreign = await zj.remember("u2", "用户住在杭州", type="identity", key="identity:city", value="杭州")
        own = await zj.remember("u1", "用户叫李四", type="identity", key="identity:name", value="李四")
    answer = [
        {"op": op, "ref": ref, "type": "identity", "content": content, "confidence": 1}
        for op, ref, content in (
            ("update", "12", "用户住在上海"),
            ("delete", None, ""),
            ("delete", foreign.id, "用户住在杭州"),
            ("forget", "#99", "用户叫李四"),
        )
    ]
    model = Reading(json.dumps(answer, ensure_ascii=False))
    async with open_zhiji(model=model, **MODEL) as zj:
        await extracted(zj, model, "你好，今天天气不错")
        assert await zj.memories.get("u2", foreign.id) == foreign
        assert await zj.memories.get("u1", own.id) == own
        assert await known(zj) == ["用户叫李四"]


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
