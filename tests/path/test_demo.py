"""The two-day stories, end to end: a real zhiji on a real file remembers; with recall switched off it does not."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from zhiji.demo.play import lacking, play
from zhiji.demo.script import BUILT_IN, Story, built_in, load, parse
from zhiji.demo.view import Exchange

STORIES = sorted((Path(__file__).parent / "stories").glob("*.yaml"))


def story(name: str) -> Story:
    return built_in(name) if name in BUILT_IN else load(next(path for path in STORIES if path.stem == name))


HALF_PRECISION = 1e-3
"""By which cosines differ on PostgreSQL, where vectors have half precision."""
ALL = [*BUILT_IN, *(path.stem for path in STORIES)]


@pytest.mark.parametrize("name", ALL)
async def test_the_assistant_remembers(name: str) -> None:
    """Every reply of every story says what it must and nothing that it must not."""
    result = await play(story(name))
    problems = [
        f"step {one.number}: {one.reply.text!r} lacks {one.missing}, has {one.forbidden}"
        for one in result.exchanges
        if not one.passed
    ]
    assert not problems


@pytest.mark.parametrize("name", ALL)
async def test_without_recall_it_does_not(name: str) -> None:
    """The control fails, and fails after the first visit: what passes is due to memory."""
    result = await play(story(name), no_memory=True)
    failed = [exchange for exchange in result.exchanges if not exchange.passed]
    assert failed
    assert failed[0].session.id != result.exchanges[0].session.id


@pytest.mark.parametrize("name", ALL)
async def test_on_postgresql_it_remembers_the_same(name: str, postgres_url: str) -> None:
    """Every reply, state and context is that of a file, every memory written, every recalled one in its place; scores nearly."""
    on_file, on_server = await play(story(name)), await play(story(name), database_url=postgres_url)
    assert len(on_server.exchanges) == len(on_file.exchanges)
    for one, other in zip(on_server.exchanges, on_file.exchanges, strict=True):
        assert shown(one) == shown(other)
        scores = [recalled.score for recalled in other.reply.recalled]
        assert [recalled.score for recalled in one.reply.recalled] == pytest.approx(scores, abs=HALF_PRECISION)


def shown(exchange: Exchange) -> dict[str, object]:
    """What a user and a model can see of an exchange: without ids, which are drawn by lot."""
    reply = exchange.reply
    return {
        "reply": reply.text,
        "usage": reply.usage,
        "recalled": [(one.memory.content, one.via, one.memory.recalls) for one in reply.recalled],
        "written": sorted((one.key or "", one.content, one.status, one.confidence) for one in exchange.written),
        "state": exchange.session.state,
        "context": [message["content"] for message in exchange.context.messages],
    }


async def test_every_level_is_shown_as_it_happens() -> None:
    """Session, state, recalled terms, context bars, what the model saw, memories written and the verdict are on the page."""
    page = io.StringIO()
    await play(story("zh"), console=Console(file=page, width=120))
    shown = page.getvalue()
    for part in (
        "会话与状态",
        "order:OD20240415008",
        "写入或加强的记忆",
        "召回与得分",
        "上下文（",
        "█",
        "user_profile",
        "✓ 应有",
        "通过：助手记得",
    ):
        assert part in shown
    assert "时钟前进 2d" in shown
    assert all(cell_len(line) <= 120 for line in shown.splitlines())


async def test_phones_are_shown_and_kept_masked_only() -> None:
    """After a message with a phone number, no memory and no result of the story holds it unmasked."""
    result = await play(story("zh_phone"))
    kept = json.dumps([exchange.to_json()["written"] for exchange in result.exchanges], ensure_ascii=False)
    assert "139****4321" in kept
    assert "13987654321" not in kept


async def test_the_result_is_json() -> None:
    """Programs get replies, verdicts, usage, recalled terms and memories of every step."""
    result = await play(story("en"))
    data = json.loads(json.dumps(result.to_json()))
    assert data["passed"] is True
    assert [step["passed"] for step in data["steps"]] == [True] * len(data["steps"])
    last = data["steps"][-1]
    usage = last["usage"]
    assert usage["ratio"] == (usage["total"] + usage["reserve"]) / usage["limit"]
    assert last["usage"]["total"] == sum(
        last["usage"][part] for part in ("system", "memory", "history", "summary", "tool", "input")
    )
    assert set(last["recalled"][0]["terms"]) == {"similarity", "decay", "confidence", "type"}


async def test_the_second_visit_is_a_session_of_its_own() -> None:
    """After the jump the first session has expired and a new one was opened."""
    result = await play(story("zh"))
    first, second, *_ = result.exchanges
    assert second.reply.created
    assert second.session.id != first.session.id
    assert (second.time - first.time).days == 2


async def test_a_failed_expectation_is_reported() -> None:
    """What is missing and what is forbidden in a reply are named."""
    text = "lang: en\nsteps: [{say: hello, expect: [pineapple], never: [hello]}]"
    (exchange,) = (await play(parse(text, "s.yaml"))).exchanges
    assert exchange.missing == ("pineapple",)
    assert exchange.forbidden == ("hello",)


def test_width_case_and_spaces_of_a_phrase_do_not_matter() -> None:
    """A reply is compared with a phrase as a reader would."""
    assert lacking("退货地址：文三路18号，Order ORD-1", ["文三路 18 号", "order ord-1", "ＯＲＤ－１", "文二路"]) == (
        "文二路",
    )
