"""Whether an endpoint's error says that the request was longer than the context window, and which numbers it names.

One classifier for all providers: status, then code, then wording, by the tables of ``wordings``. A code says more than a wording, since
an error may quote what the user wrote; what is known to be about something else (rates, quotas, the reply's length, bytes,
images) is ruled out before the wordings are tried. Bodies may be JSON, also as text inside JSON, Python's way of showing
one, HTML or plain text, in English or Chinese. Never raises, whatever the text. What is done about it is in ``limits``.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from zhiji.errors import ContextOverflow
from zhiji.wordings import CODES, LOOK_ALIKES, NUMBERS, OTHER_CODES, OTHER_LIMITS, OTHER_STATUSES, TOO_LARGE, WORDINGS

MAX_TOKENS: Final = 100_000_000
"""No window is larger: a larger number is about something else (bytes, ids)."""
MAX_CHARS: Final = 20_000
"""Characters of a body that are read."""
MAX_DEPTH: Final = 8
"""Bodies inside bodies that are opened: a gateway quotes its upstream, which quotes its engine."""
MAX_PIECES: Final = 20
"""Values of one list, and bodies in one text, that are opened."""
MIN_REPEATED: Final = 12
"""Characters from which words in an error are taken for a repetition of what was sent; shorter ones are in any error."""
MAX_CAUSES: Final = 4
"""Exceptions that are looked at, from the outermost to what it was raised from."""


@dataclass(frozen=True, slots=True)
class Overflow:
    """The request did not fit the context window."""

    limit: int | None = None
    """The window in tokens, as the endpoint tells it; None if it does not."""
    requested: int | None = None
    """Tokens of the prompt as the endpoint counted them, or of prompt and reply if it does not tell them apart."""
    reply: int | None = None
    """Tokens of the window that the request kept for the reply, where the endpoint counts them in."""

    def error(self) -> ContextOverflow:
        """Return the error that says so, with the numbers in its details; ``read`` gives them back."""
        return ContextOverflow(limit=self.limit, requested=self.requested, reply=self.reply)


_FIELDS: Final[Mapping[str, str]] = {"n_ctx": "limit", "n_prompt_tokens": "requested"}
"""Numbers that llama.cpp's server gives as fields."""
_CODE_KEYS: Final = frozenset({"code", "type", "status", "reason", "error_code", "errorcode", "__type", "error_type"})
_WORD_KEYS: Final = frozenset(
    {
        "message",
        "msg",
        "error",
        "detail",
        "error_msg",
        "error_message",
        "errormessage",
        "status_msg",
        "description",
        "raw",
    }
)
_ECHOES: Final = frozenset({"input", "inputs", "messages", "prompt", "content", "request", "ctx", "loc"})
"""Keys under which an error repeats what was sent."""
_ECHO: Final = re.compile(r"[\"'](?:inputs?|messages|prompt|content|request)[\"']\s*:\s*[\[{\"']")
"""Where the repetition begins in a body that cannot be read as JSON; whatever follows may be part of it."""
_UNITS: Final[Mapping[str, int]] = {"k": 1_000, "m": 1_000_000, "万": 10_000}

_TAG: Final = re.compile(r"<(style|script)\b.*?</\1>|<[a-z/!][^>]{0,300}>", re.IGNORECASE | re.DOTALL)
_JSON: Final = re.compile(r"\{\s*[\"']|\[\s*\{")
_PAIR: Final = re.compile(
    r"[\"'](?P<key>\w+)[\"']\s*:\s*(?:'(?P<single>(?:[^'\\]|\\.)*)|\"(?P<double>(?:[^\"\\]|\\.)*)|(?P<plain>\d+))",
    re.DOTALL,
)
_QUOTED: Final = re.compile(r"\"[^\"]*\"|“[^”]*”|「[^」]*」|(?<==)'[^']*'")
LONG_QUOTATION: Final = 20
"""Characters from which words in quotation marks are what somebody wrote, not what the endpoint says."""


# --- the rules ------------------------------------------------------------------------------------------------------


def classify(status: int | None, code: str, text: str, *, said: Sequence[str] = ()) -> Overflow | None:
    """Return what an endpoint's error says of the context window, or None if it is about something else.

    ``status``: of HTTP; None if there was none. ``code``: the error's ``code`` or ``type`` where the client has taken it
    from the body, else an empty string. ``text``: the body, or the message: JSON, HTML or plain. ``said``: what was sent,
    or what users wrote. Where the error repeats it, it counts for nothing: nobody may set the limit by a message. Never raises.
    """
    if status in OTHER_STATUSES:
        return None
    found = _classified(status, code, text)
    return _classified(status, code, _without(text, said), _flat("\n".join(said))) if found and said else found


def _classified(status: int | None, code: str, text: str, sent: str = "") -> Overflow | None:
    said = _said(text)
    codes = {one.strip().lower() for one in (code, *said.codes)}
    words = [_unrepeated(_plain(one), sent) for one in said.words]
    if (
        status == TOO_LARGE
        and not any(map(OTHER_LIMITS.search, [*words, *codes]))
        and not codes & {"tokens", "requests"}
    ):
        told = codes & CODES or any(map(_is_overflow, words))
        return Overflow(**(_numbers(said, " ".join(words)) if told else {}))
    if not codes & CODES and (any(map(OTHER_CODES.search, codes)) or not any(map(_is_overflow, words))):
        return None
    return Overflow(**_numbers(said, " ".join(words)))


def read(error: BaseException, *, said: Sequence[str] = ()) -> Overflow | None:
    """Return what an exception of any client says of the context window; looks at what it was raised from, too.

    ``said``: see ``classify``. Of our own ``ContextOverflow`` its details are taken; of others ``status_code``, ``code``, ``type`` and ``body`` where
    they have them, and their text.
    """
    seen: BaseException | None = error
    for _ in range(MAX_CAUSES):
        if seen is None:
            break
        found = _of(seen, said)
        if found is not None:
            return found
        seen = seen.__cause__
    return None


def _of(error: BaseException, said: Sequence[str]) -> Overflow | None:
    if isinstance(error, ContextOverflow):
        return Overflow(*(_counted(error.details.get(name)) for name in ("limit", "requested", "reply")))
    status = next(
        (one for name in ("status_code", "status", "code") if type(one := getattr(error, name, None)) is int), None
    )
    code = next((one for name in ("code", "type") if isinstance(one := getattr(error, name, None), str)), "")
    body = getattr(error, "body", None)
    texts = [str(error), *([_shown(body)] if body else [])]
    return next((found for one in texts if (found := classify(status, code, one, said=said))), None)


def _without(text: str, said: Sequence[str]) -> str:
    text = text[: MAX_CHARS * 10]
    for one in sorted({part for whole in said for part in _parts(whole)}, key=len, reverse=True):
        for form in (one, json.dumps(one)[1:-1], json.dumps(one, ensure_ascii=False)[1:-1], repr(one)[1:-1]):
            text = text.replace(form, " ") if len(form) >= MIN_REPEATED else text
    return text


def _parts(said: str) -> Iterator[str]:
    """Yield a text, its lines, and of each what follows a colon: in a transcript the words of one speaker."""
    yield said
    for line in said.splitlines():
        yield line.strip()
        yield line.partition(": ")[2].strip()


def _unrepeated(words: str, sent: str) -> str:
    """Return the words without what stands around a wording just as it does in what was sent, be it cut on both sides."""
    for match in [match for wording in WORDINGS for match in wording.finditer(words)] if sent else ():
        if words[match.start() : match.end()] != match[0]:
            continue  # part of one that is gone
        start, end = _shared(words, match, sent)
        if end - start >= len(match[0]) + MIN_REPEATED or (start, end) == (0, len(words)):
            words = words[:start] + " " * (end - start) + words[end:]
    return words


def _shared(words: str, match: re.Match[str], sent: str) -> tuple[int, int]:
    """Return the longest stretch around the match that stands in both texts; empty if there is none."""
    best, at = (match.start(), match.start()), sent.find(match[0])
    for _ in range(MAX_PIECES):
        if at < 0:
            break
        start = match.start() - _alike(reversed(words[: match.start()]), reversed(sent[:at]))
        end = match.end() + _alike(words[match.end() :], sent[at + len(match[0]) :])
        best = max(best, (start, end), key=lambda one: one[1] - one[0])
        at = sent.find(match[0], at + 1)
    return best


def _alike(one: Iterable[str], other: Iterable[str]) -> int:
    """Return how many characters of both are the same before the first that is not."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _counted(detail: object) -> int | None:
    return detail if isinstance(detail, int) and 0 < detail <= MAX_TOKENS else None


def _shown(body: object) -> str:
    if isinstance(body, bytes):
        return body.decode("utf-8", "replace")
    try:
        return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return ""


def _is_overflow(words: str) -> bool:
    return any(one.search(words) for one in WORDINGS) and not any(one.search(words) for one in LOOK_ALIKES)


def _numbers(said: _Said, words: str) -> dict[str, int]:
    found = dict(said.numbers)
    for row in NUMBERS:
        match = row.search(words)
        for name, digits in match.groupdict().items() if match else ():
            if digits is not None and (value := _value(digits)) is not None:
                found.setdefault(name, value)
    return found


def _value(digits: str) -> int | None:
    """Return the tokens that the digits stand for; None if no window can be so large, or so small."""
    unit = _UNITS.get(digits[-1], 1)
    bare = re.sub(r"[^\d.]", "", digits)
    value = int(float(bare) * unit) if len(bare) < 16 else 0
    return value if 0 < value <= MAX_TOKENS else None


def _plain(words: str) -> str:
    """Return the words in one shape: NFKC, lower case, straight apostrophes, single blanks, no tags, no quotations."""
    return _flat(_QUOTED.sub(lambda one: one[0] if len(one[0]) < LONG_QUOTATION else " ", _flat(_TAG.sub(" ", words))))


def _flat(words: str) -> str:
    bare = unicodedata.normalize("NFKC", words).lower().replace("’", "'").replace("，", ",")
    return " ".join(bare.split())


# --- bodies ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Said:
    """What a body says, without what it repeats of the request."""

    codes: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)


def _said(text: str) -> _Said:
    said = _Said()
    _open(text[:MAX_CHARS], said, MAX_DEPTH)
    return said


def _open(value: object, said: _Said, depth: int) -> None:
    if depth <= 0:
        return
    if isinstance(value, str):
        for one in _pieces(value):
            if isinstance(one, str):
                said.words.append(one)
            else:
                _open(one, said, depth - 1)
    elif isinstance(value, list):
        for one in value[:MAX_PIECES]:
            _open(one, said, depth - 1)
    elif isinstance(value, dict):
        for key, one in value.items():
            _note(str(key).lower(), one, said, depth - 1)


def _note(key: str, value: object, said: _Said, depth: int) -> None:
    if key in _ECHOES:
        return
    if key in _CODE_KEYS and isinstance(value, str | int):
        said.codes.append(str(value))
    elif key in _FIELDS and type(value) is int and 0 < value <= MAX_TOKENS:
        said.numbers[_FIELDS[key]] = value
    elif not isinstance(value, str) or key in _WORD_KEYS:
        _open(value, said, depth)


def _pieces(text: str) -> Iterator[object]:
    """Yield a text as its words and the JSON values between them; one cut short, or as Python shows it, as its pairs."""
    at = 0
    for _ in range(MAX_PIECES):
        start = _JSON.search(text, at)
        if start is None:
            break
        yield text[at : start.start()]
        try:
            value, at = json.JSONDecoder(strict=False).raw_decode(text, start.start())
        except (ValueError, RecursionError):
            echo = _ECHO.search(text, start.start())
            end = echo.start() if echo else len(text)
            yield [{pair["key"]: _bare(pair)} for pair in _PAIR.finditer(text, start.start(), end)]
            return
        yield value
    yield text[at:]


def _bare(pair: re.Match[str]) -> str:
    value = next((one for one in pair.group("single", "double", "plain") if one is not None), "")
    return re.sub(r"\\(.)", lambda escaped: "\n" if escaped[1] == "n" else escaped[1], value)
