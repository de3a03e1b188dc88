"""A same-length view of a text for matching: patterns see one spelling, values are cut from the original by offset.

Full width becomes half width, A–Z lower case, curly quotes straight, traditional characters simplified, and Cantonese
function words their Mandarin counterparts (係 → 是, 唔 → 不).
"""

from __future__ import annotations

from typing import Final

from zhiji import hanzi

_ALSO: Final = "覆复甚什"
"""Characters that only some texts simplify."""
_CANTONESE: Final = "係是唔不嘅的冇没喺在佢他咗了啲些嚟来㗎的哋们咁这嗰那俾给畀给睇看搵找攞拿邊边"
_PUNCTUATION: Final = {
    **dict(zip("，！？；：（）～’‘“”「」『』【】、", ',!?;:()~\'\'""""""[]、', strict=True)),
    **dict.fromkeys("\u3000\u00a0\t\r\u200b\u200d\ufe0f", " "),
    **dict.fromkeys((chr(code) for code in (*range(0x2600, 0x27C0), *range(0x1F300, 0x1FB00))), ","),
}
"""Emoji end a clause like a comma."""
_WIDE: Final = {chr(code): chr(code - 0xFEE0).lower() for code in range(0xFF01, 0xFF5F)}
_LOWER: Final = {chr(code): chr(code + 32) for code in range(ord("A"), ord("Z") + 1)}


def _pairs(text: str) -> dict[str, str]:
    return dict(zip(text[::2], text[1::2], strict=True))


_TABLE: Final = hanzi.TO_SIMPLIFIED | str.maketrans(
    _WIDE | _LOWER | _PUNCTUATION | {"￥": "¥"} | _pairs(_ALSO) | _pairs(_CANTONESE)
)
_SCRIPT: Final = frozenset(hanzi.TRADITIONAL)
_PLAIN: Final = frozenset(hanzi.SIMPLIFIED) - _SCRIPT
_FRAME: Final = str.maketrans(
    _pairs(
        "户戶订訂单單货貨换換号號电電话話称稱过過对對欢歡爱愛邮郵诺諾运運岁歲业業学學记記养養个個务務时時职職员員发發补補偿償请請买買问問题題语語说說后後还還"
    )
)


def fold(text: str) -> str:
    """Return ``text`` as the patterns see it; offsets stay the same."""
    return text.translate(_TABLE)


def is_traditional(text: str) -> bool:
    """Return whether a text is written in traditional characters."""
    return sum((char in _SCRIPT) - (char in _PLAIN) for char in text) > 0


def traditional(frame: str) -> str:
    """Return one of our own simplified sentence frames in traditional characters."""
    return frame.translate(_FRAME)
