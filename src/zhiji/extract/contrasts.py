"""Corrections by contrast: "Malmö, actually. Gothenburg is where I studied", 怡不对，是仪式的仪, a bare "29" behind the echo of 28.

The old value is what the message names again to say what it really is or why it will not do; the new one stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from zhiji.extract.facts import tidy
from zhiji.extract.fold import fold
from zhiji.extract.view import Clause, Flag, View

_OLD: Final = re.compile(
    r"\s*(?:那|而|因为|我|之前的?|以前的?)*(?P<zh>[一-鿿]{2,6}?)(?:那(?:边|个|天)?)?(?:才|就|都|其实|只|已经|我|是)*(?:是(?![吗吧])|不对|错了|不行|来不及|赶不|没空|有事|有课|要上班|不得闲|冲突|满了|没位|关门|休息|作废|停用)|"
    r"\s*(?:and |cos |because |since |but |no )*(?P<en>[a-z][\w'-]{2,}(?: [a-z][\w'-]+)?)(?:'s| is| was| isn'?t| wasn'?t| won'?t| doesn'?t| is no| no longer)\b"
)
"""Begins a clause that says of the old value what it really is, or why not."""
_LEAD: Final = (
    r"(?:[\s,]|[哦啊呃诶哎噢呀嗯]+|口误|应该是|其实是|现在|改成?|换成?|是|叫|在|住|去|"
    r"\b(?:well|no|nah|wait|oops|so?rr?y|ugh|actually|i meant?|meant|it'?s|its|make (?:it|that)|from|in|at|to|the|an?|rather)\b)*"
)
_ALONE: Final = re.compile(
    rf"{_LEAD}(?P<zh>[一-鿿]{{2,6}}?)(?:吧|啦|才对|啊|呀|来着)?\s*|{_LEAD}(?P<en>[a-z][\w'-]+(?: [a-z][\w'-]+)??)(?: (?:actually|instead|sorry|rather|please|pls))*\s*"
)
_NO_VALUE: Final = re.compile(
    r"不|没|错|误|吗|什么|怎么|好|行|对|谢|这|那|我|你|他|她|它|看|听|写|说|记|改|换|搬|分|定|等|要|来|"
    r"\b(?:thanks?|problem|worries|idea|way|need|rush|this|that|it|good|great|fine|ok|okay|really|lol|no|not|wait|sorry|actually|please|yes|yeah|bad|mistake|typo|wrong|nope|was|is)\b"
)
_CHARACTER: Final = re.compile(
    r"(?P<old>[一-鿿])(?:字)?(?:不对|错[了啦]|写错[了啦]?|打错[了啦]?|不是|唔啱|不啱)[^一-鿿]*(?:这个|那个)?(?:[,\s]*(?:而|应该)?是(?:[一-鿿]{1,6}的)?(?P<new>[一-鿿])(?:字)?(?=$|[\s,。!啊呀啦哦]))"
)
"""怡不对，是仪式的仪: one character of a name for another."""
_BESIDE: Final = re.compile(
    r"[\s,.!哦啊呃诶哎噢呀嗯了吧啦呢]|其实|才对|才是|是|要|改|还是|那|就|好|个人|人|\b(?:oh|no|nope|oops|ah|er|um|so?rr?y|omg|ugh|wait|actually|then|pls|please|ok|at|on|the|its?|it's|shes?|hes?|people|kids|of us|now|make it)\b"
)
MAX_BARE: Final = 32
"""Whoever only names another figure is brief."""


def meant(view: View, content: str) -> tuple[int, int, str, str] | None:
    """Return where the new value stands in a message, the words of a fact that it replaces, and itself; or None."""
    return next((found for read in (_character, _contrast) for found in read(view, content)), None)


def is_bare(view: View, clause: Clause, value: re.Pattern[str]) -> bool:
    """Return whether a clause of a brief message is a value and nothing else: 十一点半吧, "7th", "oh, 29"."""
    if len(view.text.strip()) > MAX_BARE or "?" in clause.mark or clause.flags & Flag.HYPOTHETICAL:
        return False
    last = view.folded[clause.start : clause.end].split()[-1:]
    words = " ".join(last) if re.search(r"[了啦] +\S+\s*$", view.folded[clause.start : clause.end]) else None
    said = words or view.folded[clause.start : clause.end]
    return bool(value.search(said)) and not _BESIDE.sub("", value.sub("", said, count=2))


def _character(view: View, content: str) -> Iterator[tuple[int, int, str, str]]:
    folded = fold(content)
    for found in _CHARACTER.finditer(view.folded):
        at = folded.rfind(found["old"])
        if at >= 0 and found["old"] != found["new"]:
            yield found.start(), found.end(), content[at], view.text[found.start("new")]


def _contrast(view: View, content: str) -> Iterator[tuple[int, int, str, str]]:
    folded = fold(content)
    blocked = Flag.HYPOTHETICAL | Flag.REPORTED
    olds = [(clause, old) for clause in view.clauses if (old := _named_again(view, clause, folded))]
    for named, old in olds:
        for clause in view.clauses:
            new = _ALONE.fullmatch(view.folded, clause.start, clause.end)
            if clause is named or new is None or clause.flags & blocked or "?" in clause.mark:
                continue
            group = "zh" if new["zh"] else "en"
            same_script = bool(re.search("[一-鿿]", old)) == (group == "zh")
            if _NO_VALUE.search(new[group]) or new[group] in folded or not same_script:
                continue
            at = folded.index(old)
            yield *new.span(group), content[at : at + len(old)], tidy(view.text[slice(*new.span(group))])


def _named_again(view: View, clause: Clause, folded: str) -> str:
    """Return the words of a fact that a clause says something of, or nothing."""
    found = _OLD.match(view.folded, clause.start, clause.end)
    if found is None:
        return ""
    words = found["zh"] or found["en"]
    return words if words in folded and words not in ("用户", "user") else ""
