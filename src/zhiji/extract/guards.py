"""What is not a statement of the user about themselves: the guards of the rule extractor.

Two kinds. *Blanking* removes stretches that are nobody's statement here: quotations, code, logs (``pasted``), texts to be
translated or corrected (``exercises``), role-play (``roleplay``), injected instructions (``injections``), and what the message
calls a joke or refuses to have kept (``unsaid``). *Flags* mark clauses that state no plain fact (``flags``): questions,
hypotheticals, reported speech, other people's attributes, one-offs. Precision comes before recall: in doubt, a guard applies.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from zhiji.extract import exercises, injections, lexicon, pasted, roleplay, unsaid
from zhiji.extract.flags import flag
from zhiji.extract.fold import fold
from zhiji.extract.view import View, blank, split
from zhiji.types import Message

# --- blanking -----------------------------------------------------------------------------------------------------


def _blanked(folded: str, *, in_role: bool, payload: bool) -> str:
    if payload:
        return "\n" * len(folded)
    spans = [*pasted.spans(folded), *exercises.spans(folded)]
    folded = blank(folded, pasted.titles(folded), fill=pasted.TITLE_FILL)
    spans += pasted.quotations(folded)
    spans += roleplay.spans(folded, in_role)
    spans += injections.spans(folded)
    return blank(folded, spans) if spans else folded


_CODE_WORD: Final = re.compile(
    r"验证码|校验码|动态码|取件码|\botp\b|\bpin\b|(?:verification|security|one.time|access) (?:code|pass)|passcode"
)
_CODE_DIGITS: Final = re.compile(r"(?<![\w.:/-])\d{4,8}(?![\w.:/-])")


_LOCK: Final = re.compile(
    r"(?:保险[柜箱]|[门车]锁|密码锁|指纹锁|电子锁|门禁|锁屏|解锁|家门|大门|单元门)[^,。!?\n]{0,10}(?:\d[^,。!?\n]{0,6}\d|[零〇一二三四五六七八九]{3,}|[两三四五六]个[\d零一二三四五六七八九])|密保|安全(?:问题|提问)的?答案|助记词|"
    r"\b(?:safe|locker|padlock|vault|gate|door|alarm|garage|lock ?box|keypad|bike lock|suitcase|building|entry)(?:'s)?(?: (?:code|combo|combination|pin|password))(?:'s| is| to)?\b[^.!?\n]{0,16}\d|\b(?:combo|combination) (?:to|for|of|is)\b[^.!?\n]{0,30}\d|\b(?:security|secret|recovery) (?:answer|question)|\b(?:recovery|seed) (?:phrase|words)|\bbackup codes?\b"
)
"""What opens a lock or an account: the clause that tells it is not kept."""


def _unsaid(spoken: str, written: str) -> str:
    """Return what is left when a message's own jokes, refusals and secret codes are out."""
    spans = list(unsaid.spans(spoken, written))
    if _CODE_WORD.search(spoken):
        spans += [found.span() for found in _CODE_DIGITS.finditer(spoken)]
    for found in _LOCK.finditer(spoken):
        spans += [(one.start, one.end) for one in split(spoken) if one.start < found.end() and found.start() < one.end]
    return blank(spoken, spans) if spans else spoken


# --- fillers ------------------------------------------------------------------------------------------------------

_FILLER_ZH: Final = re.compile(
    rf"{lexicon.CS}(?:(?:嗯+|啊+|哦+|噢|喔|额|呃|诶|欸|哎呀?|唉|哈喽|嗨|喂|那个?(?=我|就|[,\s])|对了|其实|仲有|同埋|就是(?=我|[,\s])|然后|还有|另外|而且|但是?(?=我|[,\s])|不过(?=我|[,\s])|"
    r"因为|由于|所以|话说|反正|总之|顺便(?:[说讲提](?:一?[下句声嘴]|个事)|一提)?|补充(?:一下|一句)?|说起来|你好啊?|您好|(?:客服|亲爱的|亲)(?=[,\s!~])|大家好|哈+(?=我[^是])|好吧|好的|"
    r"(?:医生|大夫)(?:说|告诉我|诊断)(?=我)|请问一下|请你?|麻烦(?:你|您)?|帮(?:我|忙)(?=记|留意|备注)|(?:请|帮我|你|您|要|一定|务必|给我)*(?:记住|记得|记一下|记下来?|记低|备注一下|留意)(?:一下|了|啦|哦|下)?|"
    r"以后(?=我))[\s,:!]*)+"
)  # fmt: skip
_FILLER_EN: Final = re.compile(
    rf"{lexicon.CS_EN}(?:(?:btw|by the way|so|well|and|but|also|oh|ok(?:ay)?|(?:hi+|hello|hey+|hiya|heya|howdy|yo|g\'day|good (?:morning|afternoon|evening)|(?:morning|afternoon|evening)(?=[\s,!.]*(?:i\b|i\'m|im|it\'?s|[a-z]+ here|this is|my\b|all\b|team\b)))(?: there| all| team| guys| again)?|yeah|(?:yes|yep|no|nope)(?=\s*[,.!])|actually|anyway|plus|fyi|thanks|thank you|sorry|(?<![\u4e00-\u9fff])ah|um|uh|hmm|right|sure|because|since|just so you know|for the record|"
    r"(?:please |pls |can you |could you |just |do )*(?:remember|note|keep in mind|bear in mind|don't forget)(?: that)?|please|pls|now|honestly|personally|lol|lmao+|lmfao|rofl|omg|ffs|smh|bruh|ngl|haha|wait|see|look|anyways|i think|i guess|i suppose|i believe|maybe|perhaps|probably)"
    r"(?![a-zà-ÿ0-9_'-])[\s,:!]*)+"
)  # fmt: skip


def _spaces(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _without_fillers(folded: str) -> str:
    return _FILLER_EN.sub(_spaces, _FILLER_ZH.sub(_spaces, folded))


def view(
    message: Message,
    *,
    in_role: bool = False,
    payload: bool = False,
    text: str | None = None,
    seqs: tuple[int, ...] = (),
) -> View:
    """Return a message ready for matching.

    ``in_role``: role-play began earlier. ``payload``: the message is the text that was announced to be worked on.
    ``text`` and ``seqs`` replace the message's own where a question and its answer are read as one statement.
    """
    written = message.content if text is None else text
    heard = _blanked(fold(written), in_role=in_role, payload=payload)
    spoken = _unsaid(heard, written)
    folded = _without_fillers(spoken)
    return View(message, written, folded, flag(folded, split(folded), spoken), seqs or (message.seq,), heard)


def without(view: View, spans: Sequence[tuple[int, int]]) -> View:
    """Return a view in which these stretches say nothing any more."""
    if not spans:
        return view
    folded = blank(view.folded, spans)
    return replace(view, folded=folded, clauses=flag(folded, split(folded), blank(view.heard, spans)))
