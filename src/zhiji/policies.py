"""What each memory type means: one table of types and one of attributes. A host adds a type by adding one entry.

Weights and half-lives: article T3.3/T4.5 for the formula, the project's contract for the values; retention: articles
S9.1 and T6. Everything else (scoring, recall, injection, upkeep, commands) reads these tables and branches on no type.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from zhiji.errors import InvalidKey

Level = Literal["semantic", "episodic"]
Block = Literal["profile", "background"]

PROFILE_MAX_CHARS = 64
"""Longest value that may enter the profile block of the system message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypePolicy:
    """How one memory type is weighted, aged, kept and injected."""

    name: str
    label_zh: str
    label_en: str
    weight: float
    """Type weight in [0, 1]; the type term is ``weight × importance / 5``."""
    half_life_days: float | None
    """Days until the decay term is 0.5; None never decays."""
    retention_days: float | None
    """Days a memory of importance ≥ 3 is kept without use; None: until superseded."""
    level: Level = "semantic"
    listed: bool = True
    """False: kept for search only, not shown as a memory (episodes)."""


TYPES: dict[str, TypePolicy] = {
    policy.name: policy
    for policy in (
        TypePolicy(name="identity", label_zh="身份", label_en="identity", weight=1.0, half_life_days=None, retention_days=365),
        TypePolicy(name="preference", label_zh="偏好", label_en="preference", weight=0.9, half_life_days=None, retention_days=365),
        TypePolicy(name="order", label_zh="订单", label_en="order", weight=0.9, half_life_days=30, retention_days=180),
        TypePolicy(name="shipment", label_zh="物流", label_en="shipment", weight=0.9, half_life_days=30, retention_days=180),
        TypePolicy(name="after_sale", label_zh="售后", label_en="after-sale", weight=0.9, half_life_days=30, retention_days=180),
        TypePolicy(name="task", label_zh="任务", label_en="task", weight=0.8, half_life_days=7, retention_days=180),
        TypePolicy(name="conclusion", label_zh="结论", label_en="conclusion", weight=0.7, half_life_days=30, retention_days=180),
        TypePolicy(name="reflection", label_zh="归纳", label_en="reflection", weight=0.7, half_life_days=90, retention_days=180),
        TypePolicy(
            name="event", label_zh="事件", label_en="event", weight=0.6, half_life_days=30, retention_days=180, level="episodic"
        ),
        TypePolicy(
            name="summary", label_zh="摘要", label_en="summary", weight=0.5, half_life_days=30, retention_days=30, level="episodic"
        ),
        TypePolicy(
            name="episode", label_zh="原话", label_en="said", weight=0.3, half_life_days=None, retention_days=30,
            level="episodic", listed=False,
        ),
    )
}  # fmt: skip
"""Every memory type by name."""

LOW_IMPORTANCE_DAYS = 30
"""Retention of anything with importance ≤ 2 (article S9.1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """A keyed fact with a fixed meaning. Single-valued: a new value supersedes the old one."""

    key: str
    """Full key, or a prefix ending in ``.`` for a family (``identity:pet.``)."""
    label_zh: str
    label_en: str
    profile: bool = False
    """Enters the profile block, if its value is short enough."""
    single: bool = True
    """False: values under one key accumulate."""
    cues: tuple[str, ...] = ()
    """Words of questions that ask for it; indexed with the memory, so that "您贵姓" finds the name."""


ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute(key="identity:name", label_zh="姓名", label_en="name", profile=True,
              cues=("名字", "姓名", "贵姓", "怎么称呼", "叫什么", "我是谁", "name", "who am i", "called")),
    Attribute(key="identity:call_me", label_zh="称呼", label_en="form of address", profile=True,
              cues=("怎么称呼", "称呼", "叫我", "call me", "address me")),
    Attribute(key="identity:gender", label_zh="性别", label_en="gender", profile=True, cues=("性别", "gender")),
    Attribute(key="identity:age", label_zh="年龄", label_en="age", profile=True, cues=("几岁", "多大", "年龄", "age", "old")),
    Attribute(key="identity:birthday", label_zh="生日", label_en="birthday", profile=True,
              cues=("生日", "哪天生", "birthday", "born")),
    Attribute(key="identity:phone", label_zh="电话", label_en="phone",
              cues=("电话", "手机", "号码", "联系方式", "phone", "number", "contact")),
    Attribute(key="identity:email", label_zh="邮箱", label_en="email", cues=("邮箱", "邮件", "email", "mail", "contact")),
    Attribute(key="identity:address.default", label_zh="默认地址", label_en="default address",
              cues=("收货地址", "寄到哪", "地址", "address", "deliver")),
    Attribute(key="identity:address.", label_zh="地址", label_en="address", cues=("地址", "address")),
    Attribute(key="identity:city", label_zh="居住地", label_en="home", profile=True,
              cues=("住哪", "哪里人", "城市", "住在", "where", "live", "city")),
    Attribute(key="identity:hometown", label_zh="家乡", label_en="hometown", profile=True,
              cues=("老家", "家乡", "哪里人", "hometown", "from")),
    Attribute(key="identity:job", label_zh="职业", label_en="job", profile=True,
              cues=("职业", "工作", "做什么", "生意", "干什么的", "job", "work", "profession", "living")),
    Attribute(key="identity:employer", label_zh="单位", label_en="employer", profile=True,
              cues=("公司", "单位", "company", "employer", "work")),
    Attribute(key="identity:school", label_zh="学校", label_en="school", profile=True,
              cues=("学校", "专业", "school", "university", "study")),
    Attribute(key="identity:marital", label_zh="婚姻", label_en="marital status", cues=("结婚", "单身", "married", "single")),
    Attribute(key="identity:allergy.", label_zh="过敏", label_en="allergy", profile=True,
              cues=("过敏", "忌口", "能吃", "allergy", "allergic", "eat")),
    Attribute(key="identity:relative.", label_zh="家人", label_en="relative",
              cues=("家人", "家里", "family", "relative")),
    Attribute(key="identity:pet.", label_zh="宠物", label_en="pet", cues=("宠物", "pet")),
    Attribute(key="preference:reply_style", label_zh="回答风格", label_en="reply style", profile=True,
              cues=("回答", "风格", "style", "reply")),
    Attribute(key="preference:language", label_zh="语言", label_en="language", profile=True, cues=("语言", "language")),
    Attribute(key="preference:units", label_zh="单位", label_en="units", profile=True, cues=("单位", "units")),
    Attribute(key="preference:diet", label_zh="饮食", label_en="diet", profile=True,
              cues=("饮食", "吃素", "忌口", "口味", "diet", "eat", "food")),
    Attribute(key="preference:contact", label_zh="联系方式偏好", label_en="contact preference", profile=True,
              cues=("联系", "打电话", "短信", "contact", "call", "text")),
)  # fmt: skip
"""Every attribute with a fixed key. Other keys (``order:…``) are single-valued business keys."""

_EXACT = {attribute.key: attribute for attribute in ATTRIBUTES if not attribute.key.endswith(".")}
_FAMILIES = tuple(attribute for attribute in ATTRIBUTES if attribute.key.endswith("."))


def policy(type: str) -> TypePolicy:
    """Return the policy of a memory type.

    Raises:
        InvalidKey: no such type.
    """
    found = TYPES.get(type)
    if found is None:
        raise InvalidKey(f"unknown memory type; use one of {', '.join(listed_types())}")
    return found


def listed_types() -> list[str]:
    """Return the types that are shown as memories, in table order."""
    return [name for name, entry in TYPES.items() if entry.listed]


def attribute(key: str | None) -> Attribute | None:
    """Return the attribute that a key stands for, or None for business keys and keyless facts."""
    if key is None:
        return None
    return _EXACT.get(key) or next((family for family in _FAMILIES if key.startswith(family.key)), None)


def attribute_types() -> frozenset[str]:
    """Return the memory types that have attributes."""
    return frozenset(entry.key.partition(":")[0] for entry in ATTRIBUTES)


def place(key: str | None) -> int:
    """Return where an attribute stands in the table; keys that are none come last."""
    found = attribute(key)
    return ATTRIBUTES.index(found) if found else len(ATTRIBUTES)


def is_single_valued(key: str | None) -> bool:
    """Return whether at most one active memory may have this key. Keys that are not attributes are business keys: yes."""
    found = attribute(key)
    return key is not None and (found is None or found.single)


def in_profile(key: str | None, value: object) -> bool:
    """Return whether a memory belongs into the profile block: a closed attribute with a short value."""
    found = attribute(key)
    return bool(found and found.profile and isinstance(value, str) and 0 < len(value) <= PROFILE_MAX_CHARS)


def cues(keys: Iterable[str | None]) -> list[str]:
    """Return the question words of these keys, in order, without repeats."""
    found = (attribute(key) for key in keys)
    return list(dict.fromkeys(cue for entry in found if entry for cue in entry.cues))
