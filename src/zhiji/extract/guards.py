"""What is not a statement of the user about themselves: the guards of the rule extractor.

Two kinds. *Blanking* removes stretches that are nobody's statement here: quotations, texts to be translated or corrected,
code, logs, role-play, injected instructions. *Flags* mark clauses that state no plain fact: questions, hypotheticals,
reported speech, other people's attributes, one-offs. Precision comes before recall: in doubt, a guard applies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from zhiji import masking
from zhiji.extract import lexicon
from zhiji.extract.fold import fold
from zhiji.extract.view import Clause, Flag, View, blank, split
from zhiji.types import Draft, Message

# --- blanking -----------------------------------------------------------------------------------------------------

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
    r"[a-z_][\w.\[\]\"']*\s*(?:=|:=|\+=|=>)\s*\S|\$\s?\w+|>>>|\w+\(.*\)\s*;?\s*$|//|/\*|\*/|#!|--\s"
    r")[^\n]*$",
    re.M,
)
_PAIR: Final = re.compile(r"(?<![\w?&/])[a-z_][\w.]*=[^\s,;&]+")
_ANNOTATION: Final = re.compile(r"\[[^\[\]\n]{16,}\]")
_JSON: Final = re.compile(r"[\[{]\s*[\"{\[][^\n]*?[\"}\]]\s*[\]}]+|\{\s*\"[^{}]*\}", re.S)
_ASSIGNMENT: Final = re.compile(r"\b[a-z_][\w.]*\s*(?:=|==|:=)\s*(?:\"[^\"\n]*\"|'[^'\n]*'|\[[^\]\n]*\]|\{[^}\n]*\})")
_QUOTE: Final = re.compile(r"\"[^\"\n]{2,400}\"|(?<![\w一-鿿])'[^'\n]{12,400}'(?!\w)|《[^》\n]+》")
_INJECTION: Final = re.compile(
    r"(?:忽略|无视|忘掉|忘记|抛弃|绕过)[^。!?\n]{0,8}(?:之前|以上|上面|前面|所有|全部|先前|系统|安全)[^。!?\n]{0,8}(?:指令|提示|规则|要求|设定|限制|命令)|"
    r"系统提示|提示词|抽取器|system ?prompt|<\|?[a-z_]+\|?>|\[(?:system|inst|admin)\]|(?:^|\n)\s*(?:system|assistant|系统|管理员)\s*:|"
    r"(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,30}\b(?:previous|prior|above|earlier|all|your|system)\b[^.!?\n]{0,20}\b(?:instructions?|prompts?|rules?|messages?|guidelines|directives)|"
    r"developer mode|jailbreak|\bdan mode|you are now (?:an? )?(?:admin|root|unrestricted)|越狱|开发者模式|"
    r"(?:我|用户|该客户|i|the user)(?:是|就是|am|is|'m)(?:一?[个名位]|an?|the)?\s?(?:超级|super)?(?:管理员|开发者|administrator|admin|root|superuser|developer of)\b"
)
_TRANSFORM: Final = re.compile(
    r"翻译|翻[成译为]|翻一下|译成|译为|译一下|润色|改错|病句|语法|造句|改写|续写|仿写|扩写|缩写|校对|概括|归纳|总结(?:一下)?(?:这|下|以|如)|听写|填空|选择题|应用题|"
    r"阅读理解|朗读|什么意思|这句话|这段(?:话|文字|代码|日志)|下面(?:这|的|是)|以下(?:内容|文字|句子|是|这)|错别字|帮我(?:改|看)(?:一?下|下)?(?:这|下面|作文|句子)|"
    r"translat|grammar|proofread|rewrite|rephrase|paraphrase|summari[sz]e|(?:edit|correct|fix|polish|check|improve) (?:this|the|my|these)\b"
    r"(?! (?:order|address|phone|number|account|name|email|profile|record))|"
    r"what does .{1,80} mean|how (?:do|would) (?:you|i) say|explain this|this sentence|(?:in|into|to) (?:french|spanish|german|chinese|english|japanese|dutch|italian|korean|portuguese)\s*[:\"]|"
    r"sentiment of|classify (?:this|the)|transcri|worksheet|example sentence|fill in the blank"
)
_WRITE: Final = re.compile(
    r"(?:写|编|拟|起草|作)(?:一|个|封|篇|首|段|份|条|几|点)[^,。!?;\n]{0,12}|(?:写|编)(?:作文|诗|小说|故事|文案|邮件|情书|歌词|日记|检讨)|作文|歌词|台词|例句|"
    r"(?:write|draft|compose|make up|come up with)\b[^.!?\n]{0,20}\b(?:an?|some|the|me)\b|lyrics|short story|essay about|dialogue between"
)
_ROLEPLAY: Final = re.compile(
    r"扮[演下成作做个]|扮(?=海盗|医生|老师|侦探)|角色扮演|\bcos\b|cosplay|假装|装作|跑团|剧本杀|人设|进入角色|来演|你演|我演|演[一个出段场]|演戏|"
    r"你(?:现在|从现在起)?(?:来)?当(?:一?[个位名])?(?!时|天|然|初|年|真)|玩个?(?:角色|过家家)|从现在(?:起|开始),?你(?:就)?是|"
    r"role-?\s?play|\brp\b|\bpretend\b|in character|dungeon|\bd&d\b|\bdnd\b|my character|act as (?:if|though|a pirate|my)|act like|"
    r"let's play|you're a pirate|you are a pirate|(?:you're|you are|be) (?:the|my) (?:villain|captain|king|queen|knight|wizard|sidekick|detective|bartender)|imagine you(?:'re| are)|as my character"
)
_OUT_OF_ROLE: Final = re.compile(
    r"[说讲]?返?正经|言归正传|不玩了|不演了|认真[的地]?[说讲]|出戏|回到现实|说真的|讲真|游戏结束|(?:结束|停止|退出)(?:角色|扮演|游戏)|"
    r"out of character|\booc\b|seriously (?:though|now)|on a serious note|for real|back to reality|(?:stop|end|enough)(?: the| of)? (?:role|playing|game)|in real life|\birl\b|jokes? aside"
)
_REMARK_OF_AUTHOR: Final = re.compile(r"^\s*(?:谢谢|好的|thanks|cheers|thank you|ok|可以|不错|great|perfect)")


def _frame_spans(folded: str) -> Iterator[tuple[int, int]]:
    """Yield what an exercise, translation or writing request says in somebody's words."""
    for pattern in (_TRANSFORM, _WRITE):
        found = pattern.search(folded)
        if found is None:
            continue
        end = len(folded)
        payload = re.search(r"[:\n\"]", folded[found.end() :])
        if pattern is _TRANSFORM:
            yield found.start() if re.search(r"[一-鿿\w]{6}", folded[found.end() :]) else 0, end
        elif payload:
            yield found.start(), end
        else:
            stop = re.search(r"[。!?\n]|\.\s", folded[found.end() :])
            yield found.start(), found.end() + stop.end() if stop else end


def asks_for_text(message: Message) -> bool:
    """Return whether a user message announces a text to work on that is not in the message itself."""
    folded = fold(message.content)
    found = _TRANSFORM.search(folded)
    return bool(found and len(folded) < 60 and not re.search(r"[:\n\"].{4}", folded, re.S))


def enters_role(folded: str) -> bool:
    """Return whether role-play begins in this message (and nobody has left it again)."""
    begins = list(_ROLEPLAY.finditer(folded))
    return bool(begins) and not _OUT_OF_ROLE.search(folded, begins[-1].end())


def leaves_role(folded: str) -> int | None:
    """Return where the user speaks as themselves again, or None."""
    found = _OUT_OF_ROLE.search(folded)
    return found.end() if found else None


def _role_spans(folded: str, in_role: bool) -> Iterator[tuple[int, int]]:
    out = leaves_role(folded)
    begin = _ROLEPLAY.search(folded)
    if in_role:
        yield 0, len(folded) if out is None else out
    elif begin:
        yield begin.start(), len(folded) if out is None or out < begin.start() else out


def _injection_spans(folded: str) -> Iterator[tuple[int, int]]:
    for found in _INJECTION.finditer(folded):
        start = max(folded.rfind(mark, 0, found.start()) for mark in "。!?\n") + 1
        ends = [at for mark in "。!?\n" if (at := folded.find(mark, found.end())) >= 0]
        yield start, min(ends, default=len(folded))


def is_injection(text: str) -> bool:
    """Return whether a text gives orders to the machine or claims authority over it."""
    return bool(_INJECTION.search(fold(text)))


def _is_statement(quoted: str) -> bool:
    """Return whether a quotation is more than a name."""
    inner = quoted.strip("\"'《》")
    return quoted[0] == "《" or len(inner) > 8 or (" " in inner and len(inner.split()) > 2) or "我" in inner


def _blanked(folded: str, *, in_role: bool, payload: bool) -> str:
    if payload:
        return "\n" * len(folded)
    spans: list[tuple[int, int]] = []
    if "`" in folded:
        spans += [found.span() for found in _FENCE.finditer(folded)]
    if any(mark in folded for mark in '={}<>[]();:"'):
        spans += [
            found.span()
            for pattern in (_ANNOTATION, _JSON, _CODE_LINE, _ASSIGNMENT, _PAIR)
            for found in pattern.finditer(folded)
        ]
    spans += _frame_spans(folded)
    spans += [found.span() for found in _QUOTE.finditer(folded) if _is_statement(found.group())]
    spans += _role_spans(folded, in_role)
    spans += _injection_spans(folded)
    return blank(folded, spans) if spans else folded


# --- fillers ------------------------------------------------------------------------------------------------------

_FILLER_ZH: Final = re.compile(
    rf"{lexicon.CS}(?:(?:嗯+|啊+|哦+|噢|喔|额|呃|诶|欸|哎呀?|唉|哈喽|嗨|喂|那个?(?=我|就|[,\s])|对了|其实|仲有|同埋|就是(?=我|[,\s])|然后|还有|另外|而且|但是?(?=我|[,\s])|不过(?=我|[,\s])|"
    r"因为|由于|所以|话说|反正|总之|顺便(?:说一下|说一句|提一下|一提)?|补充(?:一下|一句)?|说起来|你好啊?|您好|(?:客服|亲爱的|亲)(?=[,\s!~])|大家好|哈+(?=我[^是])|好吧|好的|"
    r"(?:医生|大夫)(?:说|告诉我|诊断)(?=我)|请问一下|请你?|麻烦(?:你|您)?|帮(?:我|忙)(?=记|留意|备注)|(?:请|帮我|你|您|要|一定|务必|给我)*(?:记住|记得|记一下|记下来?|记低|备注一下|留意)(?:一下|了|啦|哦|下)?|"
    r"以后(?=我))[\s,:!]*)+"
)  # fmt: skip
_FILLER_EN: Final = re.compile(
    rf"{lexicon.CS_EN}(?:(?:btw|by the way|so|well|and|but|also|oh|ok(?:ay)?|(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: there| all| team| guys| again)?|yeah|(?:yes|yep|no|nope)(?=\s*[,.!])|actually|anyway|plus|fyi|thanks|thank you|sorry|ah|um|uh|hmm|right|sure|because|since|just so you know|for the record|"
    r"(?:please |can you |could you |just )*(?:remember|note|keep in mind|bear in mind|don't forget)(?: that)?|please|pls|now|honestly|personally|lol|haha|wait|see|look|anyways|i think|i guess|i suppose|i believe|maybe|perhaps|probably)"
    r"(?![a-zà-ÿ0-9_'-])[\s,:!]*)+"
)  # fmt: skip


def _spaces(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _without_fillers(folded: str) -> str:
    return _FILLER_EN.sub(_spaces, _FILLER_ZH.sub(_spaces, folded))


# --- flags --------------------------------------------------------------------------------------------------------

_QUESTION_ZH: Final = re.compile(
    r"[吗么嘛咩]$|呢$|是不是|是否|能不能|可不可以|要不要|会不会|有没有|好不好|行不行|对不对|吃不吃|(?<!没)(?<!没有)(?<!管)(?<!论)什么(?!都|的$)|怎么(?!都|也)|怎样|为何|哪(?!怕|都)|"
    r"几(?=[点岁号月位时]|天(?!后|前|内))|多少|多久|多大|多长|谁(?!都)|可否|能否|点解|边度|有无|吗[,\s]"
)
_QUESTION_EN: Final = re.compile(
    r"^\s*(?:can|could|do|does|did|is|are|am|was|were|will|would|should|shall|may|has|have (?:you|i|we|they)|what|what's|whats|which|who|who's|whose|how|how's|why|where|where's|"
    r"when(?: (?:is|are|do|does|did|will|can|should))|any idea|any (?:tips|recommendations|suggestions|advice)|wondering|i(?:'m| am) wondering|i wonder|not sure (?:if|whether|what|how)|tell me)\b"
)
_REQUEST: Final = re.compile(
    r"^(?:能不能|可不可以|可以|能|能否|可否|麻烦)?(?:请|你|您)?(?:帮我|给我|把|将|替我)[^,。!?;\n]*(?:改|换|寄|送|记|发|备注|更新|设|用|叫)|^(?:能不能|可不可以|可以|能否|能)(?:寄|送|改|叫我|用)|"
    r"^(?:can|could|would|will) (?:you|u|i|we)(?: please| pls| just)? (?:change|be|update|stop|ship|send|deliver|set|make|note|remember|call|use|switch|keep|reply|answer|text|email|put|redirect|forward|add|get (?:it|this|that) (?:shipped|sent|delivered))\b"
)
"""A wish in the form of a question."""
_HYPOTHETICAL: Final = re.compile(
    r"如果(?!方便|可以|行|能)|假如|假设|假使|假定|倘若|要是(?!方便|可以)|万一|若是|若(?=我)|设想|想象|打个比方|打比方|比方说|比如说?(?=我)|就当|(?<!方便)(?<!可以)的话$|我希望我|要不是|恨不得|做梦|梦见|梦到|"
    r"\bif (?!possible|you (?:can|could|don't|like|want|need)|that's|it's ok)|\bsuppose|\bimagine|hypothetical|let'?s say|\bsay i'?m|\bsay i\b|in case|\bi wish|\bas if|as though|\bunless\b|for example|for instance|in theory|i dreamed|i dreamt|\bhad i\b|would've|would have"
)
_REPORTED: Final = re.compile(
    r"(?:客服|他们?|她们?|它|你们?|您|朋友|同事|老板|领导|上司|同学|老师|邻居|室友|房东|卖家|店家|商家|快递员|有人|人家|别人|网友|网上|新闻|预报|书上|文章|广告|群里|抖音上?|小红书上?|人们?|"
    rf"(?:{lexicon.KIN_ZH}))(?:[^,。!?;\n我]{{0,6}})?(?:说(?![慢快清大小得])|讲(?![慢快清大小得])|问|称(?!呼)|写道|写着|表示|提到|告诉我|觉得|认为|以为)|听说|据说|传说|所谓|俗话|名言|歌词|台词|标题|题目|作文|小说|剧本|剧里|电影|电视剧|主角|男主|女主|"
    r"\b(?:he|she|they|someone|somebody|people|everyone|agent|rep|support|(?:my|the|a|his|her|this) [a-z]+)(?: (?:just|also|always|once|even|still))? (?:says?|said|told|asks?|asked|wrote|writes|claims?|claimed|thinks?|thought|believes?|keeps? saying|mentioned)\b|"
    r"rumou?r|supposedly|reportedly|the (?:article|book|lyrics|song|novel|movie|story|script|character)|you (?:said|told|think|thought|mentioned|called)|\bquote\b"
)
_ONCE: Final = re.compile(
    r"这(?:一)?(?:次|回|顿|单)|就这(?:一)?(?:次|回)|今(?:天|晚|早|次|日)(?!起)|暂时|先这样|刚才|刚刚|此刻|这会儿|现在有点|目前有点|今餐|呢次|"
    r"just this once|this (?:one )?time|this once|for now|just now|right now|\btoday\b|tonight|at the moment|just once|one-off|for this (?:order|one)"
)
_HEDGED: Final = re.compile(
    r"可能|也许|大概是|或许|好像|似乎|应该是|不确定|不一定|说不定|估计|貌似|我猜|没准|\bmaybe\b|\bperhaps\b|\bprobably\b|i (?:think|guess|suppose|believe)|not sure|might be|may be|\bkinda\b|sort of|possibly"
)
_SUBJECT_OTHER_ZH: Final = re.compile(
    rf"(?:(?:我们?家?的?|我有一?[个位名]?)?(?:{lexicon.PEOPLE_ZH})|他|她|它|人家|别人|其|大家|有人|有的人|有些人|很多人|一般人|你|您|这[个位名只条款件家种些]|那[个位名只条款件家种些]|该|"
    rf"我们?家?里?的?(?:{lexicon.KIN_ZH})|(?:{lexicon.KIN_ZH})(?!的))"
)
_PEOPLE_EN: Final = (
    r"(?:best |old |close )?friends?|colleagues?|co-?workers?|boss|manager|neighbou?rs?|room-?mates?|flat-?mates?|classmates?|partner|"
    r"girlfriend|boyfriend|fianc[eé]e?|teacher|landlord|customer|client|assistant"
)
_SUBJECT_USER_ZH: Final = re.compile(r"我|本人|俺|咱")
_SUBJECT_OTHER_EN: Final = re.compile(
    rf"(?:he(?!/)|she(?!/)|they(?!/)|it|you|we|people|everyone|someone|who|(?:my|our|his|her|their|your|the|a|an|this(?! is)|that|some) (?!name|address|email|phone|number|order|favou?rite|birthday|job|hometown|cell|mobile|full name|first name|last name|tax|package|parcel|diet|budget|shoe|size|native|preferred|go|usual|new|home|work|shipping|delivery|pronouns)[a-z]+|(?:{lexicon.KIN_EN}))(?:'s|'re)?\b"
)
_SUBJECT_USER_EN: Final = re.compile(r"(?:i|i'm|im|i've|i'd|i'll|my|me)\b")


def _subject(words: str) -> bool | None:
    """Return True if a clause speaks of another, False if of the user, None if it names no subject."""
    if _SUBJECT_OTHER_ZH.match(words) or _SUBJECT_OTHER_EN.match(words):
        return True
    if _SUBJECT_USER_ZH.match(words) or _SUBJECT_USER_EN.match(words):
        return False
    return None


_THIRD: Final = re.compile(
    rf"(?:我们?(?:家?里?)?的?|我有一?[个位名]?)?(?:{lexicon.PEOPLE_ZH}|{lexicon.KIN_ZH})|[他她]|别人|人家|"
    rf"(?:he|she|they|someone)\b|(?:(?:my|our|his|her|their|the|a)\s+)?(?:{lexicon.KIN_EN}|{_PEOPLE_EN})\b"
)


def names_another(words: str) -> bool:
    """Return whether folded words speak of another person, wherever in them."""
    return bool(re.search(rf"(?:^|[^a-z])(?:{_THIRD.pattern})", words))


def of_another(view: View, clause: Clause) -> bool:
    """Return whether a clause speaks of another person; of things, and to whom it is said, it may."""
    if not clause.flags & Flag.OTHER:
        return False
    before = [one for one in view.clauses if one.sentence == clause.sentence and one.start <= clause.start]
    named = [words for one in before if _subject(words := view.folded[one.start : one.end].strip())]
    return bool(named) and bool(_THIRD.match(named[-1]))


def _own_flags(words: str, mark: str) -> Flag:
    flags = Flag.NONE
    asks = "?" in mark or _QUESTION_ZH.search(words) or _QUESTION_EN.search(words)
    if asks and not _REQUEST.search(words):
        flags |= Flag.QUESTION
    if _ONCE.search(words):
        flags |= Flag.ONCE
    return flags


def flag(folded: str, clauses: Sequence[Clause], spoken: str) -> tuple[Clause, ...]:
    """Return the clauses with their flags; ``spoken`` is the text with its fillers.

    Hypotheticals and reports run to the end of their sentence.
    """
    flagged: list[Clause] = []
    carried, other, sentence = Flag.NONE, False, -1
    for clause in clauses:
        words = folded[clause.start : clause.end].strip()
        if clause.sentence != sentence:
            carried, other, sentence = Flag.NONE, False, clause.sentence
        subject = _subject(words)
        other = other if subject is None else subject
        if _HYPOTHETICAL.search(words):
            carried |= Flag.HYPOTHETICAL
        if _REPORTED.search(words):
            carried |= Flag.REPORTED
        if _HEDGED.search(spoken, clause.start, clause.end):
            clause = replace(clause, flags=Flag.HEDGED)
        flags = clause.flags | carried | _own_flags(words, clause.mark) | (Flag.OTHER if other else Flag.NONE)
        flagged.append(replace(clause, flags=flags))
    return tuple(flagged)


def view(
    message: Message,
    *,
    in_role: bool = False,
    payload: bool = False,
    text: str | None = None,
    seqs: tuple[int, ...] = (),
) -> View:
    """Return a message ready for matching.

    ``in_role``: role-play began earlier. ``payload``: the message is the text that was announced to be worked on.
    ``text`` and ``seqs`` replace the message's own where a question and its answer are read as one statement.
    """
    written = message.content if text is None else text
    spoken = _blanked(fold(written), in_role=in_role, payload=payload)
    folded = _without_fillers(spoken)
    return View(message, written, folded, flag(folded, split(folded), spoken), seqs or (message.seq,))


# --- taking back --------------------------------------------------------------------------------------------------

JOKE: Final = re.compile(
    r"逗你|(?<!不是)(?<!没)(?<!没有)(?<!不)开(?:个)?玩笑|骗你(?:的|玩)|说着玩|瞎说|瞎编|(?:我)?胡说|吹牛|乱讲|讲笑|说笑|闹着玩|才怪|"
    r"(?<!not )(?<!no )\b(?:just |only )?kidding|\bjk\b|j/k|(?<!not )\bjoking|just a joke|messing with you|pulling your leg|\bsarcas|(?:^|\s)/s(?:$|\s)|\bjust joshing"
)
TAKE_BACK: Final = re.compile(
    r"(?:^|[,。!?;\s])(?:还是|那|那就|就)?算了(?=$|[,。!~\s啊吧])|当我没说|收回(?:刚才|前面|我)|作废|不算|never ?mind|forget (?:it|what i said|about it)\b|scratch that|ignore (?:that|my last)|disregard|strike that|changed my mind|(?:行程|计划|约会|会议|活动)(?:都|也)?取消了|不去了|去不成|不用去了|泡汤|fell through|\bis off\b|not going any ?more"
)
REFUSAL: Final = re.compile(
    r"(?:别|不要|不用|不必|不想|不需要|勿|甭|唔使|唔好)(?:你|您|帮我|给我|再|替我)?(?:记|保存|存|留|记录)|不许记|(?:don't|do not|dont|no need to|please don't|never) (?:you )?(?:remember|save|store|keep|record|note|log)\b|off the record|keep (?:this|that|it) between us"
)
ABSURD: Final = re.compile(
    r"马斯克|马云|比尔盖茨|他(?:爹|二舅|大爷|亲妈|老子)|外星人|秦始皇|超人|蝙蝠侠|皇帝|玉皇|孙悟空|吸血鬼|神仙|仙女|国王|女王|首富|奥特曼|钢铁侠|机器人|时空|穿越|"
    r"\balien|batman|superman|vampire|wizard|unicorn|time travel|\bking of|\bqueen of|emperor|the president|\bgod\b|robot|dragon|pirate"
)
"""Nobody is that: what says so is a joke."""


# --- what only an operator may admit, and what nobody may ----------------------------------------------------------

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


def safe(draft: Draft) -> Draft | None:
    """Return the draft without private data, or None if nothing but a secret's label is left of it."""
    private = _PRIVATE.search(fold(f"{draft.content} {draft.value or ''}"))
    content, value = (
        (masking.mask(draft.content), masking.mask_value(draft.value)) if private else (draft.content, draft.value)
    )
    bare = re.sub(
        r"\[(?:密码|安全码|验证码|证件号|银行卡号|密钥|password|CVV|code|id number|card number|key)\]",
        "",
        str(value or content),
    )
    if not re.search(r"\w", bare):
        return None
    return replace(draft, content=content, value=value)
