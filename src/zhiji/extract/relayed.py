"""What the user undertakes in a message that they have written for them: 帮我回他一句 周四前给, "tell my boss …" in Chinese.

A request to write counts as somebody else's text for every other reader (``guards``). Only this is the user's own in it: that
they will do something by a day, said to somebody they have to do with. A text without an addressee, fiction and exercises are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from zhiji.extract import dates, lexicon, unsaid
from zhiji.extract.facts import Found, found_at
from zhiji.extract.fold import fold, is_traditional
from zhiji.extract.injections import is_injection
from zhiji.extract.view import Clause, View, split
from zhiji.types import Draft

_WHOM: Final = (
    rf"(?:(?:我们?的?)?(?:[一-鿿]{{2}}(?=教练|老师|经理|主管|医生|同事))?(?:{lexicon.KIN_ZH}|老板|领导|上司|主管|组长|经理|导师|老师|教授|客户|甲方|房东|中介|同事|编辑|物业|对方|供应商|面试官|hr|班主任|教练|室友|群里|大家|师兄|师姐|同学|朋友)|"
    r"[一-鿿](?:总|经理|老师|哥|姐|工|主任|律师|医生|教授|导)|[他她佢]们?)"
)
_RELAYS: Final = re.compile(
    rf"(?:帮|替|给)我?(?:给|跟|同|和|向)?{_WHOM}?(?:回复?|答复?|写|发|拟|编|告诉|通知|转告|起草|讲|说)(?:给|了)?{_WHOM}?(?:说|讲)?(?:一?[句个条封份声段]|一下|几句)?(?:话|微信|消息|短信|信息|邮件|信|email)?(?:给|跟|同|发)?(?P<whom>{_WHOM})?|"
    rf"(?:^|[\s,。!?;])(?:那|请|麻烦|你|就)*(?:跟|同|和|告诉|回复?|通知|转告)(?P<told>{_WHOM})(?:说|讲|回)?(?:一?[句声下])?"
)
_FICTION: Final = re.compile(
    r"故事|小说|作文|诗|歌|剧|主角|男主|女主|段子|笑话|台词|角色|扮演|例句|造句|翻译|英文|英语|文案|广告|祝福|贺卡|模板|范文|假如|如果|要是"
)
_ACTS: Final = re.compile(
    r"[交给发弄搬还做改修出付去来寄送签到办补看谈结]|完成|搞定|回复|提交|上线|安排|处理|见面|开会|过去|回去"
)
_OF_THEM: Final = re.compile(r"你|您|问|能不能|可不可以|[吗么]$|让|叫[他她]|请[他她]|[他她](?:要|得|能|会)")
"""What is asked of the other, not undertaken."""
_BARE: Final = re.compile(
    r"[\s,。!?:;我会就能再可以肯定一定保证应该尽量准时按之前后内下上午晚中早班底末\d点号日前交给发弄做到他她过去您你]|之前"
)
"""What names no thing that is to be done."""
_DUE: Final = re.compile(r"催|要(?!是)|问|等|欠|约|追|盯|让我|叫我|喊我")
MAX_CHARS: Final = 80


def find(view: View, found: Sequence[Found]) -> Iterator[Found]:
    """Yield what the user will do by a day, according to a message that they ask for."""
    folded = fold(view.text)
    asked = _RELAYS.search(folded)
    if asked is None or not re.search(_WHOM, asked.group()) or _FICTION.search(folded) or is_injection(view.text):
        return
    if not view.heard[asked.start() : asked.end()].strip("\n ,。!?"):  # role-play, or a text to work on
        return
    if unsaid.JOKE.search(folded) or unsaid.refuses(folded) or len(folded) > 4 * MAX_CHARS:
        return
    clauses = split(folded)
    for when in dates.find(folded, view.message.time, toward="ahead"):
        clause = next(one for one in reversed(clauses) if one.start <= when.start)
        start = max(clause.start, asked.end())
        told = folded[start : clause.end]
        if when.start < asked.end() or "?" in clause.mark or clause.end - start > MAX_CHARS:
            continue
        if any(one.draft.type == "task" and one.start < clause.end and one.end > start for one in found):
            continue
        if _OF_THEM.search(told):
            continue
        if when.end_day >= view.message.time.date() and _ACTS.search(told):
            yield _task(view, folded, clauses, replace(clause, start=start), when, before=asked.start())
            return


def _task(
    view: View, folded: str, clauses: Sequence[Clause], clause: Clause, when: dates.When, *, before: int
) -> Found:
    words = view.text[clause.start : clause.end].strip(" ,，:：")
    named = folded[clause.start : when.start] + folded[when.end : clause.end]
    if len(_BARE.sub("", named)) < MIN_NAMED_CHARS:
        earlier = [one for one in clauses if one.end <= clause.start and one.start < before]
        about = next((one for one in reversed(earlier) if _DUE.search(folded, one.start, one.end)), None)
        words = f"{view.text[about.start : about.end].strip()}，{words}" if about else words
    user = "用戶" if is_traditional(words) else "用户"
    content = f"{user}：{words}（{when}）"
    draft = Draft(
        type="task", content=content, value=str(when), importance=4, confidence=0.8, seqs=view.seqs, lang="zh"
    )
    return found_at(view, (clause.start, clause.end), draft)


MIN_NAMED_CHARS: Final = 2
"""Fewer characters beside the day name no matter: what it is about stands before the request."""
