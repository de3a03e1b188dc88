"""Tools: declared, validated, timed, journaled, condensed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from zhiji.config import Settings
from zhiji.errors import ConfigError
from zhiji.stores.base import JournalEntry
from zhiji.tokens import Counter
from zhiji.tools import NO_OUTPUT, Toolbox, ToolResult
from zhiji.tools.condense import condense
from zhiji.types import JsonValue, Scope, ToolCall

SCOPE = Scope("shop", "user_7")
COUNTER = Counter()


def toolbox(*functions: Callable[..., object], timeout: float = 5, tokens: int = 500) -> Toolbox:
    box = Toolbox(Settings.load(tool_timeout_seconds=timeout, tool_result_tokens=tokens), COUNTER)
    for function in functions:
        box.add(function)
    return box


def call(name: str, arguments: str | dict[str, JsonValue] = "{}") -> ToolCall:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(id="call_1", name=name, arguments=text)


async def run(box: Toolbox, name: str, arguments: str | dict[str, JsonValue] = "{}") -> ToolResult:
    return await box.run(call(name, arguments), scope=SCOPE, turn_id="trn_1")


class FakeJournal:
    """The store's journal in a dict."""

    def __init__(self) -> None:
        self.entries: dict[str, JournalEntry] = {}

    async def start(self, key: str, tool: str) -> JournalEntry | None:
        known = self.entries.get(key)
        self.entries.setdefault(key, JournalEntry(key=key, tool=tool, result=None))
        return known

    async def finish(self, key: str, result: str, *, failed: bool) -> None:
        self.entries[key] = JournalEntry(key=key, tool=self.entries[key].tool, result=result, failed=failed)


# --- declaring ------------------------------------------------------------------------------------------------------


class Parcel(BaseModel):
    weight: float


def quote(
    city: Annotated[str, Field(description="where to")],
    parcel: Parcel,
    scope: Scope,
    call_key: str,
    speed: Literal["slow", "fast"] = "slow",
) -> str:
    """Price a parcel."""
    return f"{city} {parcel.weight} {speed} {scope.user} {len(call_key)}"


def test_schema_holds_what_the_model_may_pass_and_nothing_else() -> None:
    """Types, descriptions, defaults and required names are in the schema; the owner and the call key are not."""
    (spec,) = toolbox(quote).specs()
    schema = json.loads(json.dumps(spec.parameters))
    assert (spec.name, spec.description) == ("quote", "Price a parcel.")
    assert set(schema["properties"]) == {"city", "parcel", "speed"}
    assert schema["required"] == ["city", "parcel"]
    assert schema["properties"]["city"] == {"type": "string", "description": "where to"}
    assert schema["properties"]["speed"] == {"enum": ["slow", "fast"], "type": "string", "default": "slow"}
    assert schema["additionalProperties"] is False


async def test_owner_and_call_key_are_injected() -> None:
    """A tool that asks for the owner and the key of the call receives both."""
    found = await run(toolbox(quote), "quote", {"city": "上海", "parcel": {"weight": 2}})
    assert found.content == "上海 2.0 slow user_7 64"
    assert not found.failed


def test_parameters_may_have_any_name() -> None:
    """Names that mean something to the validator's own classes are fine as parameters."""

    def odd(copy: str, json: str, model_config: int, schema: str = "") -> str:
        """Odd names."""
        return f"{copy}{json}{model_config}{schema}"

    (spec,) = toolbox(odd).specs()
    properties = spec.parameters["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["copy", "json", "model_config", "schema"]


def _undocumented(number: str) -> str:
    return number


def _untyped(number) -> str:  # type: ignore[no-untyped-def]  # what the test is about
    """Untyped."""
    return str(number)


def _starred(*numbers: str) -> str:
    """Starred."""
    return "".join(numbers)


def _opaque(lock: threading.Event) -> str:
    """Opaque."""
    return str(lock)


@pytest.mark.parametrize("function", [_undocumented, _untyped, _starred, _opaque, lambda: 1])
def test_what_cannot_be_a_tool_is_refused_at_once(function: Callable[..., object]) -> None:
    """A function that no schema can describe is a configuration error, not a surprise in a conversation."""
    with pytest.raises(ConfigError, match="tool"):
        toolbox(function)


def test_two_tools_of_one_name_are_refused() -> None:
    """A second tool never silently replaces the first."""
    with pytest.raises(ConfigError, match="already"):
        toolbox(quote, quote)


# --- calling --------------------------------------------------------------------------------------------------------


def get_order(order_id: str, detail: bool = False) -> dict[str, object]:
    """Look up an order."""
    return {"order_id": order_id, "detail": detail}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("{}", "order_id: Field required"),
        ("", "order_id: Field required"),
        ('{"order_id": "A1", "color": "red"}', "color: Extra inputs are not permitted"),
        ('{"order_id": ["A1"]}', "order_id: Input should be a valid string"),
        ('{"order_id": ', "not a JSON object"),
        ("[1]", "arguments: Input should be a valid dictionary"),
        ("[" * 100_000, "not a JSON object"),
    ],
)
async def test_wrong_arguments_tell_the_model_what_to_correct(arguments: str, told: str) -> None:
    """Arguments that do not fit become a result that names the place, and the function is not called."""
    found = await run(toolbox(get_order), "get_order", arguments)
    assert found.failed
    assert json.loads(found.content)["error"] == "invalid_arguments"
    assert told in found.content


async def test_a_number_is_taken_where_a_text_is_wanted() -> None:
    """Models often write an order number as a bare number; it arrives as text."""
    found = await run(toolbox(get_order), "get_order", '{"order_id": 20240415008}')
    assert json.loads(found.content) == {"order_id": "20240415008", "detail": False}


async def test_an_unknown_tool_is_answered_with_the_known_ones() -> None:
    """A tool that the model made up becomes a result that lists the real ones."""
    found = await run(toolbox(get_order), "drop_tables")
    assert found.failed
    assert "get_order" in found.content


@dataclass
class Quote:
    price: float
    carrier: str


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("已签收", "已签收"),
        (None, NO_OUTPUT),
        ("  \n", NO_OUTPUT),
        (Quote(12.5, "顺丰"), '{"price":12.5,"carrier":"顺丰"}'),
        ([1, {"a": (True, None)}], '[1,{"a":[true,null]}]'),
        ({"price": float("nan")}, '{"price":null}'),
        ("a\0b\ud800c", "abc"),
    ],
)
async def test_any_json_value_is_a_result(value: object, content: str) -> None:
    """Texts, nothing, dataclasses and containers become clean text; the script of the words is kept."""

    def give() -> object:
        """Give it."""
        return value

    found = await run(toolbox(give), "give")
    assert (found.content, found.failed, found.condensed) == (content, False, False)


async def test_async_tools_run_on_the_event_loop() -> None:
    """An async function is awaited where it was called, so that it can use the host's connections."""

    async def where() -> str:
        """Say where."""
        await asyncio.sleep(0)
        return threading.current_thread().name

    assert (await run(toolbox(where), "where")).content == threading.current_thread().name


# --- misbehaving ----------------------------------------------------------------------------------------------------


def _raises() -> str:
    """Raise."""
    raise LookupError("postgres://admin:hunter2@db")


def _exits() -> str:
    """Exit."""
    raise SystemExit(3)


async def _raises_later() -> str:
    """Raise later."""
    await asyncio.sleep(0)
    raise LookupError("postgres://admin:hunter2@db")


async def _exits_later() -> str:
    """Exit later."""
    raise SystemExit(3)


async def _cancels_itself() -> str:
    """Cancel."""
    raise asyncio.CancelledError


def _returns_an_object() -> object:
    """Return an object."""
    return threading.Event()


def _returns_itself() -> object:
    """Return a cycle."""
    cycle: list[object] = []
    cycle.append(cycle)
    return cycle


def _never_ends() -> Iterator[int]:
    """Return a generator."""
    while True:
        yield 1


@pytest.mark.parametrize(
    "function",
    [_raises, _exits, _raises_later, _exits_later, _cancels_itself, _returns_an_object, _returns_itself, _never_ends],
)
async def test_a_failing_tool_is_a_short_result_without_its_message(function: Callable[..., object]) -> None:
    """Whatever a tool raises or returns, the turn goes on, and the text of the exception is not shown."""
    found = await run(toolbox(function), function.__name__)
    assert found.failed
    assert json.loads(found.content)["error"] == "tool_failed"
    assert "hunter2" not in found.content
    assert len(found.content) < 300


async def test_hanging_tools_are_left_behind() -> None:
    """A tool that does not return in time, sync or async, becomes a result; the turn does not wait for it."""
    release = threading.Event()

    def blocks() -> str:
        """Block."""
        release.wait()
        return "late"

    async def stubborn() -> str:
        """Refuse to be cancelled."""
        for _ in range(3):
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
        return "late"

    before = time.monotonic()
    results = [await run(toolbox(function, timeout=0.05), function.__name__) for function in (blocks, stubborn)]
    elapsed = time.monotonic() - before
    release.set()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        while not task.done():
            task.cancel()
            await asyncio.sleep(0)
    assert [json.loads(found.content)["error"] for found in results] == ["timeout", "timeout"]
    assert elapsed < 3


async def test_a_cancelled_turn_cancels_its_tool() -> None:
    """When the turn itself is cancelled, an async tool is cancelled with it."""
    seen: list[str] = []
    begun = asyncio.Event()

    async def waits() -> str:
        """Wait."""
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("cancelled")
        return "never"

    turn = asyncio.ensure_future(run(toolbox(waits), "waits"))
    await begun.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    await asyncio.sleep(0)
    assert seen == ["cancelled"]


# --- condensing -----------------------------------------------------------------------------------------------------


async def test_five_megabytes_become_a_short_result_that_keeps_the_structure() -> None:
    """Keys, identifiers and short values of a huge JSON result stay; long texts and long lists are counted away."""

    def export() -> dict[str, object]:
        """Export."""
        return {
            "order_id": "OD20240601777",
            "status": "delivered",
            "log": "x" * 2_000_000,
            "events": [{"at": f"2024-06-{day % 28 + 1:02}", "text": "装车 " * 400} for day in range(4000)],
        }

    found = await run(toolbox(export), "export")
    assert COUNTER.text(found.content) <= 500
    assert found.condensed
    parsed = json.loads(found.content)
    assert (parsed["order_id"], parsed["status"]) == ("OD20240601777", "delivered")
    assert list(parsed) == ["order_id", "status", "log", "events"]


async def test_a_long_text_keeps_its_head_and_its_tail() -> None:
    """A long text result keeps both ends and says how much lies between them."""

    def log() -> str:
        """Log."""
        return "开始：装车\n" + "途中正常。\n" * 400_000 + "结束：已签收"

    found = await run(toolbox(log), "log")
    assert COUNTER.text(found.content) <= 500
    assert found.content.startswith("开始：装车")
    assert found.content.endswith("结束：已签收")
    assert "…(+" in found.content


async def test_a_tool_may_shorten_its_own_results() -> None:
    """The given condenser decides what stays; one that fails is replaced by the general rule."""
    box = toolbox(tokens=64)

    def listing() -> list[str]:
        """List."""
        return ["很长的一行记录"] * 200

    def broken(value: JsonValue) -> JsonValue:
        raise KeyError(str(value))

    def summed(value: JsonValue) -> JsonValue:
        return {"rows": len(value) if isinstance(value, list) else 0}

    box.add(listing, condense=summed)
    assert (await run(box, "listing")).content == '{"rows":200}'
    other = toolbox(tokens=64)
    other.add(listing, condense=broken)
    found = await run(other, "listing")
    assert not found.failed
    assert COUNTER.text(found.content) <= 64


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=400),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=20), inner, max_size=20),
    max_leaves=60,
)


@given(_json, st.integers(16, 300))
def test_a_condensed_result_always_fits(value: JsonValue, limit: int) -> None:
    """Whatever is condensed, the result is within the limit, valid UTF-8, and unchanged if it fitted before."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    short = condense(text, limit, COUNTER)
    assert COUNTER.text(short) <= limit
    assert short.encode() is not None
    if COUNTER.text(text) <= limit:
        assert short == text


@given(st.text(alphabet="标题😀👩‍👩‍👧❤️👍🏽🇨🇳a ", min_size=40, max_size=400), st.integers(8, 40))
def test_a_cut_never_splits_what_a_reader_sees_as_one_character(text: str, limit: int) -> None:
    """Neither end of a cut text begins or ends in a joiner, selector or skin tone that lost its character."""
    head, _, rest = condense(text * 30, limit, COUNTER).partition("\n…(+")
    tail = rest.partition("\n")[2]
    assert not head.endswith("\u200d")
    assert not tail.startswith(("\u200d", "\ufe0f", "\U0001f3fd"))


# --- writing --------------------------------------------------------------------------------------------------------


class Till:
    """Pays refunds and counts them."""

    def __init__(self) -> None:
        self.paid: list[str] = []
        self.error: Exception | None = None
        self.gate: asyncio.Event | None = None

    async def refund(self, order_id: str, amount: float, call_key: str) -> dict[str, object]:
        """Pay a refund."""
        self.paid.append(call_key)
        if self.error:
            raise self.error
        if self.gate:
            await self.gate.wait()
        return {"order_id": order_id, "paid": amount}


def till_box(till: Till, *, idempotent: bool = False, timeout: float = 5) -> Toolbox:
    box = toolbox(timeout=timeout)
    box.add(till.refund, effects="write", idempotent=idempotent)
    return box


REFUND = call("refund", {"order_id": "OD777", "amount": 20})
SAME_REFUND = call("refund", '{ "amount": 20.0,\n "order_id": "OD777" }')


async def test_a_retried_write_gets_the_recorded_result() -> None:
    """The same call of the same turn, however spelled, runs once; the second time it is answered from the journal."""
    till, journal = Till(), FakeJournal()
    box = till_box(till)
    first = await box.run(REFUND, scope=SCOPE, turn_id="trn_1", journal=journal)
    again = await box.run(SAME_REFUND, scope=SCOPE, turn_id="trn_1", journal=journal)
    assert len(till.paid) == 1
    assert (again.content, again.failed) == (first.content, False)


@pytest.mark.parametrize(
    ("turn_id", "occurrence", "tool_call"),
    [("trn_2", 0, REFUND), ("trn_1", 1, REFUND), ("trn_1", 0, call("refund", {"order_id": "OD778", "amount": 20}))],
)
async def test_another_call_runs_anew(turn_id: str, occurrence: int, tool_call: ToolCall) -> None:
    """Another turn, another occurrence or other arguments have another key and run."""
    till, journal = Till(), FakeJournal()
    box = till_box(till)
    await box.run(REFUND, scope=SCOPE, turn_id="trn_1", journal=journal)
    await box.run(tool_call, scope=SCOPE, turn_id=turn_id, occurrence=occurrence, journal=journal)
    assert len(set(till.paid)) == 2


@pytest.mark.parametrize(("idempotent", "times"), [(False, 1), (True, 2)])
async def test_a_write_of_unknown_outcome_is_repeated_only_if_its_tool_allows(idempotent: bool, times: int) -> None:
    """A call that began and has no result is not made twice, and the result says so; an idempotent one is."""
    till, journal = Till(), FakeJournal()
    till.gate = asyncio.Event()
    impatient, box = (till_box(till, idempotent=idempotent, timeout=seconds) for seconds in (0.02, 5))
    late = await impatient.run(REFUND, scope=SCOPE, turn_id="trn_1", journal=journal)
    assert json.loads(late.content)["error"] == "timeout"
    assert "do not repeat" in late.content
    till.gate.set()
    again = await box.run(REFUND, scope=SCOPE, turn_id="trn_1", journal=journal)
    assert len(till.paid) == times
    assert again.failed is not idempotent
    assert len(set(till.paid)) == 1
    if not idempotent:
        assert json.loads(again.content)["error"] == "outcome_unknown"


async def test_a_write_that_failed_stays_failed_for_its_turn() -> None:
    """A recorded failure is returned again, not tried again."""
    till, journal = Till(), FakeJournal()
    till.error = RuntimeError("no")
    box = till_box(till)
    first = await box.run(REFUND, scope=SCOPE, turn_id="trn_1", journal=journal)
    till.error = None
    again = await box.run(REFUND, scope=SCOPE, turn_id="trn_1", journal=journal)
    assert first.failed
    assert again == first
    assert len(till.paid) == 1


async def test_wrong_arguments_of_a_write_leave_no_trace_in_the_journal() -> None:
    """A call that never ran is not journaled."""
    journal = FakeJournal()
    found = await till_box(Till()).run(call("refund"), scope=SCOPE, turn_id="trn_1", journal=journal)
    assert found.failed
    assert journal.entries == {}
