"""Facts of a host's own memory types, read by the words that it declared for them.

"我的车牌是粤B12345" and "my license plate is ABC123" state what the user has one of. A value that looks like a number is the id of
its business key; said to have changed, it takes the place of what the word stood for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Final

from zhiji import policies, text
from zhiji.errors import InvalidKey
from zhiji.extract.facts import NOT_STATED, Found, Lang, confidence, found_at, tidy
from zhiji.extract.fold import fold, is_traditional
from zhiji.extract.view import Flag, View
from zhiji.types import Draft, Trust

CONFIDENCE: Final = 0.95
IMPORTANCE: Final = 4
"""Of what has a number, as of order numbers and addresses (article S5.2)."""
_NOT_STATED: Final = NOT_STATED & ~Flag.OTHER
"""Of another person's things the patterns do not speak, whatever a clause that begins with "my …" is taken for."""
MAX_VALUE_CHARS: Final = 40
MAX_ID_WORDS: Final = 3
_TAIL: Final = re.compile(r"[^\w)\]）】]+$")
_CHANGED: Final = re.compile(r"[换改变更]|现在|changed|now")
_NO_VALUE: Final = re.compile(
    r"什么|多少|哪|啥|不|没|忘|what|which|not\b|n't|lost|gone|broken|expired|here|there|the same"
)


def find(view: View) -> Iterator[Found]:
    """Yield what a message states of the declared types; of a change also what it takes back."""
    for name, words in policies.worded():
        for word in words:
            if fold(word) in view.folded:
                for match in _pattern(fold(word)).finditer(view.folded):
                    yield from _facts(name, match, view)


@cache
def _pattern(word: str) -> re.Pattern[str]:
    """Return what says "my <word> is …": the value is the group ``v``, how it is said the group ``be``."""
    if re.search("[一-鿿]", word):
        return re.compile(
            rf"(?:我|俺|咱)(?:们家?|家|那辆?|这辆?|现在)?的?(?:那[辆个台]|这[辆个台])?(?P<w>{re.escape(word)})(?:号码?|号)?(?:已经?)?"
            rf"(?P<be>是|为|叫|:|现在[是为叫]|(?:换|改|变|更新|更换|更改)(?:成|为|到)?了?)\s*(?P<v>[^,。!?;\n]{{1,{MAX_VALUE_CHARS}}})"
        )
    return re.compile(
        rf"\b(?:my|our) (?:new |current )?(?P<w>{re.escape(word)})(?: numbers?| no\.?)?(?:'s| is| are)?"
        rf"(?P<be>:| (?:has |have |was |were )?changed to| now(?: is)?| now reads|(?<=[^:] is)|(?<=[^:] are)|(?<='s)) ?"
        rf"(?P<v>[^,.!?;\n]{{1,{MAX_VALUE_CHARS}}})"
    )


def _facts(name: str, match: re.Match[str], view: View) -> Iterator[Found]:
    clause = view.clause(match.start("be"))
    value = _TAIL.sub("", tidy(view.text[slice(*match.span("v"))]))
    said = view.text[slice(*match.span("w"))]
    if clause.flags & _NOT_STATED or not value or _NO_VALUE.search(fold(value)):
        return
    lang: Lang = "zh" if re.search("[一-鿿]", said) else "en"
    user = "用戶" if is_traditional(view.text) else "用户"
    thing = f"{user}的{said}" if lang == "zh" else f"The user's {said}"
    draft = Draft(
        type=name,
        content=f"{thing}是{value}" if lang == "zh" else f"{thing} is {value}",
        key=_key(name, value),
        value=value,
        importance=IMPORTANCE if any(map(str.isdigit, value)) else 3,
        confidence=confidence(CONFIDENCE, clause),
        trust=Trust.USER,
        seqs=view.seqs,
        lang=lang,
    )
    if _CHANGED.search(match["be"]):
        yield found_at(view, match.span(), replace(draft, content=thing, key=None, value=None, op="retract"))
    yield found_at(view, match.span(), draft)


def _key(name: str, value: str) -> str | None:
    """Return the business key of a value that looks like a number: digits in it, and few words."""
    if not any(map(str.isdigit, value)) or len(value.split()) > MAX_ID_WORDS:
        return None
    try:
        return text.business_key(name, value)
    except InvalidKey:
        return None
