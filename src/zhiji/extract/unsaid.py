"""What a message takes out of itself: what it calls a joke, what it does not want kept, whom nobody is.

``spans`` tells which stretches of a folded message are thereby nobody's statement; the patterns also serve ``rules``, where
such words concern an earlier message. Privacy first: in doubt about how far a refusal reaches, it reaches further.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from zhiji.extract.fold import fold
from zhiji.extract.view import Clause, split

# --- jokes --------------------------------------------------------------------------------------------------------

JOKE: Final = re.compile(
    r"逗(?:你|您|下你)|(?<!不是)(?<!没)(?<!没有)(?<!不)(?<!别)开(?:个|下)?玩笑|讲笑|说笑(?!话)|讲玩|骗你(?:的|玩|啦|哒)|(?:说|闹|讲|写|编|玩)着玩|瞎(?:说|编|贫|扯|掰|吹|聊|诌)(?:的|啦|呢|$|[\s,。!~])|(?:我)?胡(?:说|扯|诌)(?:的|八道|$)|吹牛|吹的|乱讲|随口(?:胡|乱|瞎)|才怪|别当真|别信|皮一下|玩梗|口嗨|贫嘴|耍你|整蛊|不(?:吹|装|扯|编|演)了|\((?:不是|误|大误|雾|划掉|bushi|手动[^()]{1,4}|狗头|x|大雾|假的)\)|(?<![a-z])bushi\b|狗头(?=$|[\],。!\s保])|夸张(?:手法|修辞|一?下|了点)|(?:在|都是)?做梦(?:呢|吧|的)?(?=$|[,。!)~])|(?:在|都在)(?:我)?梦里|🤡|"
    r"(?<!not )(?<!no )(?<!ain't )\b(?:just |only )?kidding\b|\bj/?ks?\b(?!\w)|(?<!not )(?<!no )(?<!n't )\bjoking\b|just a joke|(?:only|i'?m|just) messin[g']?|(?:pulling|yanking) (?:your|ur|yer) (?:leg|chain)|\bsarcas|(?:^|\s)/s(?:$|\s)|\bjust joshing|having (?:you|u|ya) on|winding (?:you|u|ya) up|taking the (?:mick|piss)|\bi jest\b|just trolling|gotcha there|(?:^|[.!?]\s*)i wish(?: lol| haha)?\W*$|(?<=\()(?:lol |haha |yeah |well )?(?:i wish|in my dreams|as if|yeah right|not really|kinda lol|if only|joke|sarcasm)\b|\bin my dreams\b|(?<=[.!?])\s*(?:not|yeah right|as if)[.!]*$"
)
_SERIOUS: Final = re.compile(
    r"(?:说|讲|来|谈)(?:点|些|返|回|个)?正(?:经|事)|言归正传|返正经|正经(?:的|点|说)|玩笑归玩笑|不闹了|不贫了|不逗|"
    r"\b(?:nah|no|ok|okay|right|but) (?:but |ok |okay )?(?:seriously|for real|srsly)\b|\bnah but\b|seriously (?:though|tho|now)|in all seriousness|jok(?:es?|ing) aside|on a serious note|real talk"
)
_TURNS_SERIOUS: Final = re.compile(
    r"(?:[^\w一-鿿]|哈|嘻|嘿|好[了啦吧]?|行[了啦吧]?|不|那|开个玩笑|(?<![a-z])(?:lo+l|lmf?ao|rofl|ha(?:ha)*h?|hehe|ok(?:ay)?|k|no|nah|right|alright|but|so|well|now|and|yeah|jk|fine|to be|being|on a|more|anyway|let's be|let me be)(?![a-z]))*"
    r"(?:说正经|讲正经|正经|认真(?:点|的|说|讲)|说真的|说个真的|说实话|讲真|不过真的|真的[,\s]|言归正传|返正经|不闹了|不逗了|不贫了|\b(?:serious(?:ly)?|srsly|for real|fr\b|realistically|(?<=ok )fine|(?<=okay )fine|fine\b|no but\b|in all seriousness|jokes? aside|joking aside|real talk|real answer|actual answer|honest answer|the real (?:one|answer|budget|number)))"
)
"""Begins a message that goes back to what is real."""
_SMILES: Final = frozenset("😂🤣😆😜😝🤪👑🙃😹😅🤡🐶")
_LAUGH: Final = re.compile(r"[😂🤣😆😜😝🤪👑🙃😹😅🤡🐶]|哈哈|嘻嘻|嘿嘿|hh+|233+|\blo+l\b|\blmf?ao|\bhaha|\bhehe")
_EMOJI: Final = re.compile(r"[\U0001f000-\U0001faff]")
_NOT_REALLY: Final = re.compile(
    r"[\s,。!~的啦呢]*(?:我|咱)?(?:没|沒|不|不会|没有)(?:是)?真[^,。!?\n]*|[\s,.!]*i (?:don'?t|didn'?t|wouldn'?t|am not|'m not) (?:really|actually)[^,.!?\n]*"
)
"""What goes on about a joke: that it was none of the user's wishes."""
ABSURD: Final = re.compile(
    r"马斯克|马云|比尔盖茨|他(?:爹|二舅|大爷|亲妈|老子)|外星人|秦始皇|超人|蝙蝠侠|皇帝|玉皇|孙悟空|吸血鬼|神仙|仙女|国王|女王|首富|奥特曼|钢铁侠|机器人|时空|穿越|"
    r"\balien|batman|superman|vampire|wizard|unicorn|time travel|\bking of|\bqueen of|emperor|the president|\bgod\b|robot|dragon|pirate"
)
"""Nobody is that: what says so is a joke."""
_BEING: Final = re.compile(
    r"(?:^|[\s,。!?;\n])(?:(?:我|俺|在下)(?:就|其实|可|乃|才|真|今年|当年|以前|上辈子)*(?:是|叫|乃)|本人(?:是|叫)?)(?:个|一个|一位|当今|你)?[^,。!?;\s]{0,5}(?:马斯克|马云|马化腾|比尔盖茨|刘德华|周杰伦|成龙|李嘉诚|梅西|c罗|爱因斯坦|拿破仑|李白|诸葛亮|福尔摩斯|哈利波特|外星人|秦始皇|蝙蝠侠|皇帝|皇上|玉皇|孙悟空|吸血鬼|神仙|仙女|国王|女王|首富|奥特曼|钢铁侠|宇航员他|格莱美|奥斯卡|诺贝尔|影帝|影后|世界冠军|总统|龙王|阎王|霸总|王子|公主|女皇|太后|魔王|教主|宗主|九五至尊|天王)|"
    r"家里蹲大学|对(?:贫穷|穷|没钱|爱情|恋爱|婚姻|催婚|男人|女人|直男|渣男|渣女|领导|同事|甲方|ddl|kpi|ppt|excel|作业|考试|论文|周报|早八|闹钟|体重秤|减肥|健身|尴尬|鸡汤|谎言|套路|虚伪|废话|打卡|现实|世界|钱|失败|输|穷人|秀恩爱|单身|礼拜一|返工|周一|星期一|上班|早起|工作|学习|数学|加班|开会|人类|运动|做饭|家务|相亲|内卷|打工|老板)(?:严重|重度|天生|深度)?过敏|\ballergic to (?:mondays?|mornings?|work(?:ing)?|people|humans|exercise|bullshit|bs|stupidity|adulting|responsibilit\w+|drama|cleaning|chores|housework|studying|homework|math\w*|meetings?|commitment|poverty|losing|cardio|mornings)\b|"
    r"(?:^|[\s,。!?;\n])(?:本宫|本王|本座|本尊|朕|哀家|贫道|老衲|本大爷|本仙女)|(?:渡|历)(?:完|过)?了?劫|(?:[二三四五六七八九两]百|[一二三四五六七八九两几]千|万|[2-9]\d\d|\d{4,})多?岁|"
    r"\b(?:i'?m|i am|as|being) (?:(?:obviously|actually|basically|literally|clearly|secretly|in fact|technically) )?(?:the |a |an |your )?(?:real |actual |new |next )?(?:alien|batman|superman|vampire|wizard|unicorn|time travell?er|elon musk|beyonc[eé]|taylor swift|donald trump|messi|ronaldo|einstein|napoleon|sherlock holmes|harry potter|shakespeare|james bond|king of|queen of|duke of|duchess of|prince of|princess of|lord of|earl of|emperor|empress|pope|president of|god\b|dragon|pirate|sultan|tsar|czar|immortal|mermaid|ghost|santa)|"
    r"\b(?:[2-9]\d\d|\d{4,}|a thousand|a million) years old|"
    r"(?:卡|账户|账|银行|身家|家产|资产|兜|存款|零花钱|月薪|年薪|工资)[^,。!?]{0,5}?[几\d一二两三四五六七八九十百千]+个?亿|(?:^|[\s,。!?;\n])我[^,。!?]{0,4}(?:隐藏|隐形|亿万|百亿)的?富豪|(?:买|拥有|统治|承包|收购)[^,。!?]{0,5}(?:地球|月球|火星|太阳|银河|宇宙|全世界)|(?:地球|月球|火星|银河系?|宇宙)(?:给)?(?:买|承包|收购)|"
    r"吃(?:得?下|掉)?[一两三几十半]+整?头(?:牛|大象|猪)|扛把子|(?:祖上|祖先|我家|家里)[^,。!?]{0,4}(?:皇亲国戚|皇族|王室|皇室|贵族)|(?:姚明|刘翔|博尔特|爱因斯坦|刘德华|彭于晏|吴彦祖|金城武|梁朝伟|周杰伦|泰森)[^,。!?]{0,3}(?:见|看|都|也)|我(?:男朋友|女朋友|老公|老婆|爸|妈|男友|女友)(?:是|叫)?(?:彭于晏|吴彦祖|金城武|梁朝伟|刘德华|周杰伦|胡歌|王一博|肖战|迪丽热巴|刘亦菲)(?![一-鿿])|江湖人称|(?:^|[。!?\n;])[^。!?\n;]{0,16}永远(?:的)?(?:十八|\d{2})岁?|(?:世界|全球|宇宙|银河系?|全港|全国|亚洲|全村|全公司|地表)第一(?:帅|美|靓|懒|能|穷)|(?:帅|靓|美|漂亮|好看)(?:到|得)[^,。!?]{0,12}(?:围观|口罩|报警|撞墙|行开|尖叫)|"
    r"\b(?:as an? |i'?m an? )(?:multi-?|literal )?(?:billionaire|trillionaire|zillionaire)|\bmy (?:other |second |new )?(?:car|ride|house|pet|cat|dog|ex)(?:'s| is) an? (?:spaceship|rocket|ufo|tank|castle|dragon|unicorn|dinosaur)|\b(?:own|bought|rule) (?:half of|all of|the whole of|most of) (?!an? |the |my |our |this |it\b|that )[a-z]+|\b(?:own|bought|rule) the (?:moon|sun|earth|world|universe|galaxy|ocean|internet)|"
    r"\bi'?m (?:basically|practically|pretty much|technically) an? [^,.!?()]{3,30}\(|\b(?:been to|born on|live on|moving to) (?:the )?(?:mars|moon|venus|jupiter|pluto|saturn|narnia|hogwarts|mordor|atlantis)\b|\bheir to (?:the|a) |\b(?:retirement|life|career|five.year|backup|financial|pension) plan is (?:dying|death|winning|the lottery|to (?:die|win|marry rich|be rich)|marrying rich|vibes)|\b(?:blood type|religion|love language|spirit animal|superpower|cardio|love life|bank balance) (?:is|=) (?:basically |just |pure )?(?:coffee|wine|pizza|sarcasm|sleep\w*|naps?|cake|chocolate|gin|beer|tea|cheese|memes|caffeine|a joke|zero|nonexistent|carbs|a sloth|a potato)|\bmarried to my (?:ps\d|xbox|switch|pc|laptop|phone|bed|sofa|couch|fridge|job|work|career|duvet|pizza|coffee|air ?fryer|spreadsheet\w*|games?)|\bprofessional (?:napper|sleeper|procrastinator|overthinker|snacker|couch potato|eater|complainer|time.waster|binge.?watcher)|\b(?:eat|drink|live on|survive on|run on)(?:s|ing)? (?:nothing but |only |purely |pure )?(?:glitter|spite|tears|rage|sarcasm|vibes|regret|souls|the tears|hopes and dreams)|\bi (?:personally |literally )?(?:invented|discovered) (?:gravity|fire|the wheel|electricity|the internet|sliced bread|america|time)|"
    r"(?:^|[.!?]\s*)(?:oh )?(?:yeah|yes|ya) sure,? (?:i'?m|i)\b|\bworld'?s (?:greatest|best|okayest|worst) (?:dad|mum|mom|boss|boyfriend|girlfriend|husband|wife|cook|dancer)"
)

_TALL: Final = re.compile(
    r"王者|之王|顶流|负数|负分|[^,。!?]{2,6}选手|奥运|金牌|奖牌|诺贝尔|家里蹲|大王|界的|无穷|宇宙|全球|史上|祖师|鼻祖|首席|御用|终身成就|世界级|国宝级|大师级|专业户|十级|满级|天花板|头号|(?:一辈子|八百|一千|一万)[年次遍回个]|"
    r"\b(?:champion|master|legend|queen|king|ceo|president|professor|phd|chief|goddess|guru|world record|certified|full.?time|olympic|gold medal\w*|award.?winning) (?:of|in|at|holder|procrastinator|hater|napper|overthinker|disaster|idiot|mess)\b|"
    r"\b(?:[2-9]\d|\d{3,}) (?:languages|cats|wives|husbands|ex(?:es)?|jobs|degrees|phds|cars|houses|girlfriends|boyfriends)\b"
)
"""Too much to be true if it is laughed at in the same breath."""
_BOASTS: Final = re.compile(
    r"\b(?:obviously|clearly|naturally|of course|literally|hundreds?|thousands?|millions?|billions?|trillions?|infinite|castle|camels?|throne|kingdom|lions?|tigers?|dinosaurs?|yachts?)\b|[百千万亿]|当然是|皇|王|宇宙|银河|火星|月球"
)


def takes_back_boast(folded: str, earlier: str) -> bool:
    """Return whether a message turns serious, so that the absurd or laughing one before it, as written, was a joke."""
    before = fold(earlier)
    turn = _TURNS_SERIOUS.match(folded)
    if turn is None:
        return False
    laughs = _LAUGH.search(folded, 0, turn.end()) or any(
        pattern.search(before) for pattern in (_LAUGH, ABSURD, _BEING, _BOASTS)
    )
    return bool(laughs) or bool(_EMOJI.search(earlier))


# --- refusals -----------------------------------------------------------------------------------------------------

_NO_ZH: Final = r"(?:别|不要|不用|不必|不想|不方便|不宜|不愿意?|不需要|不准|不许|不(?:好|能)(?!意思)|没(?:必要|需要)|勿|甭|莫|不使|无需|不可以|就不)"
_LINK_ZH: Final = (
    r"(?:你|您|帮|我|给|替|再|让|叫|拿|去|把|将|这|那|它|此|些|个|条|件|事|句|都|也|乱|随便|特意|专门|真|用|特地|偷偷)*"
)
_STORE_ZH: Final = (
    r"(?:(?<![忘登日笔标牢书传死])记(?!错|得|恨|仇|者|性|号|名|混|反|岔|账|挂|忆力)(?:住(?!在)|下来?)?|(?<![安])保存|(?<![库积寄生封储保])存(?![在货取款钱放折活])|(?<![抄语目])录(?![音像用取屏制])|(?:做|作|予)(?:任何|什么)?(?:记录|保存|存档|留存|备份)|(?:写|抄|录)(?:低|下来?)(?![一-鿿])|留(?:底|档|痕|存|记录)|(?<=[别勿甭])留(?:着|下|住)?(?=(?:了|啦|喇|吧|哈|啊|呀|哦|喔)*(?:$|[,。!?\s])|[他她它这那]|我?的?(?:名|姓|电话|手机|号码|地址|信息|记录|资料))|(?<=[不][要用想必好许准能])留(?:着|下)?(?=(?:了|啦|喇|吧|哈|啊|呀|哦|喔)*(?:$|[,。!?\s]))|登记进|备案|归档|入(?:档|库)|(?:save|store|record|log|keep|note|mark|remember)(?![a-z])|[进入放](?:档案|系统|记录|资料|记忆|备忘)|(?:写|放|加|存|录|收|记)(?:进|入|到|下|上)(?:去|里面?|来)|"
    r"往[^,。!?\n]{0,8}(?:档案|资料|记录|小本|本本|本子|记忆|系统|备忘|脑)[^,。!?\n]{0,4}(?:写|放|记|存|塞|加)|(?:写|放|加|存|收)(?:进|入|到|在)[^,。!?\n]{0,4}(?:档案|资料|记录|小本|本子|记忆|系统|备忘))"
)  # fmt: skip
_NO_EN: Final = (
    r"(?:\bdon'?t|\bdo not|\bdnt|\bno need (?:for (?:you|u) )?to|\bneedn'?t|\bnot necessary to|\bnever|\brather (?:you|u) (?:didn'?t|not)|(?:can|could|would|will) (?:you|u)(?: please| pls)? not|"
    r"(?:can|could) (?:we|you|u) (?:please )?(?:not|avoid|skip)|\bplease not|\bnot to be|\bshouldn'?t be|\bisn'?t to be|\bavoid|\bstop|\bskip)(?: (?:you|u|ever|even|go|bother|be|to|need to|have to|actually|please|pls|ya))*"
)
_STORE_EN: Final = (
    r"(?:remember(?:ing|ed)?|sav(?:e|ed|ing)|stor(?:e|ed|ing)|record(?:ed|ing)?|memori[sz]\w*|log(?:ged|ging)?\b(?! in| out| on| me| into)|noting|not(?:e|ed)(?= (?:that|this|it|any|down|my)\b|\s*[,.!?)]|$)|retain|jot|"
    r"keep(?:ing)? (?:that|this|it|my [\w ]{2,20}|any of (?:this|it|that)|anything|a (?:note|record)|notes|records)(?= (?:on|in|of|anywhere|please|pls|ok|though|tho|saved|stored|about)\b|\s*[,.!?)]|$)|"
    r"writ(?:e|ing) (?:that|this|it|any\w*(?: of \w+)?) ?(?:down|anywhere)|put(?:ting)? (?:that|this|it|any of (?:it|this|that)|my \w+) (?:in|on|down|anywhere|into)\b|(?:make|take|keep) (?:an? |any )?(?:notes?|records?|copy|copies)\b|add (?:that|this|it) to|file (?:that|this|it))"
)
REFUSAL: Final = re.compile(
    rf"{_NO_ZH}{_LINK_ZH}{_STORE_ZH}|(?:要|得|请|帮我|替我|给我)保密|保密(?=$|[,。!?\s啊哦哈呀])|别外传|别(?:跟|和|对|同|告诉)?(?:别人|任何人|外人)(?:说|讲|提)?|(?:说|听|看|聊|用|问)(?:完|过|听|说)?(?:你)?就(?:忘|算了?(?=$|[,。!\s])|好(?=别|不|$|[,。!\s])|行(?=$|[,。!\s]))|听听而已|到此为止|烂在肚子|(?:话|事|我)?(?:就)?说到这|你知我知|不留记录|[这那][句条个段些]?(?:话|事)?(?:就|都|先)?不留(?!学|神|情|意|心|恋|言)|不(?:做|作|予|进行)(?:任何|什么)?(?:记录|保存|存档|留存|备份)|(?:你|咱俩|我俩)?(?:自己)?(?:心里)?(?:知道|清楚|明白|晓得|有数)就(?:行|好|成|可以)(?=$|[,。!?\s了啦吧哈])|"
    rf"{_NO_EN} {_STORE_EN}|\b(?:nothing|none of|not a word of)(?! (?:wrong|to))[^.!?\n]{{0,40}}? (?:should|must|is to|gets?|needs? to|may|can|to) (?:be )?{_STORE_EN}|\b(?:keep|make|take|leave|hold) no (?:records?|notes?|logs?|trace|copy|memory)\b|\b(?:don'?t|do not|never|not) (?:hang|hold) on ?to\b|\bforget (?:that )?(?:you|u|ya) (?:ever )?(?:heard|read|saw|know)\b|off the record|\bnot for (?:the |your |any )?(?:records?|notes?|files?|storage|memory|keeping)|(?:just|only) for (?:this|our) (?:chat|convo|conversation|session)|(?:只|仅)(?:在|限)?(?:这|本)次(?:对话|聊天)|(?:delete|forget|erase|wipe) (?:this|our|the) (?:convo|conversation|chat|message|bit|part)|(?:^|[.,!?(]\s*|\b(?:just|stays?|strictly|keep (?:this|it|that)) )between (?:us|you and me|ourselves|you n me)\b|\b(?:keep|stays?|strictly) (?:(?:this|that|it|all this) )?(?:private|confidential|secret|to yourself|hush|between)|(?:ears|eyes) only|"
    r"(?:(?:leave|keep) (?:this|that|it|\w+)|(?:stays?|goes|kept|left|remains?)) (?:out of|off|outside) (?:of )?(?:my|the|your|any) (?:profile|notes?|memory|files?|records?|history|logs?)|(?:goes|go) no further\b|forget (?:this|that|it|i (?:said|told)[^,.!?\n]{0,20}) (?:after|afterwards|when|once|as soon)|\bno (?:notes?|records?|logs?) (?:of|on|about) (?:this|that|it)"
)
_OWN_HABIT: Final = re.compile(
    r"(?:\b(?:i|we|they|he|she|who|people|wife|husband|mum|dad)(?: (?:really|honestly|just|also|still|can|could|will|do|would|usually|always|often))*|我(?:总|老|从|经常|都|也|真|又|还|是)*) *$"
)
_POINTER: Final = re.compile(
    r"(?:[\s,:!.]|[^\w一-鿿]|这|那|此|呢|嗰|个|件|事|情|数|些|话|段|条|点|你|您|就|也|可|请|麻烦|不过|但是?|所以|先|跟|对|告诉|说|讲|悄悄|偷偷|哈|哦|喔|啊|嗯|谢谢|好的?|懂了?|再|又|秘密|"
    r"\b(?:and|but|so|again|please|pls|plz|ok|okay|thanks?|thank|thx|ta|hey|hi|hello|btw|um|uh|this|that|that's|thats|this is|it|is|just|bit|part|one|can|could|would|you|u|i'd|i|want|like|need|to|also|actually|oh|no|nah|hmm|well|the|for|me|fyi|lol|great|cool|cheers|rly|really|info|detail|thing|secret|tell|let|something|stays?|goes|remains|strictly|keeps?|purely|between|anywhere|here|either|though|tho)\b)*"
)
_ANAPHOR: Final = re.compile(r"这|那|此|呢(?:件|个|单)|嗰|刚|上面|前面|\b(?:this|that|it|any of|bit|again|above)\b")
_BACKWARD: Final = re.compile(
    r"[了啦喇](?=$|[,。!?~\s])|那|刚|上面|前面|之前|算了|\b(?:that|it|above|earlier|just said)\b"
)
"""A refusal without these that opens a message is about what comes, all of it."""
_TOPIC: Final = re.compile(
    r"(?:我的?|这个|那个)?(?P<zh>名字|姓名|生日|年龄|电话|手机号?|号码|邮箱|(?:家庭|收货)?(?:地址|住址)|工作|职业|公司|收入|工资|学校|体重|身高|血型|病史|车牌)|\b(?:my |the )?(?P<en>name|birthday|age|phone|number|e-?mail|address|job|salary|income|weight|school|employer)\b"
)
"""What may be refused by its name, the rest of the message being kept."""
_CONTRAST: Final = re.compile(
    r"(?<=[\s,。!?;])(?:另外|还有|但是?|不过|对了|顺便|不过)|\b(?:but|also|though|however|btw|other than that)\b"
)
_KEEP: Final = re.compile(
    r"(?:可以|要|能|得|只|但|请|帮我|都)(?:帮我|给我)?(?:记|存)(?!错)|记(?:住|下|一下|得)|(?<!别)(?<!不要)记(?:我|着)|\b(?:you (?:can|may)|(?:but |pls |please )?do|but|please|pls|only|just) (?:keep|save|remember|store|note|record|bear)\b|(?:is|that's|are) (?:fine|ok|okay) to (?:keep|save|store)"
)


def refuses(folded: str) -> re.Match[str] | None:
    """Return where a folded text asks not to keep something, or None."""
    return next((found for found in REFUSAL.finditer(folded) if not _OWN_HABIT.search(folded, 0, found.start())), None)


def refers_back(folded: str) -> bool:
    """Return whether a text that refuses says nothing itself that it could mean, beyond a topic's name."""
    found = refuses(folded)
    if found is None:
        return False
    before, topic = folded[: found.start()].strip(), _TOPIC.match(folded.strip())
    return not _tells(before) or (topic is not None and not _tells(before[topic.end() :]))


def spans(folded: str, written: str = "") -> Iterator[tuple[int, int]]:
    """Yield what a message itself refuses to have kept or calls a joke."""
    clauses: Sequence[Clause] = ()
    for found in REFUSAL.finditer(folded):
        if not _OWN_HABIT.search(folded, 0, found.start()):
            clauses = clauses or split(folded)
            yield from _refused(folded, clauses, found)
    for found in JOKE.finditer(folded):
        clauses = clauses or split(folded)
        yield _joked(folded, clauses, found.start())
        denied = _NOT_REALLY.match(folded, found.end())
        end = denied.end() if denied else found.end()
        if not re.search(r"[^\W_]{2}", folded[end:]):  # nothing serious follows
            yield found.start(), len(folded)
    if (serious := _SERIOUS.search(folded)) and (
        _LAUGH.search(folded, 0, serious.start()) or _BEING.search(folded, 0, serious.start())
    ):
        yield 0, serious.start()
    if _TALL.search(folded) and _LAUGH.search(seen := _with_smiles(folded, written)):
        clauses = clauses or split(folded)
        yield from _laughed_at(folded, seen, clauses)
    for found in _BEING.finditer(folded):
        clauses = clauses or split(folded)
        yield _absurd(folded, clauses, found)


def _index(clauses: Sequence[Clause], position: int) -> int:
    return max((index for index, clause in enumerate(clauses) if clause.start <= position), default=0)


def _tells(words: str) -> bool:
    return not _POINTER.fullmatch(words)


def _refused(folded: str, clauses: Sequence[Clause], found: re.Match[str]) -> Iterator[tuple[int, int]]:
    index = _index(clauses, found.start())
    here = clauses[index]
    sentence = [clause for clause in clauses[: index + 1] if clause.sentence == here.sentence]
    last = max(clause.end for clause in clauses if clause.sentence == here.sentence)
    stop = _KEEP.search(folded, found.end(), last)
    turn = _CONTRAST.search(folded, found.end(), last)
    end = clauses[_index(clauses, stop.start())].start if stop else last
    if named := _named(folded, here, found):
        yield from ((clause.start, clause.end) for clause in clauses if named in folded[clause.start : clause.end])
        return
    if _tells(folded[sentence[0].start : found.start()]):
        yield sentence[0].start, found.start()
        yield found.end(), max(found.end(), min(end, turn.start() if turn else end))
        return
    if not _tells(folded[: here.start]) and not _BACKWARD.search(folded, here.start, here.end):
        turns = [at.start() for pattern in (_KEEP, _CONTRAST) for at in pattern.finditer(folded, found.end())]
        ends = [turn for turn in turns if _tells(folded[found.end() : turn])]
        yield found.end(), min([*ends, len(folded)])
        return
    yield found.end(), max(end, found.end())
    before = [clause for clause in clauses[:index] if clause.sentence < here.sentence]
    follows = _tells(folded[found.end() : end])
    back = _ANAPHOR.search(folded, here.start, max(found.end(), end if not follows else found.end()))
    if before and (back or not follows):
        told = [clause for clause in before if _tells(folded[clause.start : clause.end])]
        if told:
            first = min(clause.start for clause in before if clause.sentence == told[-1].sentence)
            yield first, told[-1].end
    elif not follows:
        after = [clause for clause in clauses[index + 1 :] if clause.sentence > here.sentence]
        if after:
            yield after[0].start, max(clause.end for clause in after if clause.sentence == after[0].sentence)


def _named(folded: str, here: Clause, found: re.Match[str]) -> str:
    """Return the topic that a refusal names right before or after itself and that is told elsewhere, or nothing."""
    around = (folded[here.start : found.start()].strip(), folded[found.end() : here.end].strip())
    for words in around:
        topic = _TOPIC.match(words)
        if topic and not _tells(words[topic.end() :]):
            return topic["zh"] or topic["en"]
    return ""


def _joked(folded: str, clauses: Sequence[Clause], position: int) -> tuple[int, int]:
    """Return what stands before the word that calls it a joke: in its sentence, else in the one before."""
    index = _index(clauses, position)
    sentence = clauses[index].sentence
    start = min(clause.start for clause in clauses if clause.sentence == sentence)
    if not re.search(r"[^\W_]{2}", _LAUGH.sub("", folded[start:position])):
        before = [clause for clause in clauses[:index] if clause.sentence < sentence]
        start = min((one.start for one in before if one.sentence == before[-1].sentence), default=start)
    return start, position


def _with_smiles(folded: str, written: str) -> str:
    """Return a folded text with the laughing faces that folding has made commas."""
    smiles = [at for at, char in enumerate(written) if char in _SMILES]
    chars = list(folded)
    for at in smiles:
        chars[at] = written[at]
    return "".join(chars)


def _laughed_at(folded: str, seen: str, clauses: Sequence[Clause]) -> Iterator[tuple[int, int]]:
    """Yield the sentences that say something tall and laugh at it."""
    for sentence in {clause.sentence for clause in clauses}:
        said = [clause for clause in clauses if clause.sentence == sentence]
        start, end = said[0].start, said[-1].end
        tall = _TALL.search(folded, start, end)
        if tall and (laugh := _LAUGH.search(seen, start, end + 4)):
            yield start, max(tall.end(), laugh.end())


def _absurd(folded: str, clauses: Sequence[Clause], found: re.Match[str]) -> tuple[int, int]:
    index = _index(clauses, found.end() - 1)
    here = clauses[index]
    rest = [clause for clause in clauses[index:] if clause.sentence == here.sentence]
    stops = [stop.start() for pattern in (_SERIOUS, JOKE) if (stop := pattern.search(folded, found.end()))]
    end = min(rest[-1].end, *stops, rest[-1].end)
    first = clauses[_index(clauses, found.start() + 1)]
    return min(first.start, here.start), max(end, found.end())
