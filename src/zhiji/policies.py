"""What each memory type means: one table of types and one of attributes. A host adds a type by one entry in ``memory_types``.

Weights and half-lives: article T3.3/T4.5 for the formula, the project's contract for the values; retention: articles
S9.1 and T6. Everything else (scoring, recall, injection, upkeep, commands) reads these tables and branches on no type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from zhiji.config import MemoryType
from zhiji.errors import ConfigError, InvalidKey

Level = Literal["semantic", "episodic"]

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
    """Days a memory of importance ≥ 3 is kept without use; None: whatever becomes of it, it is kept."""
    history_days: float = 180
    """Days one that was superseded is kept as history."""
    by_use: bool = True
    """False: its days count from when it was said, however often it is recalled."""
    archives: bool = True
    """False: deleted at its deadline, without a time in the archive."""
    reflected: bool = True
    """Several about one topic become a reflection."""
    derived: bool = False
    """Written from other memories, which it links to, and falls with them."""
    level: Level = "semantic"
    listed: bool = True
    """False: kept for search only, not shown as a memory (episodes)."""
    linked: bool = False
    """Its rows are linked with those that name the same order, shipment or ticket (``links``)."""
    about_zh: str = ""
    about_en: str = ""
    """What belongs into it, for prompts."""
    personal: bool = False
    """True: with ``active_memory``, the user is asked before something important of it is kept."""
    numbered: bool = False
    """True: its memories may have a business key, ``<type>:<number>``."""
    words: tuple[str, ...] = ()
    """Words for a thing of this type that a user has one of: "my <word> is …" states it, and questions ask for it so."""


TYPES: dict[str, TypePolicy] = {
    policy.name: policy
    for policy in (
        TypePolicy(name="identity", label_zh="身份", label_en="identity", weight=1.0, half_life_days=None, retention_days=365, history_days=365, personal=True,
                   about_zh="用户是谁：姓名、住处、工作、家人、健康", about_en="who the user is: name, home, work, family, health"),
        TypePolicy(name="preference", label_zh="偏好", label_en="preference", weight=0.9, half_life_days=None, retention_days=365, history_days=365, personal=True,
                   about_zh="长期的喜好、习惯，以及希望怎样回答", about_en="lasting tastes and habits, and how answers should be"),
        TypePolicy(name="order", label_zh="订单", label_en="order", weight=0.9, half_life_days=30, retention_days=180, numbered=True, linked=True,
                   about_zh="订单和用户对它的诉求", about_en="an order and what the user wants of it"),
        TypePolicy(name="shipment", label_zh="物流", label_en="shipment", weight=0.9, half_life_days=30, retention_days=180, numbered=True, linked=True,
                   about_zh="快递单和它的去向", about_en="a parcel and where it goes"),
        TypePolicy(name="after_sale", label_zh="售后", label_en="after-sale", weight=0.9, half_life_days=30, retention_days=180, numbered=True, linked=True,
                   about_zh="退换货、维修、投诉", about_en="a return, an exchange, a repair, a complaint"),
        TypePolicy(name="task", label_zh="任务", label_en="task", weight=0.8, half_life_days=7, retention_days=180,
                   about_zh="用户打算做或要求做的事，带日期", about_en="what the user plans or asks to be done, with its date"),
        TypePolicy(name="conclusion", label_zh="结论", label_en="conclusion", weight=0.7, half_life_days=30, retention_days=180,
                   about_zh="助手或工具给出的结论、承诺的金额和期限", about_en="what the assistant or a tool found or promised: amounts, deadlines"),
        TypePolicy(name="reflection", label_zh="归纳", label_en="reflection", weight=0.7, half_life_days=90, retention_days=180,
                   history_days=30, reflected=False, derived=True),
        TypePolicy(name="event", label_zh="事件", label_en="event", weight=0.6, half_life_days=30, retention_days=180, level="episodic",
                   about_zh="用户经历的事", about_en="what happened to the user"),
        TypePolicy(
            name="summary", label_zh="摘要", label_en="summary", weight=0.5, half_life_days=30, retention_days=30, level="episodic",
            by_use=False, reflected=False,
        ),
        TypePolicy(
            name="episode", label_zh="原话", label_en="said", weight=0.3, half_life_days=None, retention_days=30,
            level="episodic", listed=False, by_use=False, archives=False, reflected=False,
        ),
    )
}  # fmt: skip
"""Every memory type by name."""

UNDECLARED = TypePolicy(
    name="", label_zh="", label_en="", weight=0.5, half_life_days=30, retention_days=None, listed=False
)
"""Of a stored type that is in no table, because the setting that declared it is gone: its memories are kept, and listed."""
_OURS = frozenset(TYPES)

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


def declare(types: Mapping[str, MemoryType]) -> None:
    """The memory types of a host are types like ours from now on, in this process. Declaring them again changes nothing.

    Raises:
        ConfigError: a name is one of ours, or was declared otherwise in this process.
    """
    wanted = {name: _declared(name, entry) for name, entry in types.items()}
    for name, entry in wanted.items():
        if name in _OURS:
            raise ConfigError(f"memory_types: {name} is a type of zhiji's own; give yours another name")
        if TYPES.get(name, entry) != entry:
            raise ConfigError(f"memory_types: {name} was declared otherwise in this process; use one declaration")
    TYPES.update(wanted)


def _declared(name: str, entry: MemoryType) -> TypePolicy:
    return TypePolicy(
        name=name,
        label_zh=entry.label_zh or entry.label_en or name,
        label_en=entry.label_en or name,
        weight=entry.weight,
        half_life_days=entry.half_life_days,
        retention_days=entry.retention_days,
        about_zh=entry.about,
        about_en=entry.about,
        personal=entry.personal,
        numbered=True,
        words=entry.words,
    )


def kind(type: str) -> TypePolicy:
    """Return the policy of a stored memory's type; ``UNDECLARED`` if it is in no table any more."""
    return TYPES.get(type, UNDECLARED)


def worded() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the types that have words of their own, with these, in table order."""
    return tuple((name, entry.words) for name, entry in TYPES.items() if entry.words)


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


def linked_types() -> list[str]:
    """Return the types whose rows are linked by the numbers that they name, in table order."""
    return [name for name, entry in TYPES.items() if entry.linked]


def unlisted_types() -> frozenset[str]:
    """Return the types that are kept for search only; a stored type that nobody declares any more is none of them."""
    return frozenset(name for name, entry in TYPES.items() if not entry.listed)


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


def words(type: str) -> tuple[str, ...]:
    """Return the words that questions ask for memories of this type by, whatever their keys."""
    return kind(type).words
