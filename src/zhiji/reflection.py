"""Which memories are about one thing, and the sentence that says so: the rules of reflection. Pure; ``reflect`` carries it out.

A reflection is one memory of a derived type written from several that share one topic: an order or ticket number, a person,
a thing that the ``lexicon`` knows, or a word. It links to its sources, they link to it, and it falls when one of them does.
One topic a reflection, so that chains of sentences that are alike in pairs never grow into a record about everything; a
memory is in one at most; what is reflected stays until enough new has come.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from typing import Literal

from zhiji import masking, policies, text
from zhiji.errors import InvalidKey
from zhiji.relation import lexicon
from zhiji.relation.claims import LABELS
from zhiji.relation.reading import read, simplify
from zhiji.revision import united_sources
from zhiji.types import Memory, Status, Trust

TYPE = "reflection"
REASON = "its sources changed"
"""Why a reflection is withdrawn."""
LISTING = 0.7
"""Share of their words that most members have in common from which on they are a list, and no matter for a reflection: "likes
green tea, likes black tea". But the same wish again and again is a habit."""
MAX_MEMBERS = 100
"""Memories of one reflection; further ones of its topic stay by themselves."""
MAX_CHARS = 600
"""Of a template: it repeats the newest sources first, as many as fit."""

_Topic = tuple[int, str]
"""How telling a topic is, 0 first, and its name."""
_IDENTIFIER, _PERSON, _WISH, _KNOWN, _WORD = range(5)
_KINDS: Mapping[str, int] = {"person": _PERSON, "topic": _KNOWN, "remedy": _WISH, "word": _WORD}
"""Kinds of words that can be a topic. Places, times, amounts, states and predicates are what topics have in common."""
_COMMON = """
reply address deadline project meeting continuously often usually maybe improve transfer must different good many soon almost
sorry unlucky extreme property unlimited irresistible confiscate sink others particularly kind gender future daily color blue
green red black white yellow
"""
_IDLE = LABELS | frozenset(_COMMON.split())
"""Concepts of the lexicon that memories about different things share."""
_MIN_CHARS = 3
"""Of an unknown Latin word that is a topic; a Chinese one has two characters at least."""
_HAN = re.compile(r"[\u3400-\u9fff]{2,}")
_MAX_HAN = 6

_ENGLISH = """
able about after again ago all almost alone along also always another any anyone anything around ask away back bad because
become before best better between big bit both bring busy came can care catch check choose close come comfortable cool could
daily day different difficult done down during each early easy else end enough even evening ever every everyone everything
example expensive fast favorite favourite feel few find fine finish first five found four free fresh friday from full fun gave
get give given going gone good got great group grow had half hand happy hard has have help here high hour how however huge
idea important improve instead interest january february march april june july august september october november december
just keep kept kind know known last late later learn least leave less let like little long look lot love made main make many
maybe mean meet mind minute moment monday month more morning most much must name nearly need never new next nice night nothing
now number off offer often old once one only open other out over own part pay people perfect person pick place play please
point popular prefer pretty probably problem put quick quiet quite ready real really reason recent recommend regular remember
right run same saturday saw second see seem set seven several shall share should show simple since six slow small some someone
something sometimes soon special spend start stay still such sunday sure take talk team ten than thank thing think third
thought three through thursday time today together told tomorrow tonight too took top toward tried try tuesday turn twice two
type under until upon use used usual usually various wait walk want was way wednesday week weekday weekend weekly well went
were what when where while whole will wish with without wonderful work would year yearly yes yesterday yet young
"""
_GENERIC = frozenset(_ENGLISH.split())
"""English words that no memory is about; compared as they stand and without their endings."""
_CHINESE = """
周末 每天 每周 每月 每年 每个 每次 早上 早晨 上午 中午 下午 晚上 夜里 今天 明天 昨天 后天 前天 今年 去年 明年 星期 礼拜 周一 周二 周三 周四 周五
周六 周日 时候 时间 有时 经常 常常 通常 一般 总是 偶尔 平时 一个 一次 一起 一下 一直 一些 一点 几个 几次 两个 两次 三个 许多 很多 不少 大部分 全部
这个 那个 这些 那些 这里 那里 非常 特别 比较 觉得 认为 感觉 因为 所以 如果 虽然 但是 而且 或者 可以 能够 应该 需要 必须 自己 大家 别人 东西 事情
事儿 地方 问题 情况 原因 方面 方式 办法 样子 开始 结束 完成 继续 第一 第二 小时 分钟 公里 之后 之前 以后 以前 最近 目前 现在 将来 回家 出门 起床
睡觉 打算 准备 决定 知道 了解 发现 看到 听说 找到 得到 使用 进行 提供 选择 新的 旧的 最好 更好 比如 例如 其他 另外 左右 以上 以下 附近 旁边 里面
"""
_IDLE_CHARS = text.STOP_CHARS | frozenset("第每次很最太只又再已想跟同将曾常才刚正所以但因如果其各某几两")
_GENERIC_HAN = tuple(_CHINESE.split())
"""Chinese words that no memory is about."""


# --- topics -----------------------------------------------------------------------------------------------------------


def topics(memory: Memory) -> frozenset[_Topic]:
    """Return what a memory may be said to be about."""
    return _topics(memory.content, memory.key)


@lru_cache(maxsize=4096)
def _topics(content: str, key: str | None) -> frozenset[_Topic]:
    named = f"{content} {key or ''}" if policies.attribute(key) is None else content
    found: set[_Topic] = {(_IDENTIFIER, one.id) for one in text.identifiers(named) if one.labelled}
    for word in read(content).words:
        rank, name = _KINDS.get(word.kind), word.name.removeprefix("person:")
        if rank is None or name in _IDLE:
            continue
        if rank == _WORD and name in _known_words():
            found.add((_PERSON if name != word.name else _KNOWN, name))
        elif rank < _WORD:
            found.add((rank, name))
        else:
            found.update((_WORD, each) for each in _pieces(name))
    return frozenset(found)


@cache
def _known_words() -> frozenset[str]:
    """Return the concepts of things and people in the lexicon, by name."""
    rows = (row for kind in ("word", "person") for row in lexicon.TABLE[kind])
    return frozenset(name for name, _ in rows)


def _pieces(name: str) -> Iterator[str]:
    """Yield the parts of an unknown word that may be its topic: all of a Latin one, each run of characters of a Chinese one."""
    if not _HAN.fullmatch(name):
        if len(name) >= _MIN_CHARS and name.isalpha() and name not in _generic():
            yield name
        return
    for size in range(2, min(len(name), _MAX_HAN) + 1):
        for at in range(len(name) - size + 1):
            piece = name[at : at + size]
            if _IDLE_CHARS.isdisjoint(piece) and not any(word in piece for word in _GENERIC_HAN):
                yield piece


@cache
def _generic() -> frozenset[str]:
    return _GENERIC | {word.name for each in _GENERIC for word in read(each).words}


# --- groups -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Memories about one topic that are to become one reflection."""

    key: str
    """Business key of the reflection: one active at a time."""
    label: str
    """The topic, in the words of the newest member that says it."""
    members: tuple[Memory, ...]
    """Oldest first."""
    replaces: Memory | None = None
    """The reflection on this topic that it carries on."""

    @property
    def ids(self) -> frozenset[str]:
        """Ids of the members: what the sentence was written from."""
        return frozenset(memory.id for memory in self.members)


def due(facts: Iterable[Memory], held: Iterable[Memory], *, least: int) -> list[Group]:
    """Return the groups of at least ``least`` related memories that no reflection holds yet, the most telling topic first.

    ``facts``: active memories; ``held``: present reflections, active or archived. A topic that has a reflection waits until
    as many new ones have come, and carries it on. The same facts in any order give the same groups; what follows from them,
    given back as ``held``, gives none.
    """
    if least < 1:
        return []
    known = {memory.id: memory for memory in facts if policies.kind(memory.type).reflected}
    standing = {memory.key: memory for memory in held if memory.key}
    free = known.keys() - {link for memory in standing.values() for link in memory.links}
    free -= {link for memory in held for link in memory.links}
    everywhere: dict[_Topic, set[str]] = defaultdict(set)
    for id_, memory in known.items():
        for topic in topics(memory):
            everywhere[topic].add(id_)
    about = {topic: ids & free for topic, ids in everywhere.items() if len(ids & free) >= least}
    groups: list[Group] = []
    while about:
        topic = min(about, key=lambda one: (one[0], -len(about[one]), -len(one[1]), one[1]))
        ids = about.pop(topic)
        ids -= _bridges(topic, ids, everywhere, least)
        key = _key(topic[1]) if len(ids) >= least else None
        if key is None:
            continue
        former = standing.get(key)
        is_full = former is not None and len(former.links) >= MAX_MEMBERS
        if not is_full and not (topic[0] >= _KNOWN and _is_list([known[id_] for id_ in ids])):
            groups.append(_group(topic, key, ids, known, former))
        for others in about.values():
            others -= ids
    return groups


def _bridges(topic: _Topic, ids: Collection[str], everywhere: Mapping[_Topic, set[str]], least: int) -> set[str]:
    """Return those of the memories that are about another thing as well, of which others speak by itself.

    They would join what has nothing in common. Counted over all memories, so that it stays so once some are reflected.
    """
    enough = max(least - 1, 2)
    rivals = (
        others
        for rival, others in everywhere.items()
        if rival != topic and len(others) >= enough and len(others - everywhere[topic]) >= enough
    )
    return set(ids) & set().union(*rivals)


def _is_list(members: Sequence[Memory]) -> bool:
    """Return whether memories say the same of one thing after the other."""
    said = [set(text.query_terms(memory.content)) for memory in members]
    counts = Counter(term for terms in said for term in terms)
    common = {term for term, count in counts.items() if 2 * count > len(said)}
    return sum(len(terms & common) / max(len(terms), 1) for terms in said) >= LISTING * len(said)


def _group(topic: _Topic, key: str, ids: Collection[str], known: Mapping[str, Memory], former: Memory | None) -> Group:
    kept = [known[link] for link in former.links if link in known] if former else []
    members = sorted(
        {*ids, *(memory.id for memory in kept)}, key=lambda id_: (known[id_].valid_from, known[id_].content, id_)
    )
    chosen = [known[id_] for id_ in members[-MAX_MEMBERS:]]
    return Group(key=key, label=_label(topic, chosen), members=tuple(chosen), replaces=former)


def _key(name: str) -> str | None:
    """Return the key of a topic, or None if it may not be kept."""
    try:
        key = text.business_key(TYPE, name)
    except InvalidKey:
        return None
    return key if masking.mask(key) == key else None


def _label(topic: _Topic, members: Sequence[Memory]) -> str:
    """Return a topic as the newest member writes it."""
    spellings = sorted(_spellings().get(topic[1], (topic[1],)), key=len, reverse=True)
    written: list[str] = []
    for memory in reversed(members):
        plain = simplify(memory.content)
        for spelling in spellings:
            at = plain.find(spelling)
            if at >= 0:
                found = memory.content[at : at + len(spelling)] if len(plain) == len(memory.content) else spelling
                if at or not spelling.isascii():
                    return found
                written.append(found)  # a capital that begins a sentence is no name
    return written[0] if written else topic[1]


@cache
def _spellings() -> Mapping[str, tuple[str, ...]]:
    """Return the spellings of each concept that can be a topic."""
    rows = (row for kind in _KINDS for row in lexicon.TABLE[kind])
    return {name: tuple(one.replace("_", " ") for one in spellings) for name, spellings in rows}


# --- the memory -------------------------------------------------------------------------------------------------------


def language(group: Group) -> text.Language:
    """Return the language that most of the members are in, of two the newest's."""
    spoken = [said for memory in reversed(group.members) if (said := text.language(memory.content))]
    return Counter(spoken).most_common(1)[0][0] if spoken else ""


def template(group: Group) -> str:
    """Return the sentence of a group without a model, in the users' language: what is known, word for word."""
    said = list(dict.fromkeys(memory.content.rstrip(" 。.；;") for memory in reversed(group.members)))
    is_chinese = language(group) == "zh"
    comma, count = "；" if is_chinese else "; ", len(group.members)
    head = (
        f"关于“{group.label}”已知 {count} 件事："
        if is_chinese
        else f"About “{group.label}”, {count} things are known: "
    )
    kept = [said[0]]
    for each in said[1:]:
        if len(head) + len(comma.join([*kept, each])) > MAX_CHARS:
            kept.append("……" if is_chinese else "…")
            break
        kept.append(each)
    return head + comma.join(kept) + ("。" if is_chinese else ".")


def opened(group: Group, content: str, *, id: str, now: datetime) -> Memory:
    """Return the new reflection: linked to its members, with all their sources, no surer than the least sure of them."""
    return Memory(
        id=id,
        type=TYPE,
        key=group.key,
        content=content,
        importance=max(memory.importance for memory in group.members),
        confidence=min(memory.confidence for memory in group.members),
        trust=Trust.MODEL,
        sources=united_sources([source for memory in group.members for source in memory.sources], []),
        lang=language(group),
        valid_from=max(memory.valid_from for memory in group.members),
        links=tuple(memory.id for memory in group.members),
        created_at=now,
        updated_at=now,
    )


# --- its end ----------------------------------------------------------------------------------------------------------

End = Literal["delete", "withdraw"]


def end(memory: Memory, *, deleted: Collection[str], closed: Collection[str]) -> End | None:
    """Return what becomes of a memory when others end: ``deleted`` for good, or ``closed``: superseded, archived, in quarantine.

    What was derived from deleted ones goes with them whatever its status, so that nothing of them is left.
    """
    if not policies.kind(memory.type).derived:
        return None
    if not set(memory.links).isdisjoint(deleted):
        return "delete"
    stands = memory.status in (Status.ACTIVE, Status.ARCHIVED)
    return "withdraw" if stands and not set(memory.links).isdisjoint(closed) else None
