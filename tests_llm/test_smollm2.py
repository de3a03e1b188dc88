"""A real, bad model behind a real server: it answers, rambles and invents, and none of it spoils a memory.

Run by ``make test-llm``, not with the other tests: the server is built from source, and a call takes seconds to minutes.
"""

from __future__ import annotations

import re

import pytest

from talk import Open
from zhiji import Zhiji
from zhiji.errors import ContextOverflow, ContextTooLarge
from zhiji.types import JobStatus, JsonValue, Memory, Status

pytestmark = pytest.mark.timeout(900)

CHAT = ("--n_ctx", "4096")
ANNA = [
    "Hello, my name is Anna Smith and I live in Portland. I am allergic to peanuts.",
    "I want to return my order OD20240415008.",
]
LI_SI = ["我叫李四，住在杭州，对花生过敏 😀", "我想退订单 ＯＤ20240415008"]
FACTS: JsonValue = {
    "type": "array",
    "minItems": 2,
    "maxItems": 3,
    "items": {
        "type": "object",
        "properties": {
            "type": {"enum": ["identity", "preference", "order", "event"]},
            "key": {"type": "string", "maxLength": 20},
            "content": {"type": "string", "maxLength": 80},
            "value": {"type": "string", "maxLength": 20},
            "confidence": {"enum": [0.8, 0.95]},
            "sources": {"type": "array", "items": {"enum": [1, 3]}, "minItems": 1, "maxItems": 2},
        },
        "required": ["type", "key", "content", "value", "confidence", "sources"],
    },
}
"""What the server makes the model write: with free hands it writes no JSON at all."""
_WORDS = re.compile(r"[a-z]{4,}|\d+|[\u4e00-\u9fff]")
_HARD = re.compile(r"\d+|(?<![.!?] )(?<!^)\b[A-Z][a-z]{3,}")
"""Numbers and names: all of them must have been said; of the other words, most."""


async def everything(zj: Zhiji, user: str) -> list[Memory]:
    """All that is stored of a user, quarantined rows included."""
    return await zj.memories.list(user, statuses=list(Status))


def invented(kept: list[Memory], said: list[str]) -> dict[str, set[str]]:
    """What memories hold that the user did not say: a number, a name, a value, or most of a sentence; by content."""
    told = set(_WORDS.findall(" ".join(said).lower().replace("ｏｄ", "od")))
    found: dict[str, set[str]] = {}
    for memory in kept:
        words, value = set(_WORDS.findall(memory.content.lower())), set(_WORDS.findall(str(memory.value or "").lower()))
        missing = words - told
        hard = {word.lower() for word in _HARD.findall(memory.content)} - told
        if hard or len(missing) > len(words) / 2 or (value and not value & told):
            found[memory.content] = missing | value
    return found


async def test_it_answers_and_the_turns_are_saved(open_zhiji: Open) -> None:
    """A reply in pieces and one in a whole; both are in the transcript, word for word, with what they cost."""
    heard: list[str] = []
    async with open_zhiji(*CHAT) as zj:
        first = await zj.chat("u", ANNA[0], on_delta=heard.append)
        second = await zj.chat("u", ANNA[1], session=first.session_id)
        transcript = await zj.sessions.messages("u", first.session_id)
    assert len(heard) > 3
    assert first.text == "".join(heard)
    assert [message.content for message in transcript] == [ANNA[0], first.text, ANNA[1], second.text]


async def test_free_extraction_spoils_nothing(open_zhiji: Open) -> None:
    """Whatever it writes, the outcome is stored, what is kept was said, and the talk goes on."""
    async with open_zhiji(*CHAT) as zj:
        session = (await zj.chat("u", ANNA[0])).session_id
        await zj.drain()
        outcomes = [found.outcome for found in await zj.jobs.extractions("u")]
        kept = await everything(zj, "u")
        assert (await zj.chat("u", "Thanks!", session=session)).text
    assert len(outcomes) == 1
    assert outcomes[0] in ("written", "partial", "nothing", "failed")
    assert not invented(kept, ANNA)


@pytest.mark.parametrize(("said", "temperature", "seed"), [(ANNA, 0, 1), (LI_SI, 0, 1), (ANNA, 1.2, 2)])
async def test_invented_facts_are_not_kept(open_zhiji: Open, said: list[str], temperature: float, seed: int) -> None:
    """Made to write facts, it invents most of them: only what the user said is stored, and the outcome tells the rest."""
    options = {
        "max_tokens": 300,
        "temperature": temperature,
        "seed": seed,
        "response_format": {"type": "json_object", "schema": FACTS},
    }
    async with open_zhiji(*CHAT, model_options=options) as zj:
        messages = [
            {"role": role, "content": words} for line in said for role, words in (("user", line), ("assistant", "OK"))
        ]
        await zj.ingest("u", messages)
        await zj.drain()
        (outcome,) = await zj.jobs.extractions("u")
        kept = await everything(zj, "u")
    assert outcome.outcome in ("written", "partial", "failed")
    assert outcome.reasons or kept
    assert outcome.outcome != "failed" or not kept
    assert not invented(kept, said)


async def test_its_vectors_find_memories(open_zhiji: Open) -> None:
    """The server sends a vector for each token; stored is one for each memory, and recall by vector works."""
    async with open_zhiji("--n_ctx", "1024", "--embedding", "true", embedder="smollm2") as zj:
        for words in ("用户对花生过敏", "The user lives in Portland", "The user has a dog"):
            await zj.remember("u", words, type="event")
        await zj.drain()
        assert not await zj.jobs.list("u", statuses=[JobStatus.DEAD, JobStatus.PENDING])
        found = await zj.recall("u", "Portland, where the user lives", explain=True)
    assert found[0].memory.content == "The user lives in Portland"
    assert {"vector", "both"} & {item.via for item in found}


async def test_its_overflow_is_told_and_the_session_goes_on(open_zhiji: Open) -> None:
    """A request beyond its small window is refused as such, in the server's own words; the next turn is answered."""
    async with open_zhiji("--n_ctx", "256") as zj:
        session = (await zj.chat("u", "Hello")).session_id
        with pytest.raises((ContextOverflow, ContextTooLarge)) as raised:
            await zj.chat("u", "hello order " * 400, session=session)
        assert (await zj.chat("u", "Hi", session=session)).text
    cause = raised.value if isinstance(raised.value, ContextOverflow) else raised.value.__cause__
    assert isinstance(cause, ContextOverflow)
    assert cause.details["limit"] == 256
