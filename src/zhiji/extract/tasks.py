"""Things with a date: plans, appointments and deadlines (tasks), what happened on a day (events), and reminders without one.

The sentence keeps its words and gets the absolute date beside them. A day without a year is the next one where the words look
ahead ("expires 30 Sept"), and a weekday the last one where they look back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time
from typing import Final

from zhiji.extract import dates, lexicon
from zhiji.extract.facts import Found, found_at, retell
from zhiji.extract.fold import fold, is_traditional
from zhiji.extract.lexicon import surname
from zhiji.extract.view import Clause, Flag, View
from zhiji.types import Draft

_ACTS_ZH: Final = re.compile(
    r"要|ddl|deadline|死线|得(?!多|很)|去|交|考|面试|面签|出差|开会|有会|碰|拔牙|洗牙|补牙|牙医|生日|结婚|搬家|体检|复查|复诊|产检|手术|续费|还款|到期|过期|截止|截稿|年检|保养|验车|出发|动身|启程|飞|旅[行游]|答辩|开题|结题|上课|开课|参加|约|看(?:医生|牙|病|房|展|演出|比赛)|打(?:疫苗|针|算)|疫苗|驱虫|"
    r"取|接|送|拍|办|入职|离职|辞职|报到|回家|回老家|回来|返(?!现|修|工)|婚礼|聚会|比赛|演出|演唱会|音乐会|讲座|培训|马拉松|露营|爬山|钓鱼|打球|开学|毕业|预约|到货|聚餐|吃饭|请客|请假|半天假|休假|放假回|上班|值班|加班|轮班|团建|搬|装修|交房|收房|过户|签约|签合同|开庭|生孩子|预产期|临产|出院|住院|"
    r"有[个场节]|有(?=[a-z])|家长[日会]|运动会|汇演|开放日|(?:想|打算|准备)(?:行|爬|跑|走|学|试|整|考|煮|烤|种|办|搞|拍)|有(?:课|会|约|事|安排|面试|考试|活动|比赛|饭局)|大寿|寿宴|满月|周岁|周年|纪念日|忌日|开业|开工|竣工|上线|发布|聚|见|请|陪|带|提醒|喊我|叫我|盯着|交稿|报名|汇报|述职|见客户|转(?!了)|还(?=钱|房|车|信用|花呗|贷|书|给)|缴|付|买|寄|递交|提交|完成|搞定|赶|走(?!路)|结束|开始|启用|到(?=\s*$|北京|上海|[一-鿿]{1,4}(?:出差|开会|玩|旅游))|(?<![医学先考女男师民花一])生(?:娃|宝宝|孩子)?\s*$|婚|目标|计划|准备|安排|换(?=证|驾照|护照|电池|滤芯)|补办|注销|复工|军训|夏令营|家长会"
)
_PAST_ZH: Final = re.compile(
    r"提了|离的|拍的|订的|定的|下的?单|买的?|买了|收到|签收|退的?|寄的?|寄了|到的|换的|拿到|结婚|搬|入职|领证|订婚|离婚|升职|开业|提车|毕业|手术|生了|生的|去了|去过|去的|回来|来的|摔|住院|出院|确诊|查出|打了|做了|做的|办的|开始|换了|辞职|离职|发的货|付的?款|付了|考(?:完|过|了|的)|参加了|认识|分手|装修完|交了|退休|戒|怀|流产|骨折|扭"
)
_VISITOR_EN: Final = r"(?:boiler|gas|bt|sky|broadband|mortgage|insurance|window|fridge|oven|tv|meter|bed|sofa|carpet|roof|piano|washing machine) (?:man|guy|bloke|lady|woman|person|people|engineer|fitter)"
_ACTS_EN: Final = re.compile(
    rf"\b(?:{_VISITOR_EN}|"
    r"^remember (?!when|how|that (?:time|day)|the (?:time|day))|i'?ll (?:go|come|pick|collect|be there|do|get|take|bring|drop)|gonna|book(?:ing)? (?:a|an|the|us|me)|reserve|due|deadline|train|coach|school|back to|appointment|appt|meeting|interview|exam|test|flight|fly|flying|\d{1,2}(?:st|nd|rd|th)(?= (?:on|is|next|this))|bday|hen do|stag do|christening|trip|travel|wedding|birthday|surgery|operation|dentist|doctor|gp|vet|checkup|check-up|scan|visit|moving|moves|moved to|move|party|conference|presentation|class|lesson|course|concert|gig|race|marathon|rent|bill|mot|renew|renewal|renewing|expires?|expiring|runs? out|is up|ends?|ending|starts?|starting|start|submit|draft|thesis|dissertation|essay|assignment|viva|pick up|collect|drop off|leave for|leaving|going to|goes to|heading|hand in|pay|finish|meet|have to|has to|need|needs|gotta|got to|must|wants?|scheduled|booked|reservation|dinner|lunch|anniversary|vacation|holiday|remind|call|defen[cs]e|graduat\w*|inspection|installation|installed|lands?|landing|arriv\w+|comes?|coming|cleaning|filling|baby|twins|due date|married|funeral|recital|match|game|tournament|festival|camping|retreat|training|shift|on call|off work|day off|launch|opens?|review|audit|payment|subscription|trial|contract|lease|visa|passport|licen[cs]e|insurance|tax|release|performing|speaking|hosting|running|doing|taking|having|seeing|visiting|staying|switching|quitting|retiring|travelling|traveling|hiking|vaccin\w+|jab|shots?)\b"
)
_PAST_EN: Final = re.compile(
    r"\b(?:ordered|bought|purchased|received|arrived|got|returned|shipped|mailed|sent|had (?:surgery|an? |my )|started|moved|married|graduated|broke|visited|went|finished|quit|adopted|paid|cancelled|canceled|joined|signed|turned|passed|failed|ran|completed|lost|retired|diagnosed|born|met|left|switched|sold|injured|sprained|fractured)\b"
)
_NOT_MINE: Final = re.compile(
    r"(?<!我)[说讲](?=[明后今下这周]|天气)|见[啦吧哦~]?$|再见|聊[啦吧]?$|\bsee (?:you|ya|u)\b|\bcya\b|(?:talk|speak|chat|catch up)\b.{0,12}(?:tomorrow|soon|later|week)|天气|下雨|下雪|降温|气温|股市|比赛几点|放假(?!回)|吗|呢$|快乐|祝|weather|\brain|\bsnow|forecast|stock market|have an? (?:great|good|nice|lovely|wonderful)|happy (?:birthday|friday|monday|new year|holidays)|good luck|\bhope you\b|\benjoy your\b|\blet's\b|\bcan't wait\b|looking forward"
)
_NOT: Final = Flag.QUESTION | Flag.HYPOTHETICAL | Flag.REPORTED
_TO_MACHINE: Final = re.compile(
    r"^\s*(?:\d+ (?:nights?|people|persons?|adults?)|starting|leaving (?:on|at|from|after|around|by|\d|the|next|this|tomorrow|"
    + dates.EN_WEEKDAY
    + r")|book (?:it|one|that)|book (?:me|us|a|an)\b(?!.*\b\d{1,2}(?:st|nd|rd|th)\b)|(?:can|could) you(?! remind| nag)|that sounds|find me|show me|.*\b(?:\d+|two|three|four|five|six|seven|eight|one) (?:people|persons?|nights?|guests|adults|tickets|seats)\b|.*\b(?:reference number|confirmation number|reservation for|arrive by|leave after|(?:need|want|like) (?:it|that|them) (?:for|on|from|booked|to)|trains?(?: that)? (?:from|to|leaving|leaves|for|out|on))\b|(?:yes,? |yeah,? |ok,? |and )?i(?:'d| would) (?:also )?like to (?:leave|travel|arrive|stay|depart|book|go)|i (?:also )?(?:want|need) to (?:leave|travel|arrive|stay|depart|book)|i(?:'ll| will| am|'m)(?: be)? (?:leaving|departing|travell?ing) (?:from|on|after|at)\b|my destination|search|look (?:up|for)|i(?:'m| am) looking for|i(?:'d| would) like (?:to|a|an) (?:book|find|reserve|get|see|know|make|go to a|rent|buy)|i (?:want|need) (?:to (?:book|find|reserve|make|search|rent|buy|get)|a|an) (?:\w+ )*?(?:ticket|flight|hotel|room|table|restaurant|bus|train|car|reservation|appointment|taxi|cab)|"
    r"(?:叫我|喊我)(?!起)|.{0,12}找一?[家个间款]|.*(?:评分|票价|人均消费)|帮我(?:查|看|找|搜|订|预订|定|买|推荐|列|写|算|想)|(?:请|麻烦)?(?:给我)?(?:推荐|查一?[下查]|搜|订一?[张个]|预订)|告诉我|我?想(?:找|查|问|知道|订|吃|看看|去一?家)|有没有|tell me|what|which|how|any\b)"
)
"""A request to the machine, which states no plan."""
_REMIND: Final = re.compile(
    r"提醒我|提我|(?:叫|喊)我(?=起|去|交|带|吃|打|拿|取|还|买|换)|盯着我|别让我忘|记得(?:叫|喊|提醒)我|(?:设|定|加|建)(?:置|定)?(?:一?[个条])?(?:提醒|闹钟|日程|待办)|(?:记|加|添)(?:到|进|入)?(?:一?[个条])?(?:日程|日历|待办|行程)|记(?:个|一个)(?:会|事|日程|待办)|"
    r"(?:^|please |pls |plz |you |u |and |also |just |to |then |or |so |[,.!?;] ?)remind me\b(?! (?:how|what|why|who|where|which|of)\b)|\bnag me\b|don'?t let me forget|\bset (?:up )?(?:a |an )?(?:reminder|alarm)\b|\b(?:put|add)\b.{2,60}\b(?:calendar|diary|schedule|to-?do)\b|\b(?:need|want|give me|send me|add|make) (?:a |an )?reminder\b"
)
_REMINDER_FRAME: Final = re.compile(
    r"提醒我|提我|叫我|喊我|盯着我|别让我忘|记得|帮我|记(?:个|一个)(?:会|事|日程|待办)|(?:设|定|加|建)(?:置|定)?(?:一?[个条])?(?:提醒|闹钟|日程|待办)|\b(?:can|could) (?:you|u)\b|\b(?:please|pls)\b|\b(?:remind|nag|let) me\b|\bforget\b|\b(?:set|put|add|up|a|an|on|in|the|my|to|for)\b|\b(?:reminder|alarm|calendar|diary|schedule)\b"
)
_OCCASION: Final = re.compile(
    r"国庆|中秋|春节|过年|元旦|五一|十一(?!月|点|个|岁|号|年|块|楼|层)|清明|端午|除夕|年三十|大年|圣诞|暑假|寒假|七夕|双十一|元宵|重阳|(?<![\d一二两三四五六七八九十几多半今明去前后数百千万])年[前后](?!的|那)|"
    r"\b(?:over|at|for|on|during|this|next) (?:christmas|xmas|easter|thanksgiving|new year'?s?(?: eve)?|halloween|diwali|eid|ramadan|half[- ]term|spring break|the summer|the holidays)\b"
)
"""A time of the year that everybody knows, whose date changes."""
_AHEAD: Final = re.compile(
    r"到期|过期|截止|截稿|之前|以前(?!的)|[号日\d]前|得(?=抽|去|交|把|赶|换|办|还|续)|要|打算|计划|准备|考(?!了|完|过)|换证|续|预产|下[次回]|办酒|大寿|结婚(?!了|的)|出发|飞|面试|答辩|生日|请.{0,2}假|机票|提醒|开学|毕业(?!了|的)|"
    r"\b(?:due|by|before|until|until|til|till|expires?|expiring|expired|renew\w*|runs? out|ends?|must|have to|need|gotta|got to|going|gonna|will|'ll|flying|moving|leaving|starting|starts?|exam|viva|deadline|interview|remind|appointment|wedding|marathon|next|plan\w*|submit|hand in|twins|baby|running my|want|should|is on|is in|coming|booked|scheduled|race|conference|trip|test|surgery|appointment|dentist)\b"
)
_BEHIND: Final = re.compile(
    r"[了过]$|了(?=[^一下])|(?:买|办|结婚|毕业|生|来|去|做|考|搬|到|下单|入职|领证|开始|拍|订|下|寄|退|换|签收|拿|领|修|装|到货|离)的|刚|去年|上次|当时|那年|自从|以来|\b(?:was|were|did|had|went|been|since|ago|last|got|bought|ordered|married|turned|back in|moved|started|quit|graduated|born)\b"
)


def find(view: View, found: Sequence[Found]) -> Iterator[Found]:
    """Yield the dated tasks and events of a user message that no other rule has read, and reminders without a date."""
    dated: list[Clause] = []
    for when in dates.find(view.folded, view.message.time):
        clause = view.clause(when.start)
        if clause.end - clause.start > LONGEST_CHARS:
            continue
        if clause not in dated and (one := _read(view, clause, _meant(view, clause, when), found)):
            dated.append(clause)
            yield one
    undated = _REMIND.search(view.folded) or _OCCASION.search(view.folded)
    for clause in view.clauses if undated else ():
        if clause not in dated and not clause.flags & (Flag.HYPOTHETICAL | Flag.REPORTED):
            yield from _reminder(view, clause, found)


def _meant(view: View, clause: Clause, when: dates.When) -> dates.When:
    """Return the date: the next one if its clause looks ahead, the last one if it looks back, where its words leave that open."""
    words = view.folded[clause.start : clause.end]
    ahead, back = _AHEAD.search(words), _BEHIND.search(words)
    if bool(ahead) == bool(back):
        return when
    other = dates.find(view.folded, view.message.time, toward="ahead" if ahead else "back")
    return next((one for one in other if one.start == when.start), when)


def _read(view: View, clause: Clause, when: dates.When, found: Sequence[Found]) -> Found | None:
    """Return the task or the event that a dated clause tells of the user, or None."""
    clause = _whole(view, clause, when, found)
    words = view.words(clause)
    folded, lang = fold(words), "zh" if re.search("[一-鿿]", words) else "en"
    reminds = bool(_REMIND.search(folded))
    asks = clause.flags & (_NOT & ~Flag.QUESTION if reminds else _NOT)
    if asks or _covered(clause, when, found) or len(words) > MAX_CHARS:
        return None
    if _NOT_MINE.search(_ASKS_BESIDE.sub("", folded)) or (_TO_MACHINE.search(folded) and not reminds):
        return None
    past = when.end_day < view.message.time.date()
    if not reminds and not _is_mine(view, clause, when, folded, lang, past):
        return None
    patterns = (_PAST_ZH, _PAST_EN) if past else (_ACTS_ZH, _ACTS_EN)
    rest = view.folded[clause.start : when.start] + " " + view.folded[when.end : clause.end]
    if Flag.ONCE in clause.flags and not (when.clock or reminds or past or _TODAY.search(folded)):
        return None
    appointed = when.clock and not past
    acts = any(pattern.search(rest) for pattern in patterns) or (
        not past and ((lang == "en" and bool(_EVENT_EN.search(folded))) or _is_ordered(view, clause))
    )
    if not (appointed or reminds or acts) or not re.search(r"\w{2}|[一-鿿]", rest):
        return None
    if lang == "en" and not past:
        clause = _prepared(view, clause, found)
    return _dated(view, clause, when, view.words(clause), lang, past)


_PREPARES: Final = re.compile(
    r"(?:(?:and|but|so|then|also|still|i|we|i'?ll|i'?ve|just|first|pls|please|which means)\s)*(?:(?:need|gotta|got to|have to|has to|must|mustn'?t|should|better|remember|remind me|nag me|don'?t (?:forget|let)|bring(?:ing)?|take|wear|no (?:food|eating|drink\w*)|fast\b|nil by mouth|check in|print|pack|pick up|sort|dig out|find|charge|iron|prep\w*|collect)\b)(?![^,.!?]*\b(?:help|advice|ideas?|tips|recs?|recommendations?|suggestions?|inspo|recipes?)\b)(?! (?:to know|you|some(?:where|thing)|an? (?:gift|present|plan|outfit|hotel|good|quick|cheap)))"
)


def _prepared(view: View, clause: Clause, found: Sequence[Found]) -> Clause:
    """Return a dated clause with those after it that say what has to be done before."""
    for one in view.clauses:
        if one.start < clause.end or one.sentence != clause.sentence:
            continue
        folded = view.folded[one.start : one.end].strip()
        read = any(other.start < one.end and other.end > one.start for other in found)
        if one.flags & _NOT or read or not _PREPARES.match(folded) or one.end - clause.start > MAX_CHARS:
            break
        clause = replace(clause, end=one.end)
    return clause


_ASKS_BESIDE: Final = re.compile(
    r"\s(?:顺便|先|再|帮我?|请|麻烦)*\s?(?:check|search|查|看|睇|搜)[^,]{0,6}(?:天气|weather|forecast)$"
)
"""A request for the weather that goes with a plan."""
_TODAY: Final = re.compile(
    r"面试|考试|手术|到期|截止|开会|航班|飞(?!快)|答辩|体检|复查|交(?=稿|房租|作业|报告)|结婚|入职|生日|纪念日|\b(?:due|deadline|interview|exam|surgery|flight|flying|appointment|presentation|birthday|anniversary|expires?|wedding|defen[cs]e|first day)\b"
)
"""What of today is more than a mood or an errand."""


def _whole(view: View, clause: Clause, when: dates.When, found: Sequence[Found]) -> Clause:
    """Return a clause that is nothing but a date with the one before it, which says what is then."""
    rest = view.folded[clause.start : when.start] + view.folded[when.end : clause.end]
    before = [one for one in view.clauses if one.end <= clause.start and one.sentence == clause.sentence]
    if re.search(r"[a-z]{3}|[一-鿿]{2}", _BARE_ACT.sub("", rest)) or not before:
        return clause
    read = any(one.start < before[-1].end and one.end > before[-1].start for one in found)
    return clause if read else replace(clause, start=before[-1].start, flags=clause.flags | before[-1].flags)


_BARE_ACT: Final = re.compile(
    r"出发|动身|启程|起飞|回来|回去|过去|去|走|飞|到|就|要|在|是|我们?|那天|\b(?:leaving|leave|flying|fly|going|go|back|there|departing|setting off|on|i|i'm|we|we're|it's|its|that's|the)\b"
)
"""An act that says nothing without its place."""
MAX_CHARS: Final = 140
"""Longer clauses are no plan but a story."""
LONGEST_CHARS: Final = 2 * MAX_CHARS
"""Not even looked at, fillers included: a flood of dates would cost seconds."""


def _reminder(view: View, clause: Clause, found: Sequence[Found]) -> Iterator[Found]:
    """Yield what a clause asks to be reminded of without a day, or plans for an occasion."""
    words = view.words(clause)
    folded = fold(words)
    asks, occasion = _REMIND.search(folded), _OCCASION.search(folded)
    covered = any(one.start < clause.end and one.end > clause.start for one in found)
    if covered or len(words) > MAX_CHARS:
        return
    if asks is None:
        plain = Flag.QUESTION not in clause.flags and Flag.OTHER not in clause.flags
        acts = _ACTS_ZH.search(_OCCASION.sub("", folded)) or re.match(r"(?:i|i'm|im|we|we're)\b", folded)
        if not (occasion and plain and acts) or _NOT_MINE.search(folded) or _TO_MACHINE.search(folded):
            return
    elif not re.search(r"[一-鿿]{3}|[a-z]{3}.*\b[a-z]{2}", _REMINDER_FRAME.sub("", folded)):
        return
    lang = "zh" if re.search("[一-鿿]", words) else "en"
    draft = Draft(
        type="task", content=_told(words, lang), value=words, importance=4, confidence=0.85, seqs=view.seqs, lang=lang
    )
    yield found_at(view, (clause.start, clause.end), draft)


def _is_mine(view: View, clause: Clause, when: dates.When, folded: str, lang: str, past: bool) -> bool:
    """Return whether a dated clause is about the user or their family."""
    if lang == "en":
        if (
            not past
            and _TOLD_EN.search(folded)
            and not re.search(r"\b(?:booked|scheduled|arranged|signed up)\b", folded)
        ):
            return False
        mine = re.search(r"\b(?:my|our|i|i'm|im|i've|i'll|we|we're)\b", folded)
        return (
            Flag.OTHER not in clause.flags
            or bool(mine)
            or bool(_KIN_EN.match(folded))
            or (not past and bool(_EVENT_EN.search(folded)))
        )
    if Flag.OTHER in clause.flags:
        return bool(_KIN.match(folded))
    lead = view.folded[clause.start : when.start].strip()
    if "生日" in folded and re.search(r"[一-鿿]{2,}的?生日", lead) and not _KIN.match(folded):
        return bool(re.search("我", lead))
    named = surname(lead) and len(lead) in (2, 3) and not (_DEADLINE.search(folded) or _THING.match(lead))
    return not named and not re.search(r"的?(?:时间|日期)(?:是|在|为)", folded) and len(lead) <= MAX_LEAD_CHARS


_BIRTHDAY: Final = re.compile(r"生日|忌日|\bbirthday|\bborn\b")
"""Comes every year: a day of the month, and no one date."""
MAX_LEAD_CHARS: Final = 20
_KIN: Final = re.compile(
    rf"(?:我们?家?的?|个(?=[仔女]))[一-鿿]{{0,2}}?(?:{lexicon.KIN_ZH}|仔|女|家姐|大佬|细佬)|(?:老婆|老公|媳妇|儿子|女儿|闺女|爸妈|老爸|老妈|爷爷|奶奶|外婆|姥姥|老大|老二|大宝|二宝)(?!们)"
)
_KIN_EN: Final = re.compile(rf"(?:the |my )?(?:{lexicon.KIN_EN})(?:'?s)?\b")
_THING: Final = re.compile(
    r"护照|驾照|车险|车|房|贷|保险|合同|论文|作业|报告|签证|会员|信用卡|机票|高铁|党|公司|学校|单位|毛孩|全家|胡萝卜"
)
_EVENT_EN: Final = re.compile(
    rf"^(?:the |a |an |my )?{_VISITOR_EN}\b|"
    r"^(?:the |a |an )?(?:\w+ ){0,3}?(?:due|deadline|appointment|meeting|interview|exam|test|flight|wedding|surgery|dentist|inspection|presentation|race|mot|rent|lease|passport|visa|viva|thesis|draft|plumber|electrician|engineer|delivery|reservation|contract|conference|recital|funeral|party|checkup)\b"
)
_TOLD_EN: Final = re.compile(
    r"^(?:so |and )?(?:i|we|my \w+)(?: \w+ly)? (?!need)(?:\w+ed|went|had|got|was|were|met|saw|took|made|gave|ran|did)\b"
)
"""Told of the past: "on Friday" is then the last one, and no task."""
_DEADLINE: Final = re.compile(
    r"到期|过期|截止|续费|还款|交(?:租|房租|稿|作业|费)|考试|面试|答辩|会议|体检|婚礼|预产期|航班|机票|火车|疫苗|年检"
)


def _covered(clause: Clause, when: dates.When, found: Sequence[Found]) -> bool:
    return any(one.start <= when.start and one.end >= when.end for one in found) or any(
        one.draft.type == "task" and one.start >= clause.start and one.end <= clause.end for one in found
    )


def _dated(view: View, clause: Clause, when: dates.When, words: str, lang: str, past: bool) -> Found:
    told = _told(words, lang)
    if not past and _is_ordered(view, clause):
        told = (
            f"The user asks: {words}"
            if lang == "en"
            else f"{'用戶' if is_traditional(view.text) else '用户'}要求：{words}"
        )
    if not when.is_relative and _BIRTHDAY.search(fold(words)):
        birthday = Draft(
            type="identity", content=told, value=words, importance=4, confidence=0.9, seqs=view.seqs, lang=lang
        )
        return found_at(view, (clause.start, clause.end), birthday)
    content = f"{told}（{when}）" if lang == "zh" else f"{told} ({when})"
    local = view.message.time.tzinfo or UTC
    draft = Draft(
        type="event" if past else "task",
        content=content,
        value=str(when),
        importance=3 if past else 4,
        confidence=0.6 if Flag.HEDGED in clause.flags else 0.9,
        seqs=view.seqs,
        lang=lang,
        occurred_at=datetime.combine(when.day, time(), tzinfo=local) if past else None,
    )
    return found_at(view, (clause.start, clause.end), draft)


_ORDERED: Final = re.compile(
    r"(?:请|麻烦|劳烦|拜托|务必|在|\d|[明后]天|(?:下?个?)(?:周|星期|礼拜))(?![^,。]{0,16}[我假客])[^,。]*(?:送到|送达|送货|派送|配送|发货|寄[到出]|上门)(?![^,。]*的)|"
    r"(?:(?:please|pls|plz|just|ok|and|so|kindly)[\s,]+)*(?:(?:deliver|ship|dispatch)\b(?! us\b)|(?:send|post) (?:it|them|this|these|(?:my|the) (?:order|parcel|package|goods|items?|replacement))\b)"
)
"""An order to deliver, of which nobody is the subject."""


def _is_ordered(view: View, clause: Clause) -> bool:
    """Return whether a clause orders something to be sent: 请在 7 月 4 日前送到, "deliver it before July 4"."""
    return bool(_ORDERED.match(view.heard[clause.start : clause.end].strip()))


def _told(words: str, lang: str) -> str:
    if lang == "zh" and re.match(r"我[们們](?!家)", words):
        return f"用户：{words}"
    if lang == "zh":
        return retell(words, "zh")
    if re.match(r"(?:i|i'm|im|i've|i'll|i'd|my)\b", fold(words)):
        return retell(words, "en")
    return f"The user: {words}"
