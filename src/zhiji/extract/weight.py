"""How important a model's fact is at least: what a user cannot be asked for again matters, however the model grades it.

Order numbers, addresses, phones, promised amounts and deadlines (article S5.2). Everything else is the model's to grade.
"""

from __future__ import annotations

import re
from typing import Final

from zhiji import text
from zhiji.extract import contacts, guards
from zhiji.extract.answers import Fact
from zhiji.extract.facts import Lang
from zhiji.extract.fold import fold
from zhiji.identifiers import identifiers
from zhiji.quantities import mark
from zhiji.types import Message, Trust

BUSINESS: Final = frozenset({"order", "shipment", "after_sale"})
"""Types whose facts all matter."""
_KEYS: Final = ("identity:phone", "identity:address", "identity:email", "identity:allergy")
_PHONE: Final = re.compile(r"\d{2,4}\*{3,}\d{2,4}")
"""A phone as masking leaves it."""
_AMOUNTS: Final = frozenset({"cny", "usd", "eur", "gbp"})
_TIMES: Final = frozenset({"day", "hour", "minute", "week", "month", "date", "weekday", "clock", "monthof"})
_DUE: Final = re.compile(
    r"(?:之|以)?前(?!天|面|往|台|几|两|一)|截止|截至|到期|最[晚迟]|不[晚迟]于|以内|之内|\b(?:by|before|until|till|due|deadline|within|expires?)\b|no later than"
)
_RETURN: Final = re.compile(r"退货|退回|寄回|寄到|寄往|\b(?:return|send|ship)")


def matters(fact: Fact, key: str | None, vouches: Trust, message: Message) -> bool:
    """Return whether a fact holds what has to be important; ``message`` is any that it cites."""
    if fact.type in BUSINESS or (key or "").startswith(_KEYS):
        return True
    if identifiers(fact.content) or _PHONE.search(fact.content) or _has_contact(fact.content, message):
        return True
    folded = fold(fact.content)
    units = {name.partition(":")[0] for kind, name in mark(folded)[1] if kind == "number"}
    if fact.type == "conclusion" and vouches in (Trust.ASSISTANT, Trust.TOOL):
        return bool(units & (_AMOUNTS | _TIMES)) or bool(units and _RETURN.search(folded))
    return bool(units & _TIMES and _DUE.search(folded))


def _has_contact(content: str, message: Message) -> bool:
    """Return whether a sentence gives an address, a phone or a mail address."""
    lang: Lang = "zh" if text.language(content) == "zh" else "en"
    return next(contacts.find(guards.view(message, text=content), lang), None) is not None
