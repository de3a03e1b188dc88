"""What the shape of a text shows to be nobody's statement: code, logs, data, quotations, titles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_FENCE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.S)
_CODE_LINE: Final = re.compile(
    r"^[ \t>]*(?:"
    r"\[?\d{4}[-/]\d\d[-/]\d\d[t ]\d\d:\d\d[^\n]*(?:info|warn|error|debug|trace|fatal|\[|=|:)|"
    r"\[?(?:info|warn(?:ing)?|error|debug|trace|fatal|critical)\]?[\s:|]|traceback |file \"|at [\w$.]+\(|"
    r"caused by:|exception in|\w+(?:error|exception):|"
    r"(?:def|class|import|from|const|let|var|function|return|public|private|static|#include|package|using|fn|func|struct)\b"
    r"(?=[^\n]*(?:[;{]\s*$|\s=\s|=>|\w\(\)|\w\([^()\n]*\)\s*[:;{]?\s*$)|\s[\w.]+\s+import\s|\s\w+(?:\.\w+)*;?$(?=\n))|"
    r"(?:select|insert|update|delete|create|drop|alter)\b[^\n]*\b(?:from|into|set|table|values)\b|"
    r"</?[a-z!][^>\n]*>|[{}\[\]();]+\s*,?\s*$|[\[{]\s*[\"'{\[]|[\"']?\w+[\"']?\s*:\s*[\"'\[{\d][^\n]*,?\s*$(?=\n)|"
    r"[a-z_][\w.\[\]\"']*\s*(?:=|:=|\+=|=>)\s*(?![a-z&' ]{2,24} (?:for|to) me\b|[a-z ]{0,16}(?:hives|rash|itch|swell|swollen|a&e|ambulance|epipen|migraine|cramps))\S|\$\s?\w+|>>>|\w+\(.*\)\s*;?\s*$|//|/\*|\*/|#!|--\s"
    r")[^\n]*$",
    re.M,
)
_PAIR: Final = re.compile(r"(?<![\w?&/])[a-z_][\w.]*=[^\s,;&]+")
_SETTINGS: Final = re.compile(
    r"\b(?:ya?ml|config|toml|ini|env|schema|csv|json)\b[^\n]{0,20}\n(?:[ \t-]*[\w.]+[ \t]*[:=,][^\n]*(?:\n|$)|[ \t]*-[^\n]*(?:\n|$))+"
)
"""What follows the name of a format, line by line."""
_CHAT: Final = re.compile(r"\b\d\d?:\d\d(?::\d\d)?\]?\s+<?[a-z_]\w*>?\s?:[^;\n]*")
_CALL: Final = re.compile(r"\b[a-z_]\w*(?:\.\w+)+\([^()\n]*\)")
_SPEAKER: Final = re.compile(
    r"[\[<](?:user|bot|assistant|human|ai|client|server|agent|system|用户|机器人|助手|客服)[\]>][^\[<\n]*"
)
"""A line of a chat log."""
_ANNOTATION: Final = re.compile(r"\[[^\[\]\n]{16,}\]")
_JSON: Final = re.compile(r"[\[{]\s*[\"{\[][^\n]*?[\"}\]]\s*[\]}]+|\{\s*\"[^{}]*\}", re.S)
_ASSIGNMENT: Final = re.compile(r"\b[a-z_][\w.]*\s*(?:=|==|:=)\s*(?:\"[^\"\n]*\"|'[^'\n]*'|\[[^\]\n]*\]|\{[^}\n]*\})")
_QUOTE: Final = re.compile(r"\"[^\"\n]{2,400}\"|(?<![\w一-鿿])'[^'\n]{12,400}'(?!\w)")
_TITLE: Final = re.compile(r"《[^》\n]+》")
TITLE_FILL: Final = "▯"
"""Stands for the characters of a title: a clause goes on over it, and no pattern reads what it says."""


def spans(folded: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches of code, logs and data."""
    if "`" in folded:
        yield from (found.span() for found in _FENCE.finditer(folded))
    if any(mark in folded for mark in '={}<>[]();:"'):
        for pattern in (_SETTINGS, _CHAT, _CALL, _SPEAKER, _ANNOTATION, _JSON, _CODE_LINE, _ASSIGNMENT, _PAIR):
            yield from (found.span() for found in pattern.finditer(folded))


def titles(folded: str) -> Iterator[tuple[int, int]]:
    """Yield the titles of works."""
    return (found.span() for found in _TITLE.finditer(folded))


def quotations(folded: str) -> Iterator[tuple[int, int]]:
    """Yield what stands in quotation marks and is more than a name."""
    return (found.span() for found in _QUOTE.finditer(folded) if _is_statement(found.group()))


def _is_statement(quoted: str) -> bool:
    """Return whether a quotation is more than a name."""
    inner = quoted.strip("\"'")
    return len(inner) > 8 or (" " in inner and len(inner.split()) > 2) or "我" in inner
