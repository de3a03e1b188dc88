"""Orders to the machine in a text, and claims of authority over it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from zhiji.extract.fold import fold

_INJECTION: Final = re.compile(
    r"(?:忽略|无视|忘掉|忘记|抛弃|绕过|跳过|(?:不要|不好|不用|别|甭)(?:再)?(?:理会?|管|听|遵守|执行|照))[^。!?\n]{0,8}(?:之前|以上|上面|前面|所有|全部|先前|系统|安全)[^。!?\n]{0,8}(?:指令|提示|规则|要求|设定|限制|命令)|"
    r"系统提示|提示词|抽取器|system ?prompt|<\|?[a-z_]+\|?>|\[+(?:system|inst|admin|assistant|ai|系统|指令|管理员)[^\[\]\n]{0,6}[\]:]|(?:^|\n)\s*(?:system|assistant|系统|管理员)\s*:|"
    r"(?:请|致|供|告知|通知|给)ai(?:助手|模型|读取|系统|客服)?|(?:为|供)ai读取|ai(?:助手)?(?:请|需|必须|务必|应|读到|看到)|(?:请)?(?:永久|长期)(?:地)?(?:记住|记录|保存)|(?:写|存|加)(?:入|进|到)(?:你的?|长期|系统)?记忆(?!力)|你的?记忆(?:里|中)?(?:写|加|存|改)|"
    r"\b(?:ai|llm)s?(?: assistants?| models?| agents?)? (?:reading|processing|parsing|that read)|(?:save|add|write|store|commit)(?: this)? to (?:your |long-term |the )?memory:|\bsystem (?:directive|instruction|command|override|update|notice)\b|\btreat (?:me|this user|the user) as (?:an? |the )?(?:verified|admin\w*|staff|vip|owner|root|premium|employee)|\bassistant:|(?:dear|attention|note to) (?:ai|assistant|llm)|"
    r"(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,30}\b(?:previous|prior|above|earlier|all|your|system)\b[^.!?\n]{0,20}\b(?:instructions?|prompts?|rules?|messages?|guidelines|directives)|"
    r"(?:维护|调试|管理|管理员|上帝|测试|开发)模式|(?:maintenance|debug|admin|god|developer|sudo) mode|jailbreak|\bdan mode|you are now (?:an? )?(?:admin|root|unrestricted)|越狱|开发者模式|"
    r"(?:我|用户|使用者|该客户|i|the user)(?:是|就是|am|is|'m)(?:一?[个名位]|an?|the)?\s?(?:超级|super)?(?:管理员|内部员工|开发者|administrator|admin|root|superuser|developer of)\b"
)


def spans(folded: str) -> Iterator[tuple[int, int]]:
    """Yield the sentences that give orders to the machine."""
    for found in _INJECTION.finditer(folded):
        start = max(folded.rfind(mark, 0, found.start()) for mark in "。!?\n") + 1
        ends = [at for mark in "。!?\n" if (at := folded.find(mark, found.end())) >= 0]
        yield start, min(ends, default=len(folded))


def is_injection(text: str) -> bool:
    """Return whether a text gives orders to the machine or claims authority over it."""
    return bool(_INJECTION.search(fold(text)))
