"""What the request says about the user: name, wishes for the style of answers, records that bear on a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from zhiji import policies, text
from zhiji.extract import Increment
from zhiji.extract.fold import fold
from zhiji.extract.rules import RuleExtractor
from zhiji.models.offline.reading import Seen
from zhiji.models.offline.wording import is_question
from zhiji.types import Draft, Message

MAX_QUOTED = 3
"""Records quoted at most in answer to a question."""

NAME_KEYS = ("identity:call_me", "identity:name")
"""What a user is called, best first."""

LIMITS = ("identity:allergy.", "preference:diet")
"""What any advice has to respect."""

_ADVICE = re.compile(r"推荐|建议|有什么.{0,4}(?:好吃|适合)|recommend|suggest|what should i (?:eat|buy|order)|avoid")
_BRIEF = re.compile(r"简[洁短略要单明]|短|精炼|少说|brief|short|concise|terse|to the point", re.I)
_ABOUT_USER = frozenset(
    label
    for name in ("identity", "preference")
    for label in (policies.TYPES[name].label_zh, policies.TYPES[name].label_en)
)
_OLD_WORDS = frozenset({policies.TYPES["episode"].label_zh, policies.TYPES["episode"].label_en})
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


async def name(seen: Seen) -> str:
    """Return what to call the user: as introduced in this session, else from the profile; empty if unknown.

    Introductions are read by the same rules that memory uses, so both understand the same words.
    """
    told = await _introduced(seen)
    for key in NAME_KEYS:
        found = told.get(key) or _profile_value(seen, key)
        if found:
            return found
    return ""


async def is_told_more(seen: Seen) -> bool:
    """Return whether the user's words tell a fact besides a name."""
    return any(draft.key not in NAME_KEYS for draft in await _drafts([seen.said]))


def is_brief(seen: Seen) -> bool:
    """Return whether the user wants short answers."""
    return bool(_BRIEF.search(_profile_value(seen, "preference:reply_style")))


def all_known(seen: Seen) -> list[str]:
    """Return everything that the request says about the user, profile first; old words only if nothing else is known."""
    known = [_told(label, value) for label, value in seen.profile.items()]
    known += [record.text for record in seen.records if record.tag not in _OLD_WORDS]
    return known or [record.text for record in seen.records]


def bearing(seen: Seen) -> list[str]:
    """Return what the request knows in answer to a question about the user, best first; at most ``MAX_QUOTED``.

    Facts about the person go before business records, which share words with many questions; what the user said in this
    session comes last, for it may not be memory yet.
    """
    folded = fold(seen.said)
    asked = {attribute.key for attribute in policies.ATTRIBUTES if _cued(attribute, folded)} - set(NAME_KEYS)
    asked |= set(LIMITS) if _ADVICE.search(folded) else set()
    asked |= {"identity:city"} if "identity:address.default" in asked else set()
    weights = text.query_terms(folded)
    personal = [
        (_profile_weight(label, value, asked, weights), _told(label, value)) for label, value in seen.profile.items()
    ]
    personal += [
        (0.5 * bool(asked) + _overlap(record.text, weights), record.text)
        for record in seen.records
        if record.tag in _ABOUT_USER
    ]
    other = [(_overlap(record.text, weights), record.text) for record in seen.records if record.tag not in _ABOUT_USER]
    return _best(personal) or _best(other) or _best(_told_now(seen, weights))


def _told(label: str, value: str) -> str:
    return f"{label}: {value}" if label.isascii() else f"{label}：{value}"


def _told_now(seen: Seen, weights: dict[str, float]) -> list[tuple[float, str]]:
    return [(_overlap(words, weights), words) for words in seen.own_words if not is_question(words)]


def _best(weighed: Sequence[tuple[float, str]]) -> list[str]:
    found = sorted((pair for pair in weighed if pair[0] > 0), key=lambda pair: -pair[0])
    return [quoted for _, quoted in found[:MAX_QUOTED]]


async def _introduced(seen: Seen) -> dict[str, str]:
    return {
        draft.key: draft.value
        for draft in await _drafts([*seen.own_words, seen.said])
        if draft.key in NAME_KEYS and draft.op == "assert" and isinstance(draft.value, str)
    }


async def _drafts(said: Sequence[str]) -> Sequence[Draft]:
    messages = [
        Message(role="user", content=words, time=_NO_TIME, seq=at, turn=at) for at, words in enumerate(said, start=1)
    ]
    return (await RuleExtractor().extract(Increment(messages=messages, now=_NO_TIME))).drafts


def _profile_value(seen: Seen, key: str) -> str:
    found = policies.attribute(key)
    assert found is not None
    return seen.profile.get(found.label_zh) or seen.profile.get(found.label_en) or ""


def _cued(attribute: policies.Attribute, folded: str) -> bool:
    return any(cue in folded for cue in (*attribute.cues, attribute.label_zh, attribute.label_en))


def _profile_weight(label: str, value: str, asked: set[str], weights: dict[str, float]) -> float:
    labels = {key for key in asked if (found := policies.attribute(key)) and label in (found.label_zh, found.label_en)}
    return 2.0 * bool(labels) + _overlap(f"{label} {value}", weights)


def _overlap(quoted: str, weights: dict[str, float]) -> float:
    return sum(weights.get(term, 0.0) for term in text.terms(fold(quoted)) if len(term) > 1)
