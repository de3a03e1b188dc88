"""A memory type that a host adds by one entry of the settings: extractors, recall, injection and commands know it."""

from __future__ import annotations

import json

import pytest

from path.test_triggers import Reader
from talk import Open, contents, known, say, sent
from zhiji import Settings, policies
from zhiji.config import MemoryType
from zhiji.errors import ConfigError, InvalidKey
from zhiji.extract import Increment, rules
from zhiji.extract.prompts import chat, schema
from zhiji.testing import FrozenClock
from zhiji.types import Message, Status

VEHICLE = {
    "label_zh": "车辆",
    "label_en": "vehicle",
    "weight": 0.8,
    "half_life_days": None,
    "retention_days": 365,
    "about": "cars the user owns",
    "words": ["车牌", "license plate"],
    "personal": True,
}
TYPES = {"memory_types": {"vehicle": VEHICLE}}
CLOCK = FrozenClock()


def drafted(*said: str) -> list[tuple[str, str | None, str]]:
    """What the rules read of the declared type: op, key and content."""
    policies.declare({"vehicle": MemoryType.model_validate(VEHICLE)})
    messages = [Message(role="user", content=each, time=CLOCK(), seq=at, turn=at) for at, each in enumerate(said, 1)]
    found = rules.propose(Increment(messages=messages, now=CLOCK()))
    return [(one.op, one.key, one.content) for one in found if one.type == "vehicle"]


@pytest.mark.parametrize(
    ("said", "key", "content"),
    [
        ("我的车牌是 粤B12345", "vehicle:粤B12345", "用户的车牌是粤B12345"),
        ("我的車牌是粵B12345", "vehicle:粵B12345", "用戶的車牌是粵B12345"),
        ("我的车牌号：粤Ｂ１２３４５ 😀", "vehicle:粤B12345", "用户的车牌是粤Ｂ１２３４５"),
        ("my license plate is ABC123", "vehicle:ABC123", "The user's license plate is ABC123"),
        ("Hi, my license plate number is abc-123.", "vehicle:ABC123", "The user's license plate is abc-123"),
    ],
)
def test_its_words_state_it(said: str, key: str, content: str) -> None:
    """ "My <word> is …" is a fact of the type, with the business key of its number."""
    assert drafted(said) == [("assert", key, content)]


@pytest.mark.parametrize(
    "said",
    [
        "我的车牌是什么？",
        "如果我的车牌是粤B12345",
        "我妈的车牌是粤A11111",
        "他说我的车牌是粤B12345",
        "我的车牌忘了",
        "what is my license plate?",
        "my mom's license plate is ABC1",
        "is my license plate ABC123?",
        "my license plate is lost",
        "if my license plate is ABC123",
    ],
)
def test_questions_and_other_people_state_nothing(said: str) -> None:
    """The guards of other facts hold for it, too."""
    assert drafted(said) == []


async def test_a_change_takes_the_place_of_the_old_value(open_zhiji: Open) -> None:
    """Said to have changed, the new number is current and the old one history; another car beside it stays."""
    async with open_zhiji(*["好"] * 9, extractor="rules", **TYPES) as zj:
        session = await say(zj, "我的车牌是粤B12345")
        await say(zj, "我的车牌换成了粤B99999", session=session)
        assert await known(zj) == ["用户的车牌是粤B99999"]
        assert len(await zj.memories.list("u1", statuses=[Status.SUPERSEDED])) == 1
        await say(zj, "我的车牌是粤C1", session=session)
        assert await known(zj) == ["用户的车牌是粤B99999", "用户的车牌是粤C1"]


async def test_it_is_recalled_and_injected_under_its_label(open_zhiji: Open) -> None:
    """A question by its words finds it, and the model sees it labelled."""
    async with open_zhiji(*["好"] * 9, extractor="rules", episodes="off", **TYPES) as zj:
        await say(zj, "我的车牌是 粤B12345")
        reply = await zj.chat("u1", "你知道我车牌吗")
        assert "[车辆]" in (await sent(zj, reply.request_id))[-1]
        assert contents(await zj.recall("u1", "我的车牌", types=["vehicle"])) == ["用户的车牌是粤B12345"]


@pytest.mark.parametrize(
    ("word", "asked"),
    [
        ("车", "我开的什么車"),
        ("車", "我的车呢"),
        ("🚗", "🚗?"),
        ("車牌", "我车牌多少"),
        ("车牌", "我的車牌是什麼"),
        ("ＶＩＮ", "my vin"),
    ],
)
async def test_its_words_find_it_in_any_script(open_zhiji: Open, word: str, asked: str) -> None:
    """Of one character, in traditional or simplified characters, in another width, or no word at all."""
    types = {"vehicle": {**VEHICLE, "words": [word]}}
    async with open_zhiji(memory_types=types) as zj:
        await zj.remember("u1", "用户有一辆丰田", type="vehicle")
        await zj.remember("u1", "用户喜欢龙井茶", type="preference")
        assert contents(await zj.recall("u1", asked)) == ["用户有一辆丰田"]


async def test_a_program_remembers_by_the_grammar_of_keys(open_zhiji: Open) -> None:
    """Keys are ``vehicle:<id>``, whole or by the id alone, in canonical form."""
    async with open_zhiji(**TYPES) as zj:
        first = await zj.remember("u1", "蓝色的车", type="vehicle", key="粤b 12-345")
        again = await zj.remember("u1", "红色的车", type="vehicle", key="vehicle:粤B12345")
        assert first.key == again.key == "vehicle:粤B12345"
        assert await known(zj) == ["红色的车"]


async def test_a_model_is_asked_for_it(open_zhiji: Open) -> None:
    """Prompt and schema name the type with what belongs into it, and its facts are kept."""
    policies.declare({"vehicle": MemoryType.model_validate(VEHICLE)})
    increment = Increment(messages=[Message(role="user", content="hello", time=CLOCK(), seq=1)], now=CLOCK())
    assert "- vehicle: cars the user owns" in str(chat(increment)[0]["content"])
    assert '"vehicle"' in json.dumps(schema())
    fact = {"type": "vehicle", "key": "vehicle:粤B12345", "content": "用户的车牌是粤B12345", "confidence": 0.9}
    async with open_zhiji(model=Reader(fact), extractor="model", **TYPES) as zj:
        await zj.chat("u1", "车牌粤B12345，我的")
        await zj.drain("u1", early=True)
        (kept,) = await zj.memories.list("u1", types=["vehicle"])
        assert (kept.key, kept.content) == ("vehicle:粤B12345", "用户的车牌是粤B12345")


async def test_without_the_setting_it_is_still_listed(open_zhiji: Open) -> None:
    """A stored type that nobody declares any more is listed, spoken past and no crash; nothing new of it is taken."""
    async with open_zhiji(**TYPES) as zj:
        await zj.remember("u1", "用户的车牌是粤B12345", type="vehicle", key="粤B12345")
    del policies.TYPES["vehicle"]
    async with open_zhiji("好", extractor="rules") as zj:
        assert await known(zj) == ["用户的车牌是粤B12345"]
        await say(zj, "我的车牌是什么，用户的车牌？")
        assert "用户的车牌是粤B12345" in contents(await zj.recall("u1", "车牌 粤B12345"))
        with pytest.raises(InvalidKey):
            await zj.remember("u1", "另一辆", type="vehicle")


async def test_two_declarations_must_agree(open_zhiji: Open) -> None:
    """In one process a type means one thing: the same again is fine, another is refused, and so are our own names."""
    async with open_zhiji(**TYPES), open_zhiji(**TYPES):
        pass
    with pytest.raises(ConfigError, match="vehicle"):
        async with open_zhiji(memory_types={"vehicle": {**VEHICLE, "weight": 0.5}}):
            pass
    with pytest.raises(ConfigError, match="order"):
        async with open_zhiji(memory_types={"order": VEHICLE}):
            pass


@pytest.mark.parametrize("types", [{"Vehicle": {}}, {"v h": {}}, {"vehicle": {"weight": 2}}, {"vehicle": {"color": 1}}])
def test_a_declaration_that_cannot_be_right_is_refused(types: object) -> None:
    """Names are lower case, numbers within bounds, fields known; the error names the setting."""
    with pytest.raises(ConfigError, match="memory_types"):
        Settings.load(memory_types=types)


def test_the_environment_declares_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Service, worker and command line read the same JSON."""
    monkeypatch.setenv("ZHIJI_MEMORY_TYPES", json.dumps(TYPES["memory_types"]))
    assert Settings.from_environment().memory_types["vehicle"].words == ("车牌", "license plate")
