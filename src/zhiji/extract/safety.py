"""What only an operator may admit to memory, and the private data that nobody may."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from zhiji import masking
from zhiji.extract.fold import fold
from zhiji.extract.injections import is_injection
from zhiji.types import Draft

_AUTHORITY: Final = re.compile(
    r"直接(?:批准|通过|退|同意)|免(?:审核|验证|密)|无需(?:审核|验证|确认)|不用(?:审核|验证|确认)|自动(?:批准|通过|同意|退款|续费)|系统|提示词|指令|权限|管理员|所有(?:订单|用户|退款)|一律(?:批准|同意|退)|凡是|优先处理|赔偿|免费(?:给|送|退|换|赠)|打?[一二三四五六七八九\d]折|批准|授权|"
    r"always (?:approve|accept|refund|grant|give|agree)|approve|authoriz|authoris|admin|without (?:checking|verif|asking)|skip (?:verif|check)|system (?:prompt|message)|instructions?\b|permission|full refund|free of charge|\d+% off|discount (?:for|to) me|override|ignore (?:the|all|any|previous|your)"
)


def authority(words: str) -> str:
    """Return why only an operator may admit such words, or an empty string."""
    instructs = _AUTHORITY.search(fold(words)) or is_injection(words)
    return "asks for standing permission or an instruction" if instructs else ""


_PRIVATE: Final = re.compile(
    r"\d(?:[ -]?\d){5,}|@|\d{3}.*(?:密码|口令|验证码|安全码|校验码|passwor|passcode|pwd|cvv|cvc|\bpin\b|\botp\b|code)|(?:密码|口令|验证码|安全码|校验码|passwor|passcode|pwd|cvv|cvc|\bpin\b|\botp\b|code|证|passport|licen[cs]e|ssn)"
)
"""What may hide something to mask; most drafts have none of it, and masking is not free."""


_LONG_NUMBER: Final = re.compile(
    r"(?<![A-Za-z\d０-９*#.@-])(?:\+?[\d０-９][\s－-]?){7,}[\d０-９](?![A-Za-z\d])|(?<=\bexp )\d\d/\d\d"
)
"""Of a number as long as a phone's, a card's or an account's only the end is kept, unless it is a date."""
_DATED: Final = re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d")
_BUSINESS: Final = frozenset({"order", "shipment", "after_sale", "conclusion"})
_HIDDEN: Final = "****"


def _shortened(found: re.Match[str]) -> str:
    digits = re.sub(r"\D", "", fold(found.group()))
    return found.group() if _DATED.match(found.group()) else _HIDDEN + digits[-4:] if len(digits) > 4 else _HIDDEN


def safe(draft: Draft) -> Draft | None:
    """Return the draft without private data, or None if nothing but a secret's label is left of it."""
    private = _PRIVATE.search(fold(f"{draft.content} {draft.value or ''}"))
    content, value = (
        (masking.mask(draft.content), masking.mask_value(draft.value)) if private else (draft.content, draft.value)
    )
    if private and draft.type not in _BUSINESS:
        content = _LONG_NUMBER.sub(_shortened, content)
        value = _LONG_NUMBER.sub(_shortened, value) if isinstance(value, str) else value
    bare = re.sub(
        r"\[(?:密码|安全码|验证码|证件号|银行卡号|密钥|password|CVV|code|id number|card number|key)\]",
        "",
        str(value or content),
    )
    if not re.search(r"\w", bare):
        return None
    return replace(draft, content=content, value=value)
