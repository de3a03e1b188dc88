"""The flags of a clause: question, hypothetical, report, somebody else's attribute, one-off, guess, mood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from zhiji.extract import lexicon
from zhiji.extract.subjects import is_another
from zhiji.extract.view import Clause, Flag

_QUESTION_ZH: Final = re.compile(
    r"[吗么嘛咩]$|^(?:(?![还没着才可正一二三四五六七八九十两\d]).)*呢$|是不是|是否|能不能|可不可以|要不要|会不会|有没有|好不好|行不行|对不对|吃不吃|(?<!没)(?<!没有)(?<!管)(?<!论)什么(?!都|的$)|怎么(?!都|也)|怎样|为何|哪(?!怕|都)|"
    r"几(?=[点岁号月位时]|天(?!后|前|内)|[杯次颗粒片碗瓶张件斤层楼克](?:$|[啊呀呢才好合]))|多少|多(?:久|大|长|远|重|高|贵)(?=$|[啊呀呢了])|谁(?!都|也)|可否|能否|点解|边(?:度|个|间|只|款)|有无|吗[,\s]|"
    r"(?:[会能行好要懂有在是对用可吃喝看来买去到远贵疼难值]|厉害|严重|合适|方便|管用|划算|靠谱|安全|值得|可以|够用|过去|了|完)(?:不|没有?)(?:啊|呀|呢|哈)?$|(?:能|会|可以|要|得|用|有|是|行|好|知道|认识|记得)[^,。!?]{0,10}(?:不|没|没有)(?:啊|呀|呢|哈)?$|咋(?!地|说|呼)|(?<![没不])啥(?!都|也|的$|事没)|乜(?!都|也)|(?:得|了|过)[^,。!?]{1,8}未$|点样|几时|几多|几钱|多钱|怎(?=样|算|弄|办|选|会|能)|为啥|凭啥|"
    r"([一-鿿])不\1(?!\1)|(能|会|要|是|有|行|对)[^,。]{0,10}不\2$|可不可|使不使|得不得|(?:知道|请教|打听|问)(?:一?下)?(?:怎|哪|什么|多|能|有|是)"
)
_QUESTION_EN: Final = re.compile(
    rf"^\s*(?!{lexicon.WE_ARE_EN})(?:can|could|do|does|did|is|are|am|was|were|will|would|should|shall|may|has|have (?:you|i|we|they)|what|what's|whats|which|who|who's|whose|how|how's|why|where|where's|"
    r"when(?: (?:is|are|do|does|did|will|can|should))|whats|wheres|whens|hows|whos|whys|wat|wats|wtf|guess (?:who|what|where|how)(?:'s)?|any idea|any (?:tips|recommendations|suggestions|advice|news|update|chance|word)|(?:i )?(?:was |am |just )*wondering|i(?:'m| am) wondering|i wonder|not sure (?:if|whether|what|how)|tell me)\b(?!')"
)
_REQUEST: Final = re.compile(
    r"^(?:能不能|可不可以|可以|能|能否|可否|麻烦)?(?:请|你|您)?(?:帮我|给我|把|将|替我)[^,。!?;\n]*(?:改|换|寄|送|记|发|备注|更新|设|用|叫)|^[^,。!?\s]{0,8}(?:能不能|可不可以|可以|能否|能)(?:都|就|请|直接|以后)*(?:寄|送|改|叫我|用|别|不要|不放|少|多|按|给我|先|只)|"
    r"^(?:can|could|would|will) (?:you|u|i|we)(?: please| pls| just)? (?:change|be|update|stop|ship|send|deliver|set|make|note|remember|call|use|switch|keep|reply|answer|text|email|put|redirect|forward|add|get (?:it|this|that) (?:shipped|sent|delivered))\b"
)
"""A wish in the form of a question."""
_HYPOTHETICAL: Final = re.compile(
    r"如果(?!方便|可以|行|能|(?:还|没)?来得及|还没|没问题)|假如|假设|假使|假定|假若|倘若|倘使|若果(?=我)|哪天(?=我)|有朝一日|要是(?!方便|可以)|万一|若是|若(?=我)|设想|想象|打个?比方(?=[,\s:]|如果|说?我|$)|比方说|比如说?(?=我)|就当|(?:我|要|真|万一|有)[^,。]*(?<!方便)(?<!可以)(?<!推荐)的话$|我希望我|要不是|恨不得|早知道?|换[成作了]?(?:你是我|我是你|是你)|下辈子|来世|理论上|(?:了|中|赢|发财|暴富)[^,。]{0,8}(?<!方便)(?<!可以)的话(?=我|你|$)|(?:拿|以)我(?:当|做|举|为)例子?|但愿我|(?:以后|将来|要是|想)(?:生|有)(?:个|了)?[^,。]{0,6}(?:就|想|打算)?(?:取名)?叫|做梦|梦见|梦到|"
    r"\b(?:if|what if|even if) (?!possible|(?:that|it|this|any of (?:that|this)|at all) (?:matters|helps|makes|relevant)|(?:it'?s|its|it is|that'?s) (?:not|still|of|any|ok|okay|easier|helpful|relevant|possible|useful|cool|alright|all right)|still possible|(?:yo)?u must know|anyone(?:'s)? (?:asks|asking|cares|wonders)|i remember|i recall|memory serves|(?:yo)?u (?:can|could|don't|dont|like|want|need|have time|please|would|wouldn't)|that's|it's ok|so\b|not\b|any\b|needed|poss\b|overnight)|\bsuppose|\bimagine|hypothetical|let'?s (?:say|assume|pretend|imagine)|\bsupposing|\bassum(?:e|ing) (?:that )?(?:i\b|i'?m\b|my\b|we\b)|\bwere (?:i|we) to\b|\bin my (?:past|previous|next|last|former) life|\bin (?:another|an alternate|a parallel|my next|a past|some other) (?:life|universe|world|reality)|(?<![a-z])say(?=我)|\bwish(?:ing)? (?:i|we|my)\b|\bsomeone like me\b|\bpicture (?:this|me)\b|(?<!to )(?<!should )\bsay i'?m|(?<!to )(?<!should )\bsay i\b|in case|\bi wish|\bas if|as though|\bunless\b|for example|for instance|in theory|i dreamed|i dreamt|thinking out loud|just curious|pretend(?:ing)? (?:i|that i)|\bhad i\b|would've|would have"
)
_CONDITION: Final = re.compile(
    r"(?:如果|要是|万一|若是)[^。!?;\n]{1,24}?[,\s]?(?:就|请|麻烦|直接|帮我|记得|先)?(?:把|给我|帮我|请)?(?:不要|别|不吃|避开|放|寄|送|打|联系|发|换|改|转|退|交|叫|通知|提醒|留|推荐|订|选|用|说)|"
    r"\bif (?:i'?m not|i am not|i don'?t (?:answer|pick|reply)|i miss|nobody|no one|no-one|no answer|it(?:'s| is| isn't)|there(?:'s| is)|you (?:recommend|suggest|book|order|send|call|need|have|ever|find)|they|the \w+)\b[^.!?\n]*\b(?:please|pls|leave|put|call|ring|text|try|use|give|send|keep|no|skip|avoid|don'?t|just|make sure)\b|"
    r"\b(?:please|pls|leave|put|call|ring|text|try|use|give|send|keep|no|skip|avoid|don'?t)\b[^.!?\n]* if (?:i'?m not|i am not|i don'?t|nobody|no one|no answer|it(?:'s| is)|there(?:'s| is)|you)\b"
)
"""How something shall be done in a case: a wish, whatever its "if"."""
_WOULD: Final = re.compile(r"\bwould\b|\bcould\b|'d\b|能不能|会不会|多少|可以吗|怎么|该")
_REPORTED: Final = re.compile(
    r"(?:客服|他们?|她们?|它|你们?|您|朋友|同事|老板|领导|上司|同学|老师|邻居|室友|房东|卖家|店家|商家|快递员|有人|人家|别人|网友|网上|新闻|预报|书上|文章|广告|群里|抖音上?|小红书上?|人们?|"
    rf"(?:{lexicon.KIN_ZH}))(?:[^,。!?;\n我]{{0,6}})?(?:说(?![慢快清大小得])|话(?=我|他|自己|\")|讲(?![慢快清大小得题解课座究道故])|问|称(?!呼)|写道|写着|表示|提到|告诉我|觉得|认为|以为)|(?<!我)(?<!我要)发(?:了)?(?:条|个)?(?:(?:朋友圈|微博|帖子?|弹幕)|(?:动态|消息|短信|微信)(?=[:说]))|(?:朋友圈|微博|帖子?|评论区?|弹幕)(?:里|上)?(?:写|说|发|有人)|(?:原话|原文|标题|题目|签名|简介|弹幕|评论区?|字幕|旁白|开头|结尾|那句|这句|一句|句话|台词|歌词|群里|公告)[^,。!?:\n我]{{0,8}}(?:[:]|[说写刷唱讲是念]|就是)|发(?:来|给我|过来|我)(?:了)?(?:一?[条句个段])?(?:消息|微信|短信|信息)?(?:[:\s]|的?[:]|$)|[一-鿿]{{2,4}}(?<!我)(?:说过|曾说|有云|云)(?=$|[:,])|(?:前任|前男友|前女友|博主|楼主|up主|主播|群主|甲方|作者|歌手|明星|专家|大师)[^,。!?我]{{0,4}}(?:说|写|讲|唱|发)|歌里[^,。]{{0,4}}唱|(?<![补说多问提加讲])[那这一][句段](?:话)?(?=\s*(?::|我|$))|听说|据说|传说|所谓|俗话|名言|歌词|台词|标题|题目|作文|剧本|(?:小说|剧|电影|电视剧|书|歌|戏)(?:里|中|说|讲)|主角|男主|女主|"
    r"\b(?:he|she|they|someone|somebody|people|everyone|agent|rep|support|(?:some )?(?:bloke|guy|man|woman|lady|lad|kid|girl|boy|dude)(?: [a-z]+){0,3}|(?:my|the|a|his|her|this) (?!doc|gp\b|dentist|physio|diet|nurse|vet\b|consultant|optician|therapist|specialist|surgeon|paediatric|pediatric|midwife|allergist|cardiolog|dermatolog)[a-z]+)(?: (?:just|also|always|once|even|still))? (?:says?|said|goes(?=[\s:,]*(?:[\"\n]|i\b|$))|told|asks?|asked|wrote|writes|claims?|claimed|(?:texted|texts|emailed|messaged|dm'?e?d|posted|tweeted|commented|replied)(?!,|$)|sang|sings|thinks?|thought|believes?|keeps? saying|mentioned)\b|"
    r"\b(?:my|the|his|her|their|our|a|this)(?! (?:[a-z]+ )?(?:doc|gp\b|dentist|physio|diet|nurse|vet\b|consultant|optician|therapist|specialist|surgeon|p?a?ediatric|midwife|allergist|cardiolog|dermatolog))(?: [a-z']+){1,5} (?:says?|said|reads)(?= (?:i|i'm|im|i am|my)\b)|rumou?r|supposedly|reportedly|the (?:article|book|lyrics|song|novel|movie|story|script|character)|you (?:said|told|think|thought|mentioned|called)|\bquote\b|^who (?:sang|sings|said|says|wrote|sung)\b|\b(?:what|which|name (?:the|that)) (?:song|poem|film|movie|book|artist|line)\b|(?:saw|read|found|seen)(?: (?:this|it|that|one|a \w+|someone|somebody))? (?:post |comment |thread |meme )?(?:on|in|from) (?:reddit|twitter|x|insta\w*|ig|tiktok|facebook|fb|linkedin|youtube|a (?:forum|book|meme|mag\w*)|the (?:news|paper|comments))\b|\b(?:(?:his|her|their|the|a|this|boss|one|that|[a-z]+'s) (?:\w+ )?(?:bio|post|tweet|status|email|e-mail|note|letter|card|ad|advert|review|comment|text|message|profile)|bio|caption|headline|poster|sign|mug|shirt|meme|quote|lyric|line)(?: (?:says?|said|reads?|goes|was|is))?\s*[:\"]|(?:poster|caption|headline|sign|meme|card|mug|shirt|quote|lyric|line|profile|bio) (?:says?|said|reads?|goes)\b|\bfrom (?:the|his|her|their|a) (?:letter|book|diary|article|post|novel|poem|song|speech|film|movie)\b"
)
_ONCE: Final = re.compile(
    r"这(?:一)?(?:次|回|顿|单)|就这(?:一)?(?:次|回)|今(?:天|晚|早|次|日|儿)(?!起)|突然|暂时|先这样|刚才|刚刚|此刻|这会儿|现在有点|目前有点|今餐|呢次|(?:刚|中午|今早|早上|下午|晚上|昨晚|头先|啱啱)[^,。!?]{0,4}(?:抢到|喝了|吃了|点了|啃了|食咗|饮咗|食了|饮了)|"
    r"这回|例外|just this once|just this [a-z]+\b|this (?:one )?time|this once|for now|just now|right now|\btoday\b|tonight|at the moment|just once|one-off|for this (?:order|one)"
)
_MOOD: Final = re.compile(
    r"\b(?:i'm|im|i am|i'll|ill|i will|we're) (?:so |literally |honestly )?never (?:ever )?[a-z]+(?:ing)?\b[^.!?]{0,24}\bagain\b|\bnever again\b|(?:发誓|这辈子|以后|我)再也?不[^,。!?]{1,10}了|[困累饿热冷穷忙懒][成得]?(?:狗|傻|晕|不行|半死|要死|要命|炸)|我(?:就|真|可)?(?:就|真)?是(?:个|一个)?(?:大)?(?:废物|垃圾|废柴|蠢货|傻瓜|傻子|笨蛋|loser)|什么都(?:学不会|做不好|不会|干不好)|一事无成|(?:超级?|好|巨|太|特别|真的?|很|贼|现在|有点)(?:紧张|焦虑|害怕|慌|尴尬|难受|难过|委屈|开心|高兴|激动|兴奋)|我(?:真|太|好|就是|怎么这么|咋这么)(?:的|是)?(?:没用|失败|差劲|蠢|笨|菜|废)|(?:周末|节日|新年|假期|生日|中秋|国庆|圣诞|元旦|旅途|用餐|春节|新春)(?:快乐|愉快)|祝(?:你|您|大家)|(?:我都?|都)替你|烦死|气死|累死|困死|饿死|热死|冷死|冻死|笑死|吓死|丧|崩溃|emo(?![a-z])|心累|郁闷死|好烦|好累|好困|好饿|好无聊|无聊死|想哭|想死|想静静|想骂|想躺|躺平|摆烂|不想(?:动|理|说话|上班|上学|干活|做饭|见人|起床|活|努力)|(?:谁|什么|啥|乜|咩)都不(?:想|愿)|懒得|(?:突然|忽然|好|巨|超|超级|特别|真|贼|老|极|很|都)想(?:吃|喝|睡|瞓|哭|食|饮|去海边|回家)|(?:今儿|今晚|晚上|宵夜|中午|而家|现在)[^,。!?]{0,4}想(?:吃|喝|食|饮)|馋|嘴馋|凍到|冻到|热到|边个都不想|想瞓|"
    r"\bugh+\b|\bargh+\b(?! \d)|knackered|exhausted|shattered|(?:so|too|absolutely|dead|proper|bloody|fucking|super|really|just) (?:tired|bored|hungry|sleepy|sad|angry|annoyed|fed up|done|stressed|grumpy|hangry|cold|hot|over it)|can'?t be (?:bothered|arsed|fucked)|\bcba\b|\bmeh\b|starving|\bcraving|could murder|\bfancy an?\b|in the mood|feel(?:ing)? (?:like (?:shit|crap|death|crying)|down|low|meh|lazy|grumpy|awful|sick of)|(?:worst|best) [a-z]+ ever|fed up|(?:hate|sick of) (?:everything|everyone|everybody|this day|my life)|want to (?:cry|scream|sleep)|\brn\b|\bi'?m (?:just |really |honestly )?(?:such )?an? (?:complete |total |absolute |huge |big )?(?:idiot|failure|loser|mess|wreck|disaster|joke|fool|moron|disgrace)\b|(?:everyone|everybody|nobody) hates me|i ruin everything|i'?m (?:so |just )?(?:useless|worthless|rubbish|trash|pathetic|hyped|buzzing|nervous|anxious|gutted|devastated|heartbroken)\b"
)
_LASTING: Final = re.compile(
    r"一直|总是|每[天次周晚早到年]|从小|常年|多年|平时|一向|长期|慢性|\b(?:always|every|usually|for (?:years|ages|months)|since|chronic|never)\b"
)
_AHEAD: Final = re.compile(
    r"明[天早晚日]|后天|听日|下(?:周|星期|礼拜|个?月)|[上下]午[一二两三四五六七八九十\d]+点|\btomorrow\b|\bnext (?:week|month|[a-z]+day)\b"
)
"""What comes is no mood, though it be dreaded."""
_TURNS_REAL: Final = re.compile(
    r"其实|实际上|事实上|说正经|现实(?:是|中|里|呢)|(?:而家|现在|目前)(?:都|还|只)?是|单纯好奇|就(?:是)?好奇|纯好奇|随便问问|(?:但|不过|可是?|而)我|我自己|\b(?:actually|in reality|in fact|as for me|just curious)\b"
)
"""Ends what was only supposed or reported, within a sentence: what follows is the user's own."""
_HEDGED: Final = re.compile(
    r"可能|也许|大概是|或许|好像|似乎|应该是|不确定|不一定|说不定|估计|貌似|我猜|没准|\bmaybe\b|\bperhaps\b|\bprobably\b|i (?:think|guess|suppose|believe)|not sure|might be|may be|\bkinda\b|sort of|possibly"
)


def _own_flags(words: str, mark: str) -> Flag:
    flags = Flag.NONE
    asks = "?" in mark or _QUESTION_ZH.search(words) or _QUESTION_EN.search(words)
    if asks and not _REQUEST.search(words) and not ("?" not in mark and _PROTEST.match(words)):
        flags |= Flag.QUESTION
    if _ONCE.search(words) and not lexicon.FOR_NOW_EN.search(words):
        flags |= Flag.ONCE
    return flags


_PROTEST: Final = re.compile(
    r"(?:我|人家|俺|老子)?(?:从来|从小|才|又|早就?|根本|明明|压根|一直|一向|[看听玩吃喝用穿读打练]的是?|[看听玩吃喝用穿读打练](?=[^,]{2,8}的好))[^,。!?什么怎哪谁几吗]{1,16}(?:好吗|好不好|好伐|好嘛)$"
)
"""A retort in the form of a question: 我从来不穿裙子好吗."""
_TAIL: Final = re.compile(r"(?:ok|okay|可以|行|好|得|对|是|work)?\s*[吗么嘛呢吧咩没不啊]{1,2}")
"""The end of a question that stands alone behind a word of another script."""
_OWN: Final = re.compile(r"我|俺|咱|\b(?:i|i'm|im|ive|i've|my|me|we|our)\b")
_DETAIL: Final = re.compile(
    r"(?!.*我)[^,。!?]{1,12}(?:那种|这种|那类|那些|那样|的话)(?:的|吧|呢|啊|呀)*|(?![做搞学教卖跑开干送住养租在是家男女])(?!.*我)[^,。!?]{1,5}的|"
    r"(?!.*我)(?:就|也就|大概|大约|只|差不多|顶多|最多|偶尔|平均|每|一|个?(?:天|周|星期|礼拜|月|日|晚|早上?|晚上|次|顿|回|餐)|吃|喝|食|饮|抽|用|跑|走|打|来|那么)*"
    r"(?:\d+|[一两二三四五六七八九十半几]+)(?:小|大)?(?:杯|口|块|片|颗|粒|瓶|罐|根|支|碗|勺|顿|次|回|遍|个|克|毫升|ml|g|两|斤|盒|包|公里|小时|分钟|岁)(?:半|多|左右|而已|吧|的|呢|啊|呀|上下)*"
)
"""What somebody adds to a question that is not about themselves: how much, how often, of which kind."""
MAX_DETAIL_CHARS: Final = 40
_CLASS: Final = re.compile(
    r"(?:老人家?|夫妻|情侣|一家[三四五]口|孕妇|产妇|坐月子?|宝宝|婴儿|小孩|儿童|新生儿|新手|学生|男生|女生|男仔|女仔|女人|男人|病人|患者|(?:过敏|不耐|[一-鿿]{2})的人|[狗猫犬]|兔子|仓鼠)|(?:^|[\s,])(?:can|do|does|are|is|should|how do|what do|why do) (?:[a-z]+ ){0,2}?(?:people|someone|somebody|anyone|patients|kids|babies|toddlers|women|men|dogs|cats|rabbits|pets|students|[a-z]+(?:ics|ians|ers|eads|ists)|vegans|adults|teens)\b"
)
"""A question about a kind of people or animals; what else it says, without "I", is of them."""
_ASKING: Final = re.compile(
    r"(?:你好|您好|哈喽|hi|hello)?[\s,]*(?:请问|请教|想问|想请教|问一?下|问问|咨询一?下|打听一?下|弱弱地?问)"
)
_MINE: Final = re.compile(r"\b(?:i|i'm|my)\b")
_THIS_TIME: Final = re.compile(r"这[次回]|例外|this (?:one )?time|this once|just this")
_YOU: Final = re.compile(r"你|您|(?:you|u)\b")
_OWN_TURN: Final = re.compile(
    r"^(?:不过|但是?|可是?|而|反正|单纯|只是)+我|^我(?:自己|本人|这边|还|倒|想|要|打算)|^(?:其实|实际上|说真的|事实上)|\b(?:actually|in fact|in reality|truth is|myself)\b|^but (?:i|my)\b"
)
"""Where somebody else's words, or a case that was only put, end and the user goes on."""
_OPENS: Final = re.compile(
    r"(?:发(?:来|给我|过来|我)(?:了)?(?:一?[条句个段])?(?:消息|微信|短信|信息)?|说|写|写道|唱|刷|[那一]句|标题是|签名|原话|台词)\s*$"
)
"""Ends a clause whose next are somebody's words."""
_ASKS_ME: Final = re.compile(
    r"(?:你|您|麻烦|请|记得|到时候?)(?:再|就|帮我)?(?:提醒我|叫我|帮我)|提醒我(?:一?下|就)|^(?:just |please |pls |so |can you |could you )*remind me\b"
)
"""A request to the assistant: the user speaks for themselves again."""
_OF_THEMSELF: Final = re.compile(
    r"(?:说|讲|话|称|表示|提到)(?:他|她|自己)|\b(?:says?|said|told me|tells me|mentioned) (?:that )?(?:he|she|they)\b"
)
_TURNS_TO_ME: Final = re.compile(
    r"[\s,]+(?=(?:and|but|so|cos|because|while|since|though) (?:i|i'm|im|i've|my)\b)|\s+(?=(?:but |and )?(?:i'm|im|i am|i have|i've) )"
)


def _parts(folded: str, clauses: Sequence[Clause]) -> Iterator[Clause]:
    """Yield the clauses; one that begins with somebody else and goes on with "and I" is two."""
    for clause in clauses:
        words = folded[clause.start : clause.end]
        turn = _TURNS_TO_ME.search(words, 1) if is_another(words.strip()) else None
        if turn is None or _REPORTED.search(words) or _HYPOTHETICAL.search(words):
            yield clause
        else:
            middle = clause.start + turn.start()
            yield replace(clause, end=middle, mark=",")
            yield replace(clause, start=clause.start + turn.end())


def _condition(folded: str, sentence: Sequence[Clause]) -> bool:
    words = folded[sentence[0].start : sentence[-1].end]
    asks = any(
        "?" in one.mark or _own_flags(folded[one.start : one.end].strip(), one.mark) & Flag.QUESTION for one in sentence
    )
    return bool(_CONDITION.search(words)) and not asks and not _WOULD.search(words)


def flag(folded: str, clauses: Sequence[Clause], spoken: str) -> tuple[Clause, ...]:
    """Return the clauses with their flags; ``spoken`` is the text with its fillers.

    Hypotheticals and reports run to the end of their sentence, or to where the user speaks of themselves again.
    """
    flagged: list[Clause] = []
    carried, other, gloomy, once, sentence = Flag.NONE, False, False, False, -1
    of_class = False
    parts = list(_parts(folded, clauses))
    for clause in parts:
        words = folded[clause.start : clause.end].strip()
        if clause.sentence != sentence:
            carried, other, gloomy, once, sentence = Flag.NONE, False, False, False, clause.sentence
        subject = is_another(words)
        other = other if subject is None else subject
        if subject is None and _MINE.search(words):
            other = False
        spaced = clause.start > 0 and folded[clause.start - 1] != ","
        spaced = spaced and not carried & Flag.HYPOTHETICAL
        quoted = bool(flagged) and bool(_OPENS.search(folded, flagged[-1].start, flagged[-1].end))
        if (
            carried
            and not quoted
            and (
                (spaced and _OWN_TURN.match(words))
                or re.match(r"其实|实际上|事实上|actually|but i\b|in fact", words)
                or _ASKS_ME.search(words)
            )
        ):
            carried = Flag.NONE
        if _TURNS_REAL.search(spoken, flagged[-1].end if flagged else 0, clause.end):
            carried = Flag.NONE
        if _HYPOTHETICAL.search(words) and not _condition(folded, [one for one in parts if one.sentence == sentence]):
            carried |= Flag.HYPOTHETICAL
        if _REPORTED.search(words):
            if _OF_THEMSELF.search(words):
                other = True
            else:
                carried |= Flag.REPORTED
        if _HEDGED.search(spoken, clause.start, clause.end):
            clause = replace(clause, flags=Flag.HEDGED)
        moody = bool(_MOOD.search(spoken, clause.start, clause.end)) and not (
            _LASTING.search(words) or lexicon.FOR_NOW_EN.search(words)
        )
        gloomy = moody or (gloomy and subject is None and not _LASTING.search(words) and not _AHEAD.search(words))
        once = (once or bool(_THIS_TIME.search(words))) and not _LASTING.search(words)
        tail = bool(flagged) and _TAIL.fullmatch(words) and not folded[flagged[-1].end : clause.start].strip()
        if tail and flagged[-1].sentence == clause.sentence:
            flagged[-1] = replace(flagged[-1], flags=flagged[-1].flags | Flag.QUESTION)
        if _ASKING.match(spoken[clause.start : clause.end].strip()) and "我" not in words:
            clause = replace(clause, flags=clause.flags | Flag.QUESTION)
        asked = flagged[-1] if flagged and Flag.QUESTION in flagged[-1].flags else None
        mine = bool(_OWN.search(words)) or (asked is not None and bool(_OWN.search(folded, asked.start, asked.end)))
        of_class = asked is not None and (of_class or bool(_CLASS.search(folded, asked.start, asked.end)))
        detail = _DETAIL.fullmatch(words) or (of_class and len(words) <= MAX_DETAIL_CHARS)
        if asked and detail and not mine:
            clause = replace(clause, flags=clause.flags | Flag.QUESTION)
        own = _own_flags(words, clause.mark) | (Flag.ONCE if once else Flag.NONE) | (Flag.MOOD if gloomy else Flag.NONE)
        flagged.append(replace(clause, flags=clause.flags | carried | own | (Flag.OTHER if other else Flag.NONE)))
        if own & Flag.QUESTION:
            carried &= ~Flag.HYPOTHETICAL
        if other and _YOU.match(words):
            other = False
    return tuple(flagged)
