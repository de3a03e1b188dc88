"""One rule, one fact: how a row of the tables in ``zh`` and ``en`` becomes a draft.

A rule is a pattern over folded text, anchored at a clause start, and sentence frames for content and key. ``{v}`` is the
value as the user wrote it, ``{k}`` its key form; other named groups may be used by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from functools import cache
from typing import Final, Literal

from zhiji.extract import lexicon
from zhiji.extract.fold import fold, is_traditional, traditional
from zhiji.extract.unsaid import ABSURD
from zhiji.extract.view import Clause, Flag, View
from zhiji.types import Draft, Trust

Lang = Literal["zh", "en"]
Check = Callable[[str], str | None]
"""Returns the value to keep, or None if it is no such value. Gets the value as written, tidied."""

NOT_STATED: Final = Flag.QUESTION | Flag.HYPOTHETICAL | Flag.REPORTED | Flag.OTHER | Flag.MOOD
"""Flags under which no rule states a fact, unless it says otherwise."""
HEDGED_CONFIDENCE: Final = 0.6
"""Below the default gate: what is only supposed waits in quarantine."""
MAX_VALUE_CHARS: Final = 80


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and what it says."""

    source: str
    """Regular expression over folded text."""
    _: KW_ONLY
    type: str
    content: str
    """Sentence frame in the language of the table."""
    key: str | None = None
    cues: tuple[str, ...] = ()
    """The pattern is tried only if one of these occurs in the folded text; empty: always."""
    importance: int = 3
    confidence: float = 0.95
    check: Check = str
    many: bool = False
    """The value is a list: one draft each."""
    forbids: Flag = NOT_STATED
    op: Literal["assert", "retract"] = "assert"

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is first tried: hundreds of them at once would delay every start."""
        return _compiled(self.source)


_compiled = cache(re.compile)


@dataclass(slots=True, kw_only=True)
class Found:
    """A draft with its place, while the dialogue is still being read."""

    draft: Draft
    seq: int
    """Message that states it."""
    start: int
    end: int
    sentence: int
    withdrawn_by: int = 0
    """Message that took it back; 0 while it stands."""
    kept: Literal["", "statement", "wish"] = ""
    """How the keeper has it, in the user's words; other readers may read a wish for what it is about."""
    refused: bool = False
    """True: that message does not want it remembered, so it is forgotten, not only withdrawn."""


def found_at(view: View, span: tuple[int, int], draft: Draft) -> Found:
    """Return a draft with its place in a message."""
    return Found(draft=draft, seq=view.message.seq, start=span[0], end=span[1], sentence=view.clause(span[0]).sentence)


# --- values -------------------------------------------------------------------------------------------------------

_TAIL_ZH: Final = re.compile(
    r"(?:[啊呀哦哈啦吧呢嘛哟噢喔诶㗎喎囉咯]|(?<!滴)滴$|(?<!断)(?<!坏)(?<!破)(?<!掉)了$|的$|这样$|谢谢$|哈哈+$|来着$|先生$(?<!..先生))+$"
)
_TAIL_EN: Final = re.compile(
    r"(?:[\s,]+(?:please|pls|thanks|thank you|btw|too|lol|haha|though|tho|now|again|actually|anyway|by the way|right now|at the moment|ok|okay|cheers|mate|as well|and|but|so|because|,))+$",
    re.I,
)
_EDGES: Final = " \t\n,.;:!?，。；：！？、\"'“”‘’「」『』()（）~～…-—"
_LIST: Final = re.compile(
    r"\s*(?:、|,(?!\d)|/|\band\b|\bor\b|&|和|跟|与|及|还有|以及|或者?|同埋|加上)\s*(?:the\b|any\b|also\b|对)?\s*"
)


def tidy(value: str) -> str:
    """Return a value without surrounding punctuation and final particles."""
    previous = None
    while value != previous:
        previous = value
        value = _TAIL_EN.sub("", _TAIL_ZH.sub("", value.strip(_EDGES)))
    return value


def key_form(value: str) -> str:
    """Return a value as the last part of an attribute key: folded, without white space and hyphens."""
    return re.sub(r"[\s\-_.:]+", "", fold(value))[:48]


_OBJECT_VERB: Final = re.compile(r"^(?:吃|喝|食|饮)(?=\S)|^(?:to |eating |drinking |eat |drink |the |a |an )+")


def bare_object(value: str) -> str:
    """Return what a taste is about, whatever one does with it: 喝咖啡 → 咖啡, ``drinking coffee`` → ``coffee``."""
    found = _OBJECT_VERB.match(fold(value))
    return value[found.end() :] if found else value


def items(value: str) -> list[str]:
    """Return the members of a list in words: ``花生、虾和芒果``, ``nuts, milk and eggs``."""
    cuts = [found.span() for found in _LIST.finditer(fold(value))]
    edges = [0, *(edge for cut in cuts for edge in cut), len(value)]
    parts = (value[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    return [part for part in map(tidy, parts) if part]


# --- applying -----------------------------------------------------------------------------------------------------


def confidence(base: float, clause: Clause) -> float:
    """Return the confidence of a fact stated in a clause."""
    return min(base, HEDGED_CONFIDENCE) if Flag.HEDGED in clause.flags else base


def apply(rules: Iterable[Rule], view: View, lang: Lang) -> Iterator[Found]:
    """Yield what the rules find in a message."""
    for entry in rules:
        if entry.cues and not any(cue in view.folded for cue in entry.cues):
            continue
        for match in entry.pattern.finditer(view.folded):
            clause = view.clause(match.end() - 1)
            if (clause.flags | view.clause(match.start()).flags) & entry.forbids:
                continue
            yield from _facts(entry, match, clause, view, lang)


def _facts(entry: Rule, match: re.Match[str], clause: Clause, view: View, lang: Lang) -> Iterator[Found]:
    groups = {name: tidy(view.text[slice(*match.span(name))]) for name in match.re.groupindex if match[name]}
    raw = groups.get("v") or groups.get("w", "")
    for part in items(raw) if entry.many else [raw]:
        value = entry.check(part)
        if value is None or len(value) > MAX_VALUE_CHARS or ABSURD.search(fold(value)):
            continue
        yield Found(
            draft=_draft(entry, groups | {"v": value}, clause, view, lang),
            seq=view.message.seq,
            start=match.start(),
            end=match.end(),
            sentence=clause.sentence,
        )


def _draft(entry: Rule, groups: dict[str, str], clause: Clause, view: View, lang: Lang) -> Draft:
    value = groups["v"]
    forms = groups | {"k": key_form(value), "t": key_form(bare_object(value))}
    if kin := groups.get("kin") or groups.get("bare"):
        groups = groups | {"kin": kin}
        forms["kin"] = groups["kin"] * 2 if len(groups["kin"]) == 1 and groups["kin"] != "娃" else groups["kin"]
        forms["relative"] = lexicon.KIN.get(fold(groups["kin"]), groups["kin"])
    if "pet" in groups:
        forms["species"] = lexicon.PETS.get(fold(groups["pet"]), groups["pet"])
    if lang == "en":
        forms["v"] = _their(value)
    forms["told"] = retell(value, lang) if "{told}" in entry.content else ""
    forms["a"] = "an" if value[:1].lower() in "aeiou" else "a"
    forms["does"] = third_person(groups.get("how", ""))
    forms["at_"] = f" {groups['at']}" if groups.get("at") else ""
    frame = traditional(entry.content) if lang == "zh" and is_traditional(view.text) else entry.content
    return Draft(
        type=entry.type,
        content=frame.format_map(forms),
        key=entry.key.format_map(forms) if entry.key else None,
        value=value or None,
        importance=entry.importance,
        confidence=confidence(entry.confidence, clause),
        trust=Trust.USER,
        seqs=view.seqs,
        lang=lang,
        op=entry.op,
    )


# --- retelling ----------------------------------------------------------------------------------------------------

_IRREGULAR: Final = {"am": "is", "would": "would", "could": "could", "might": "might", "used": "used", "have": "has", "do": "does", "go": "goes", "don't": "doesn't", "dont": "doesn't", "was": "was", "can": "can", "can't": "can't", "cannot": "cannot", "will": "will", "haven't": "hasn't", "must": "must", "should": "should", "never": "never", "always": "always", "usually": "usually", "also": "also", "really": "really", "just": "just", "mostly": "mostly", "often": "often", "only": "only", "still": "still", "currently": "currently"}  # fmt: skip
_ADVERBS: Final = lexicon.words(
    "never always usually also really just mostly often only still currently normally generally typically"
)
_PAST: Final = re.compile(
    r"(?:ed|ought|aught|went|got|took|had|made|ran|left|met|saw|found|began|won't|couldn't|lost|broke|came|gave|told|felt|kept|sent|spent|won|sold|wore|fell|flew|drove|ate|became|built|chose|heard|held|knew|paid|said|sat|slept|spoke|stood|wrote|rode|sang|swam|quit|'d|'ll)$"
)


def third_person(verb: str) -> str:
    """Return an English verb as it follows "the user": ``run`` → ``runs``."""
    low = _straight(verb.lower())
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if _PAST.search(low) and low not in ("need", "feed", "breed", "speed"):
        return verb
    if low.endswith(("s", "x", "z", "ch", "sh")):
        return verb + "es"
    return verb[:-1] + "ies" if low.endswith("y") and low[-2:-1] not in "aeiou" else verb + "s"


def retell(words: str, lang: Lang) -> str:
    """Return a first-person clause as a statement about the user."""
    return _retell_zh(words.strip(_EDGES)) if lang == "zh" else _retell_en(words.strip(_EDGES))


def _retell_zh(words: str) -> str:
    user = "用戶" if is_traditional(words) else "用户"
    told = re.sub(r"我(?:[们們](?=家))?(?![们們])", user, words)
    return told if user in told else user + told


_CONTRACTED: Final = ((re.compile(r"^(?:i'm|im|i’m)\b", re.I), "is"), (re.compile(r"^(?:i've|ive|i’ve)\b", re.I), "has"), (re.compile(r"^(?:i'll|i’ll)\b", re.I), "will"), (re.compile(r"^(?:i'd|i’d)\b", re.I), "would"))  # fmt: skip


def _retell_en(words: str) -> str:
    words = _straight(words)
    for pattern, verb in _CONTRACTED:
        if pattern.match(words):
            return _possessives(pattern.sub(f"The user {verb}", words))
    first = re.match(r"i\s+(?P<adverb>(?:[a-z]+\s+)?)(?P<verb>[\w'’]+)", words, re.I)
    if not first:
        return _possessives(words if re.match(r"my\b", words, re.I) else f"The user: {words}")
    adverb, verb = first["adverb"], first["verb"]
    if adverb.strip().lower() not in _ADVERBS and not adverb.strip().lower().endswith("ly"):
        verb, rest = (adverb.strip() or verb), words[first.end("adverb") if adverb else first.end() :]
        return _possessives(f"The user {third_person(verb)} {rest.strip()}".rstrip())
    return _possessives(f"The user {adverb}{third_person(verb)}{words[first.end() :]}")


_CURLY: Final = re.compile(r"(?<=[A-Za-z])[’ʼ＇](?=[A-Za-z])")


def _straight(words: str) -> str:
    """Return English words with the apostrophe that the tables know."""
    return _CURLY.sub("'", words)


def _possessives(words: str) -> str:
    return _their(re.sub(r"^my\b", "The user's", words, flags=re.I))


def _their(words: str) -> str:
    told = _straight(words)
    for mine, theirs in (("my", "their"), ("me", "them"), ("I", "they"), ("i'm", "they're"), ("myself", "themself")):
        told = re.sub(rf"(?<![-\w]){mine}(?![-\w'’])", theirs, told, flags=re.I)
    return told
