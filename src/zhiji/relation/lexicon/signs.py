"""Signs that a state has turned into the next: over, done, possible now, better. Pure data.

A way leads from one kind of state to what may become of it. Patterns see lower-case text in simplified characters.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from zhiji.relation.lexicon.facts import CLOSED


class Way(NamedTuple):
    """A kind of state, and the signs of what becomes of it."""

    start: re.Pattern[str]
    """What the older sentence must hold."""
    denied: bool | None
    """Whether the older sentence must be a denial; None if either will do."""
    sign: re.Pattern[str]
    """What a clause of the newer sentence must hold."""
    beside: re.Pattern[str]
    """What else says nothing then: without it, the clause tells what was known."""
    bound: frozenset[str]
    """Predicates of which the older sentence may hold none, unless the clause holds them too."""
    ahead: bool = False
    """Whether the older sentence tells of something to come, so that all that is to be done must be told again."""
    is_relief: bool = False
    """Whether the older sentence tells of a trouble, so that the thing it befell is enough."""
    is_end: bool = False
    """Whether the thing itself ends, so that a word on its owner alone will not do."""


STOP = r"[,，。;；!?\n]|\.(?!\d)|\b(?:and|but|so|then)\b|但是?|不过|然后|并且|而且"
"""Where a clause ends."""
BARRED = re.compile(
    r"改(?:为|成|到|在|期)|(?<![不没])(?:打算|想|准备|计划|可能|也许|差点|快要?(?=[\u4e00-\u9fff]+了)|考虑|如果|要是|即将|将要?|希望|应该|考前)"
    r"|\b(?:plan\w*|wants?|hop\w+|might|may|almost|nearly|consider\w*|if|will|would|should|about to|going to|prepar\w*|think\w*|intend\w*|needs?|almost|before|like[sd]? to|ask\w*|prefers?)\b"
)
"""What says that it has not come so far."""

_ANY = re.compile("")
_PRESENT = re.compile(
    r"\A(?![\s\S]*(?:[去来学做用养住吃玩喝练]过|过(?:$|[,，。])|去年|前年|以前|曾经?|\b(?:visited|flew|went|used to|last (?:year|month|week)|ago|previously|in (?:19|20)\d\d)\b))"
)
_HAD = re.compile(r"\A(?![\s\S]*(?:找|(?<![联梦理思感幻])想|打算|计划|准备|\b(?:look(?:s|ing) for|wants?|plan\w*)\b))")
_AHEAD = re.compile(
    r"准备|打算|计划|(?<![联梦理思感幻])想|(?<![主重])要|希望|期待|等(?![级])|正在?|在(?=[跟和与同].{1,8}[谈商办])|(?<![现存实])在(?=[找办装写做修申备谈学考等减追建盖搬卖买改治准练赶])|未|没|尚|待|备考|申请|谂|着手|即将|快要|攒|报了?名|派送|运输|途中|担心|发愁"
    r"|\b(?:plan|prepar|want|hop|wait|look(?:s|ing)? (?:for|forward)|search|about to|going to|need|train|apply|appli|saving|expect|pending|process|on the way|out for|in progress|still"
    r"|will|intend|aim|stress|worr|nervous|trying|not yet|(?:is|are) \w+ing|under|due|considering|upcoming|order|book)"
)
_SOUGHT = re.compile(
    r"找|(?<![联梦理思感幻])想|要|等|没|丢|订|租|寄|扣|派送|配送|运输|申请|排队|途中|缺"
    r"|\b(?:look|search|hunt|want|need|wait|ordered|expect|out for|on (?:the|its|their) way|promis|lost|miss|not|no|without|appl|hop|transit)"
)
_OWED = re.compile(r"欠|贷|债|分期|\b(?:owe|loan|debt|mortgage|installment)")
_TROUBLE = re.compile(
    r"[坏疼痛病差糟漏堵丢卡伤肿痒累烦愁慢咳烧闷吵崩裂碎]|低落|不好|不舒服|压力|焦虑|担心|紧张|骨折|故障|失眠|困难|麻烦|异常|错误|[开打连登用]不[了上开]|无法|住院|隔离|抑郁|难过|睡不|冷战|感冒"
    r"|\b(?:brok|sick|ill\b|pain|hurt|stress|worr|anxious|cold\b|flu\b|fever|lost|stuck|leak|sore|injur|down\b|crash|fail|slow|nois|trouble|problem|issue"
    r"|struggl|insomnia|headache|migraine|hospital|upset|sad\b|depress|homesick|burn|nervous|exhaust|cough|infect|cramp|swollen|fight|argu|quarrel|repair|fractur|sprain)"
)

_OVER = re.compile(
    r"不再|再也不|(?<![看受睡忘])不(?=[^,，。不]{1,10}了$)|没(?:有)?再|停(?:掉|止|用|了)|取消|放弃|辞(?:掉|去|退|了)|退(?:掉|了|出)|戒(?:掉|了)|拆(?:掉|除|了)|解除|离开|注销|撤(?:回|销|了)|断了|删(?:除|掉|了)"
    r"|关(?:掉|闭)|摘(?:掉|下|了)|出院|打消|推掉|告吹|泡汤|剪(?:掉|短)|搬出|搬[走离]|不(?:当|做|干)[^,，。]{0,6}了|卸(?:任|掉)|结束了|销户|停机|解散|解雇|辞退|断奶|拔(?:掉|了)|拆石膏"
    r"|\b(?:no longer|any ?more|any longer|stop(?:s|ped|ping)|quit(?:s|ting)?|g[ai]ven? up|dropped|cancell?ed|called off|ended|finished with|discharged|resigned|deleted|removed|moved out"
    r"|unsubscribed|withdrew|opted out|stepped down|shaved(?: off)?|cut off|let go of|fell through|uninstalled|abandoned|scrapped|ditched|called (?=.{1,30}off$)|disconnected|terminated|closed|disbanded|dissolved|dismissed|fired|evicted|outgrew|detached|retired)\b"
)
_BESIDE_OVER = re.compile(
    r"不再|再也不|(?<![看受睡忘])不(?=[^,，。不]{1,10}了$)|没(?:有)?再|停(?:掉|止|用|了)|取消了?|放弃了?|辞(?:掉|去|退|了)+|退(?:掉|了|出)+|戒(?:掉|了)+|拆(?:掉|除|了)*|解除了?|离开了?|注销了?|撤(?:回|销|了)+|断了|删(?:除|掉|了)+"
    r"|关(?:掉|闭)了?|摘(?:掉|下|了)+|出院了?|打消了?|推掉了?|告吹了?|泡汤了?|剪(?:掉|短)了?|搬出来?了?|搬[走离]了?|从|不(?=[当做干])|卸(?:任|掉|了)+|结束|销户|停机|解散|解雇|辞退|断奶|拔(?:掉|了)+|了$"
    r"|\b(?:no longer|any ?more|any longer|stop(?:s|ped|ping)|quit(?:s|ting)?|g[ai]ven? up(?: on)?|dropped(?: out(?: of)?)?|cancell?ed|called(?: off)?|(?:has |was |been )*ended|finished with|(?:been |was )*discharged|from"
    r"|resigned|deleted|removed|moved out(?: of)?|unsubscribed|withdrew|opted out(?: of)?|stepped down(?: as| from)?|shaved(?: off)?|cut off|let go of|fell through|uninstalled|abandoned|scrapped|ditched|disconnected|terminated|closed|disbanded|dissolved|dismissed|fired|evicted|outgrew|detached|retired|has|have|been|was|now|already|finally|recently|just)\b|\boff$"
)
_PARTED = re.compile(
    r"卖(?:掉|了|出)|送(?:人|走)|扔(?:掉|了)|丢掉|捐(?:掉|出|了)|转(?:让|卖|手)|还(?:给|掉)了?"
    r"|\b(?:sold|got rid of|threw|returned|gave .{0,30}(?:away|back)|donated|given away|traded in)\b"
)
_BESIDE_PARTED = re.compile(
    r"卖(?:掉|了|出)+|送(?:人|走)了?|扔(?:掉|了)+|丢掉了?|捐(?:掉|出|了)+|转(?:让|卖|手)了?|还(?:给|掉)了?"
    r"|\b(?:sold|got rid of|threw|returned|gave|given|away|back|out|donated|traded in|has|have|already)\b"
)
_REPAID = re.compile(r"还(?:清|完|了|掉|给)|结清|\b(?:paid .{0,30}(?:off|back)|repaid|settled)\b")
_BESIDE_REPAID = re.compile(
    r"还(?:清|完|了|掉|给)了?|结清了?|\b(?:paid|off|back|repaid|settled|has|have|finally|already)\b"
)

_DONE = re.compile(
    r"已经?|终于|成功|顺利|完了?|了|签下|考(?:上|过)|(?:批|办)下来|通过|学会|录取|入职|到账"
    r"|\b(?:finally|already|finished|completed|submitted|passed|done|got|received|signed|filed|hired|delivered|installed|launched|published|obtained|achieved|learned|learnt"
    r"|reached|came|granted|approved|landed|adopted|secured|went|ready|took|made|now|held|happened|(?:has|have) (?:been |now |already |finally |just )*\w+(?:ed|en|ne|nt|ght|wn|un|id))\b"
)
_BESIDE_DONE = re.compile(
    r"已经?|终于|成功|顺利|完(?:成)?|了|(?:拿|收|领|等|考|抢)(?:到|上|过|好|妥)|(?:批|办|做|发)下来|[装修办弄做签谈][好妥]|签(?:了|下|好|完)|谈|(?<=[\u4e00-\u9fff])[好妥](?=了)|通过|到手|学会|录取|入职|到账|达成|送到"
    r"|\b(?:has|have|had|been|was|were|finally|already|just|now|successfully|finished|completed?|submitted|passed|done|got|gotten|received|signed(?: for)?|filed|hired|delivered"
    r"|installed|launched|published|obtained|achieved|learned|learnt|reached|came|through|granted|approved|landed|adopted|secured|went|ready|did|took(?: place)?|held|happened|made|back|in$|all|last \w+|this \w+|yesterday|today|well)\b"
)
_FOUND = re.compile(
    r"(?:找|收|拿|领|买|租|送|等|抢|排)到|买了|签收|到货|到了|[找拿取要追]回|\b(?:found|received|got|arrived|delivered|came|bought|here|picked up)\b"
)
_BESIDE_FOUND = re.compile(
    r"(?:找|收|拿|领|买|租|送|等|抢|排)(?:到|回)(?:来)?了?|买了|[拿取要追]回来?了?|签收了?|到货了?|到了|已经?|终于|被|了$|回来"
    r"|\b(?:has|have|been|was|were|finally|already|just|found|received|got|arrived|delivered|came|bought|here|picked up|back|today|yesterday|safely)\b"
)
_BETTER = re.compile(
    r"(?:好|轻|小|少|快|强|缓解|稳定|正常|安静|平静|开朗)(?:得?多|些|一些|一?点|很多|不少|起来)*了|恢复|修(?:好|复)|解决了|和好|没(?:事|问题)了|正常了|退烧|消(?:肿|失)|走出来|找(?:到|回)|(?:治|养|痊)[好愈]|康复|出院|不[疼痛漏堵卡咳烧肿痒累烦吵].{0,2}了"
    r"|\b(?:better|recovered|fixed|repaired|resolved|solved|healed|reliev\w+|fine now|gone|no longer|cleared up|eased|improv\w+|back (?:to|from)|works? (?:again|now|fine)|made up|reconciled|found|discharged|went away|subsided|lifted|sorted|stopped)\b"
)
_BESIDE_BETTER = re.compile(
    r"(?:好|轻|小|少|快|强|缓解|稳定|正常|安静|平静|开朗)(?:得?多|些|一些|一?点|很多|不少|起来)*了|恢复(?:正常|好|了)*|修(?:好|复)了?|解决了?|和好(?:如初)?了?|没(?:事|问题)了?|正常了?|退(?:烧|了)+|消(?:肿|失|了)+|走出来了?|找(?:到|回来?)了?|(?:治|养|痊)[好愈]了?|康复了?|出院了?"
    r"|可以|能|已经?|不(?=[疼痛漏堵卡咳烧肿痒累烦吵])|了$|现在|终于"
    r"|\b(?:(?:much |a lot |all |feel(?:s|ing)? )*better|recovered(?: from)?|fixed|repaired|resolved|solved|healed|reliev\w+|fine|ok|okay|(?:is |are |has )?gone(?: away)?|no longer|cleared up|eased|improv\w+|back to normal|back|got|from"
    r"|works?(?: again| now| fine)|over|made up(?: with)?|reconciled(?: with)?|found|discharged|went away|subsided|has|have|been|was|now|again|lifted|calmed|sorted(?: out)?|unblocked|stopped)\b"
)

WISHED = re.compile(
    r"(?<![联梦理思感幻])想(?!要)|打算|准备|计划|希望(?=能)|\b(?:wants? to|plan(?:s|ning)? (?:to|on)|hop(?:es|ing) to|going to|intends? to|aims? to|trying to|would like to|about to)\b"
)
CERTAIN = re.compile(r"已经|终于|已(?=[^,，。]{1,8})|[^,，。]了$|\b(?:has|have|finally|already|now)\b")
"""What is only wished, and what has come about: the same told so differs."""

_LASTING = frozenset(
    ("allergy", "fear", "intolerant", "speak", "goodat", "visited", "origin", "birthday", "called", "surname")
)
"""What goes on, or stays true, whatever is given up."""
_STYLES = frozenset(
    name for kind in ("length", "tone", "tongue") for name, *_ in map(str.split, CLOSED[kind].strip().splitlines())
)
_FELT = _LASTING | _STYLES | {"like", "return", "exchange"}
"""What holds of a thing whether or not it has come."""
_DONE_WITH = frozenset(
    (
        "learn",
        "study",
        "play",
        "want",
        "plan",
        "wait",
        "book",
        "rent",
        "home",
        "work",
        "employ",
        "buy",
        "go",
        "take",
        "like",
    )
)
"""What one does with things that one need not have."""

WAYS: tuple[Way, ...] = (
    Way(_PRESENT, False, _OVER, _BESIDE_OVER, _LASTING, is_end=True),
    Way(_HAD, False, _PARTED, _BESIDE_PARTED, _LASTING | _DONE_WITH, is_end=True),
    Way(_OWED, False, _REPAID, _BESIDE_REPAID, _LASTING, is_end=True),
    Way(_AHEAD, None, _DONE, _BESIDE_DONE, _FELT - {"speak"}, ahead=True),
    Way(_ANY, True, _DONE, _BESIDE_DONE, frozenset()),
    Way(_SOUGHT, None, _FOUND, _BESIDE_FOUND, _FELT),
    Way(_TROUBLE, None, _BETTER, _BESIDE_BETTER, _FELT - {"goodat"}, is_relief=True),
)
"""Each way."""

WEAK = frozenset(
    ("own", "use", "want", "plan", "take", "go", "learn", "study", "serve", "passed", "wait", "submit", "promise", "work", "employ",
     "play", "speak", "home", "attend2", "watch", "book", "passive", "from", "called", "job", "subscribe", "accept", "rent", "wear",
     "buy", "eat", "return-home", "goodat", "owe", "lend", "borrow", "pay", "miss", "visited", "listen")
)  # fmt: skip
"""Predicates that only carry what a sentence is about."""
WHEN = frozenset(("date", "monthof", "yearof", "weekday", "clock", "day", "week", "month", "year", "hour"))
"""Units of when it came about, or since when it holds."""
LIGHT = frozenset(
    ("自", "己", "又", "再", "全", "很", "次", "份", "说", "也", "都", "才", "给", "把", "天", "掉", "good", "feel", "feels", "continu", "all",
     "self", "final", "success", "now", "end", "recent", "soon", "来", "起", "去", "下", "上", "出", "过", "里", "面", "并", "安", "装")
)  # fmt: skip
"""What says nothing beside a sign."""
IDLE = frozenset(
    ("say", "homeplace", "want", "also", "的", "说", "个", "中", "着", "host", "hold", "organ", "attend", "join", "hour", "full",
     "got", "write", "be", "get", "current", "temporari", "暂", "时", "every", "最", "近", "today", "try", "attempt", "work", "about", "finish",
     "stress", "nervous", "worri", "process", "system", "user", "plan", "still", "yet")
)  # fmt: skip
"""What says nothing of what a sentence is about."""
KIN = {
    "repaired": "repair",
    "refunded": "refund",
    "returned": "return",
    "exchanged": "exchange",
    "hospitalized": "hospital",
    "annualpass": "member",
    "monthlypass": "member",
    "gymmembership": "member",
    "membershipcard": "member",
    "laptop": "computer",
    "drivingtest": "licence",
    "drivinglessons": "licence",
    "nursingmajor": "nurse",
    "coldillness": "cold",
}
"""What a word is a case of: a state for its cause, a thing for its kind."""
VERBS = re.compile(r"申请|手续|准备|打算|计划|备考|办理?|正在|暂时|最近|目前|如期|谂[住着]?|说(?=[^话])")
"""What only says how far a thing has come."""
FAINT = frozenset(
    ("的", "人", "很", "太", "特", "别", "个", "位", "家", "事", "做", "只", "又", "还", "名", "具", "体", "本", "口", "里", "间", "子", "person:people",
     "veri", "realli", "somewhat", "bit", "kind", "weather", "smart", "own", "homeplace", "appointment", "person", "problem", "product", "color", "best",
     "agearea", "ageyears", "floorarea", "activ", "hobbi", "hobby", "bad", "bring", "sort", "piec", "pair", "set")
)  # fmt: skip
"""What says nothing beside what two sentences share."""
