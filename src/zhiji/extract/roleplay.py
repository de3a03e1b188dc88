"""Role-play: where a game of parts or an improvised scene begins, and where the user speaks as themselves again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_GAMES: Final = (
    r"(?:狼人杀|剧本杀|三国杀|谁是卧底|阿瓦隆|海龟汤|跑团|过家家|家家酒|真心话大冒险|文字冒险|文字游戏|角色扮演|副本|"
    r"宫斗|宅斗|谍战|悬疑|武侠|仙侠|修仙|宫廷|古装|古风|穿越|科幻|玄幻|奇幻|恐怖|侦探|推理|破案|警匪|黑帮|末日|丧尸|霸总|江湖|西游|特工|间谍|海盗|吸血鬼|魔法|"
    r"对手戏|剧情|桥段|情景剧?|即兴|小品|相声|话剧|短剧|戏)"
)
"""What is played by parts."""
_PARTS_ZH: Final = (
    r"(?:面试官|考官|主考|hr|老板|掌柜|老板娘|店小?[二员]|服务员|收银员|房东|房客|租客|医生|大夫|护士|病人|患者|老师|学生|家长|警察|警官|法官|律师|证人|嫌疑人|犯人|记者|主持人|嘉宾|客人|顾客|买家|卖家|甲方|乙方|销售|"
    r"管家|仆人|侍卫|侍女|丫鬟|太监|宫女|皇[上帝后]|公主|王子|国王|女王|将军|军师|师[父傅尊兄姐弟妹]|徒弟|长老|掌门|宗主|魔王|勇者|村长|船长|海盗|侦探|凶手|反派|吸血鬼|精灵|导游|教练|对手|相亲对象|前男友|前女友|男方|女方)"
)
"""Parts that an assistant has only in a game."""
_PARTS_EN: Final = (
    r"(?:officer|interviewer|recruiter|examiner|customer|waiter|waitress|shop ?keeper|shop assistant|clerk|cashier|receptionist|doctor|nurse|therapist|teacher|boss|landlord|landlady|tenant|patient|seller|buyer|barista|judge|lawyer|witness|suspect|"
    r"cop|detective|inspector|guard|client|manager|agent|hr|host|guest|student|neighbou?r|butler|servant|king|queen|wizard|witch|knight|pirate|captain|princess|prince|dragon|elf|vampire|robot|alien|villain|hero|sheriff|bartender|innkeeper|merchant|"
    r"journalist|reporter|dealer|date|opponent|client|mentor|coach|ghost|zombie|spy|doorman|bouncer|pilot|steward(?:ess)?|flight attendant|immigration \w+|border \w+)"
)
_PRAISE: Final = r"best|greatest|star|legend|lifesaver|angel|gem|saint|genius|godsend|champ|diamond|treasure|bot|ai|assistant|machine|expert|one"
"""What an assistant is called without a game."""
_BEGINS: Final = (
    # who plays whom
    r"你(?:来|就|先)*(?:是|做|当|扮|演)[^,。!?;\n吗]{1,10}[,\s]*(?:我(?:来|就|先)?(?:做|当|扮|演|(?<=[,\s]我)(?:来|就|先)?是(?![在从想因为用昨今上前问这]))|(?<=[,\s])我应聘)",
    r"(?:^|[,。!?:\s])我(?:来|就|先)?(?:是|做|当|扮|演)[^,。!?;\n\s]{1,10}[,\s]+你(?:来|就|先)?(?:当|扮|演|做|是)(?!谁|哪|什么|不|ai|机器|人工|真人|客服|[^,。!?]{0,6}[吗么?])",
    rf"你(?:现在|从现在起|就|来|先)*是(?:我的?)?(?:一?[个位名])?[^,。!?\s我吗]{{0,4}}{_PARTS_ZH}(?![^,。!?]{{0,3}}(?:[吗么吧?]|还是))",
    # a game is announced
    rf"(?:^|[,。!?~\s]|来|一起|陪我|跟我|和我|同我|我们|咱们?俩?|我[哋地]|再)(?:来|玩|演|搞|整|开|走|接|试)(?:下|一下|吓)?(?:个|一?[个段场出局把盘轮次])?[^,。!?;\n我]{{0,6}}?{_GAMES}(?!院|票|迷|[^,。!?]{{0,4}}[十几\d]年)",
    rf"(?:来|玩|演|开)(?:个|一?[个段场出局把盘轮])[^,。!?;\n]{{0,8}}{_GAMES}",
    rf"{_GAMES}(?:走起|开始|开局|开演|开玩|时间|模式|来一[局把场])",
    r"(?:^|[,。!?~\s]|来|一起|陪我|跟我|我们|咱们?俩?)玩(?:个|下|一?[局场把])?[^,。!?;\n]{0,8}(?:游戏|game)[^。!?\n]{0,12}(?:我|你)(?:是|做|当|扮|演)",
    r"(?:^|[,。!?\s])(?:设定|世界观|剧情|角色|人物设定|背景设定|身份)(?:是|如下)?[:]|对(?:个|一?[下场段])?戏(?=$|[,。!?\s吧呗啊])|陪我(?:演|练)|(?:^|[,。!?\s])(?:我[哋们]|咱们?俩?)?(?:来)?扮(?!相|嘢|靓|演技|得)(?=[一-鿿])",
    rf"(?:^|[,。!?:\s])你(?:来|就|先|今日|今天)*(?:做|当|扮|演)(?:我的?|个|一个|一位)?[^,。!?\s我吗]{{0,4}}{_PARTS_ZH}(?![^,。!?]{{0,3}}(?:[吗么吧?]|还是))|模拟(?:个|一下|一个)?(?:interview|call|meeting|date|exam|client)",
    r"\b(?:you|u)(?:'ll|ll)? (?:be|play) [a-z]+(?: [a-z]+)?[, &]+(?:and )?(?:i'?ll|i will|imma|i can|me)\b|(?:^|[.!?,]\s*)(?:be|become|play) (?:an?|the|my) [^.!?\n]{3,30}? and (?:quiz|question|interview|grill|interrogate|ask|test|treat|talk to|serve|greet) me\b",
    r"\blet'?s do an? [\w' ]{2,24} (?:thing|bit|vibe|au)\b|\b(?:sim|rp|au)\s*:|\b(?:you|u) ?= ?[a-z]+[^.!?\n]{0,20}\b(?:me|i) ?= ?|(?:^|[.!?]\s*)i'?ll be (?:an?|the|your) (?:ghost|zombie|vampire|wizard|witch|king|queen|knight|pirate|dragon|elf|alien|villain|detective)\b",
    # English: the cast, the game, the practice
    rf"\b(?:you(?:'?re|'ll be| are| r| be| play)?|u r|ur) (?:the |an? |my )(?!(?:[a-z]+ )?(?:{_PRAISE})\b)(?:[a-z]+ ){{0,2}}?[a-z]+[\s,.;&]+(?:and )?(?:i'?m|i am|i'?ll be|i play|me) (?:the |an? |your |[a-z]+'s )(?!bit\b|little\b|huge\b|big fan)",
    rf"(?:^|[.!?,:;]\s*|now |ok |so )(?:you(?:'?re|'ll be| are| be| play)|u r|ur|be) (?:the |my )(?:[a-z]+ ){{0,2}}{_PARTS_EN}\b(?! right| now\b|\?|'s)",
    r"\b(?:wanna|want to|let'?s|can we|could we|shall we|how about(?: some)?|up for(?: some)?|fancy some) (?:do |try |some )*improv\b(?! (?:on|class|every|night|group|show|course))|\bimprov (?:time|scene|game|with me)\b|\b(?:text|murder|mystery|fantasy|rpg|detective|horror|space|dungeon) (?:mystery |adventure |quest |campaign )?(?:game|adventure|quest|mystery)\s*(?:[:,!]|please|pls|time|where)|(?:^|[.!?,:]\s*)(?:scenario|setting|the scene|scene|premise)\s*:",
    r"\b(?:my|the) (?:d&d |dnd |rpg |dungeon |game |rp |tabletop )?(?:char|character|toon|oc)(?:'s| is| has|\b(?= named| called))|\b(?:practi[sc]e|rehearse|run through|simulate)\b[^.!?\n]{0,50}\b(?:you'?re|you are|you be|you play|with me\b[^.!?\n]{0,8}\byou)|(?:^|[.!?,:]\s*)simulate (?:an?|the|my)\b",
    r"\b(?:captain|commander|lieutenant|admiral|major|agent) [a-z]+ of (?:the )?(?:starship|ship|uss|hms|black|royal|good ship|[a-z]+ (?:guard|fleet|empire|realm|order|clan|guild))\b",
    r"(?:^|[.!?,:]\s*)i'?(?:m| am) (?:lord|lady|sir|count|countess|baron|baroness|duke|duchess|monsieur|madame|senor|se[nñ]ora?|herr|frau|dame) (?!of course|now\b|but\b|and\b|so\b|for\b|at\b|in\b)[a-z]{3,}",
    # as before: verbs and names of role-play
    r"你(?:来|就|先)?(?:做|当|扮|演)[^,。!?;\n\s]{1,8}[,\s]?我(?:来|就)?(?:做|当|扮|演)|我(?:来)?(?:当|扮|演)[^,。!?;\n\s]{1,10}[,\s]?你(?:来|就)?(?:当|扮|演|做)|模拟(?:一?[下场次个])?(?:面试|对话|场景|法庭|谈判|客服|相亲)",
    r"(?<![打装假])扮(?!相|嘢|靓|演技|得)[一-鿿]|角色扮演|(?<=[一-鿿])cos(?![a-z])|\bcos(?=[一-鿿])|cosplay|假装|装作|人设|进入角色|来演|你演|我演(?![过话戏员出奏讲唱习技喜的])|(?<!我)演[一个出段场]|演戏",
    r"你(?:现在|从现在起)?(?:来)?当(?:一?[个位名])?(?!时|天|然|初|年|真)|你(?:来)?(?:面试|审|考考?|采访)我|你(?:就|来|先)?是(?:一?[个位名])?[^,。!?\s我]{1,8}[,\s]+我(?:就|来)?是|玩个?(?:角色|过家家)|从现在(?:起|开始),?你(?:就)?是",
    r"role-?\s?play|\brp\b(?![- ]?\d)|\bpretend\b(?!(?:ing)? (?:that )?i (?!am\b))|in character|dungeon master|\bdm (?:an?|me|for|this|us)\b|\b(?:fantasy|d&d|dnd|rpg|horror|sci-?fi|text) (?:campaign|adventure|scenario)\b|(?:^|[.!?]\s*|let'?s (?:play|do|start) (?:some )?)(?:d&d|dnd)\b|\b(?:d&d|dnd) time|my character(?:'s| is| has)\b|\bact as (?:if|though|a pirate|my)|(?:^|[.!?,]\s*|you |please )act like",
    r"(?:\blet'?s|\b(?:wanna|want to|can we|could we|shall we|how about we|up for)) (?:do|try|run|have|start|play|improvise?|go (?:with|for)|make)(?:ing)? (?:(?:an?|some|the|this|our|another|quick|little|short) ){0,2}(?:[\w-]+ ){0,2}(?:thriller|noir|whodunn?it|romance|fantasy|sci-?fi|western|horror|mystery|heist|adventure|detective|spy|superhero|pirate|zombie|vampire|medieval|cyberpunk|steampunk|space opera|dungeon|quest|scene|skit|sketch|improv|rpg|larp|drama|sitcom|soap|fairy ?tale|role|story|text adventure|murder mystery|courtroom|saloon|anime)\b|(?:^|[.!?,]\s*)i'?m (?:special agent|agent|lord|lady|sir|count|countess|baron|baroness|king|queen|princess|prince|duke|duchess|wizard|sorcerer|sorceress|detective|inspector|commander|captain|private eye|knight|pirate|bounty hunter|secret agent|warlord|emperor|empress|khan) (?!of course|now\b|but\b|and\b|so\b|for\b|at\b|in\b)[a-z]{3,}",
    r"\blet'?s (?:play\b|pretend|act)|(?:interview|conversation|mock|speaking|roleplay) (?:practi[sc]e|drill)|\b(?:mock|pretend|fake|practi[sc]e|simulated?) (?:\w+ ){0,2}(?:interview|exam|trial|date|debate|viva|call|meeting|negotiation|court|pitch|conversation)s?\b(?! (?:on|is|was|went|tomorrow|next|results?|marks?|score))|\b(?:you|u) (?:interview|examine|question|interrogate|quiz|cross-examine) me\b|\bbe my (?:interviewer|opponent|examiner|date|boss|patient|customer)\b",
    r"\b(?:you(?:'?re|'ll be| are| be| play| can be)?|u r) (?:the |an? |my )?(?:\w+ )?(?:officer|interviewer|recruiter|examiner|customer|waiter|waitress|shop ?keeper|shop assistant|clerk|cashier|receptionist|doctor|nurse|teacher|boss|landlord|patient|seller|buyer|barista|judge|cop|detective|guard|client|manager|agent|hr|host|guest|student|king|queen|wizard|witch|knight|pirate|captain|princess|prince|dragon|elf|vampire|robot|alien|villain|hero|sheriff|bartender|innkeeper|merchant)\b[^.!?\n]{0,20}\b(?:i'?m\b|i am|i'?ll be|i practi[sc]e|i play|and me\b|me,? the)|you'?re a pirate|you are a pirate|(?:you'?re|you are|be) (?:the|my) (?:villain|captain|king|queen|knight|wizard|sidekick|detective|bartender)|imagine you(?:'?re| are)|as my character",
)
_ROLEPLAY: Final = re.compile("|".join(_BEGINS))
_LEAVES: Final = (
    # the game is stopped, or over
    r"^[\s哈啊嘿]*卡+(?=[!,。\s])|(?:好了|行了|ok)[,\s]*(?:出来|回来|结束|散了|下线|到此)|出(?:返|翻|一?出)?(?:来?戏|戏)|(?:回|说回|讲回|讲返|返)到?(?:正题|正事|正轨|现实)|[说讲](?:点|个|返)?正[事经]|(?:面试|演练|练习|模拟|戏)(?:就)?(?:结束|到此|完了)|够了?够了|下课",
    r"\b(?:scene|game|interview|role-?play|rp|act|practi[sc]e|session)(?:'s| is)? (?:over|done|finished|ends?|paused)\b|\bend of (?:the |this )?(?:\w+ )?(?:scene|game|interview|role-?play|rp|act|story|practi[sc]e)|\b(?:back to|return to) (?:normal|real life|the real world|earth|me|business|work)\b|game over|that'?s a wrap|\(\(|\bbrb\b|pause there|(?:done|finished|tired of) (?:playing|acting|pretending|role)|dropping the act|(?:drop|lose) the (?:act|accent|character)",
    # the user turns to what is real, or asks for something in between
    r"真实情况[是:,]?|(?=\breal me\b)|(?:差点忘了?|突然想起来?|忽然想起来?|想起来了?|险啲忘|差啲唔记得)|对了[,\s]*(?=[^。!?\n]{0,20}(?:提醒|remind))|\b(?:oh )?(?:wait|btw|by the way|before i forget|almost forgot|nearly forgot)\b[,\s]*(?=[^.!?\n]{0,40}\bremind)",
    # as before
    r"[说讲]?返?正经|言归正传|不玩[了啦喇住]?(?=$|[,。!~\s])|不[演扮练][了啦喇]?|(?:在|喺)(?:这|呢|度)?度?停|停(?:在|喺)(?:这|呢)?度|停(?:先|吓|戏)|收工|出一?出戏|跳出(?:来|角色|剧情|戏)|回归现实|现实一点|(?=真(?:实|正)的?(?:面试|情况|名字|工作|身份))|先停|停一停|停一下|停停|打住|暂停一?下|(?:先)?到这(?:里|儿)?(?:先|吧|啦)?|到(?:呢|这)度先|练到|(?:^|[\s,。!])(?:等下|等等|等一下)(?=[\s,]?我)|回头再(?:战|玩|演|来)|下次再(?:玩|演|练)|玩到这|(?=真(?:的|实|人)的?我|我真(?:名|人)|我本人|现实(?:里|中))|认真[的地]?[说讲]|出戏|回到现实|说真的|讲真|游戏结束|(?:结束|停止|退出)(?:角色|扮演|游戏)",
    r"out of character|\booc\b|(?:^|[.!?,\n]\s{0,3}|\b(?:ok|okay|haha|lol|wait|now|quick|let'?s|just|and) )(?:quick )?(?:pause|time ?out|timeout|hold on|intermission|end scene|cut|freeze|break)(?=\s*[,.!:;\n-]|$| (?:here|there|for|the|this|it|a)\b)|pausing|\b(?:ok(?:ay)?|right|alright|let'?s|lets|can we|need to|gotta)[, ]+(?:a )?(?:break|stop|pause|enough|time ?out)(?: (?:the|this|there|here|it|for now|practi[sc]ing))*(?: game| rp| interview)?|break character|(?:was|were|is) (?:all )?(?:made|making it) up",
    r"(?=\b(?:my |the )?(?:real|actual) (?:interview|name|life|one|job|date|exam|test)\b)|seriously (?:though|now)|on a serious note|for real|back to reality|(?:stop|end|enough)(?: the| of)? (?:role|playing|game)|in real life|\birl\b|jokes? aside",
)
_OUT_OF_ROLE: Final = re.compile("|".join(_LEAVES))
_IDLE: Final = re.compile(r"[\s:)-]*")


_PLAYS_ALONG: Final = re.compile(
    r"参见|叩见|奴才|奴婢|臣妾|微臣|末将|草民|小的(?=[在这遵明昨只不知给])|陛下|皇上|娘娘|殿下|客官|大侠|少侠|少爷|师尊|大人(?=[,!。饶明])|神探(?=[,!。])|"
    r"\b(?:my lord|my lady|m'?lady|m'?lord|milord|your (?:majesty|highness|grace)|sire|aye[, ]+(?:aye|captain|commander)|mademoiselle|good sir|fair maiden|brave adventurer)\b|\*(?:[a-z']+ ){1,5}[a-z']+\*"
)
"""How an assistant speaks to those who play a part, or jest."""


def plays_along(reply: str) -> bool:
    """Return whether a folded reply of the assistant speaks to somebody whom nobody is: the user plays, or jests."""
    return bool(_PLAYS_ALONG.search(reply))


def enters(folded: str) -> bool:
    """Return whether role-play begins in this message (and nobody has left it again)."""
    begins = list(_ROLEPLAY.finditer(folded))
    return bool(begins) and not _OUT_OF_ROLE.search(folded, begins[-1].end())


def leaves(folded: str) -> int | None:
    """Return where the user speaks as themselves again, or None."""
    found = _OUT_OF_ROLE.search(folded)
    idle = _IDLE.match(folded, found.end()) if found else None
    return idle.end() if idle else None


def spans(folded: str, in_role: bool) -> Iterator[tuple[int, int]]:
    """Yield what is said in a role; ``in_role``: the game began earlier."""
    out = leaves(folded)
    begin = _ROLEPLAY.search(folded)
    if in_role:
        yield 0, len(folded) if out is None else out
    elif begin:
        yield begin.start(), len(folded) if out is None or out < begin.start() else out
