"""Frames: what goes without saying beside a word, and turns of phrase of one frame in its plainest words. Pure data.

A frame is what a fact is about: a job, getting up, a pet and its name. Its own words ("profession", "wakes up", "called")
and what they imply ("works", "daily", "a dog") carry nothing that the values in it do not.
"""

from __future__ import annotations

from zhiji.relation.lexicon.idioms import MONTHS as _MONTHS
from zhiji.relation.lexicon.idioms import Plainer

FRAMES: tuple[tuple[str, str, str], ...] = (
    (
        "job person:teacher person:coach person:nanny person:cleaner person:assistant",
        "",
        "hospital bank school company diningroom factory hotel library cafe bookstore supermarket",
    ),
    ("getup work 出门 breakfast lunch dinner", "usually", "daily weekday"),
    ("sleep", "usually", "daily"),
    ("animal", "homeplace", "dog cat pet bird rabbit"),
    ("cat dog rabbit bird hamster parrot turtle", "homeplace", ""),
    ("person", "own", "called"),
    ("health", "病 症", ""),
    ("food drink", "food 食物", ""),
    ("feet cm", "", "height"),
    ("standup", "usually", "weekday"),
    ("gym", "go workingout exercise", ""),
    ("device mobile computer laptop tablet", "系统 系统为 运行 装 跑 running run install os system use own", ""),
    ("retired", "", "before"),
    ("fee", "charg cost pay", ""),
    ("learn", "pro 专业", "college"),
    ("stage", "learn", ""),
    ("put", "", "want"),
    ("repair", "plan", ""),
    ("lefthanded", "writ", "lefthand"),
    ("righthanded", "writ", "righthand"),
    ("tongue", "", "languag"),
    ("intolerant", "", "milk dairy"),
    ("called", "own", ""),
    ("example bulletpoints emojis code steps tablesheet", "reply 里 说", ""),
)
"""Words, or topics of one, that both sentences hold; words that then say nothing; and words that one may leave out."""

_PERIODS = {"周": "周", "期": "周", "拜": "周", "天": "天", "月": "月"}

CHINESE: tuple[tuple[str, Plainer], ...] = (
    (
        r"今年(?=\s?[\d一二两三四五六七八九十]+\s?周?岁)|(?:年龄|年纪|岁数)(?:是|为|:)?\s?(?=[\d一二两三四五六七八九十])",
        "",
    ),
    (r"(?:到期|失效|过期)(?:日期|时间|日)(?:是|为|:|在)?\s?(?=\d)", "有效期"),
    (
        r"(?:收到的?)?(?:货|商品|东西)(?:少|缺|漏)(?:发|寄)?了?(?=\s?[\d一二两三四五六七八九十]+\s?[件个只盒瓶本份])",
        "商品少发",
    ),
    (r"(?:家里的?|是)独(?:[子女]|生[子女])(?!女)", "是独生子女"),
    (
        r"(?<=用户)(?:开了?|经营|运营|打理)着?一?[家间个](?=[^，,。]{1,6}(?:[店馆厅铺吧屋所]|公司|工厂|工作室)(?:$|[,，。]))",
        "经营",
    ),
    (
        r"(?<=[\u4e00-\u9fff])(?:开了?|经营|打理)着?一?[家间](?=[^，,。]{1,6}(?:[店馆厅铺吧屋所]|公司|工厂|工作室)(?:$|[,，。]))",
        "经营",
    ),
    ("(?<=[的把])(?:会|会议)(?=(?:改|推|提前|延|挪|取消|换))", "会议"),
    ("暂时|目前|眼下|长期(?=[吃素喝坚服失])", ""),
    ("退(?:了)?烧了?", "发烧好了"),
    ("消肿了?", "肿好了"),
    (r"有了?\s?([\d一二两三四五六七八九十]+\s?年)多?的?工作经[验历]", r"工作了\1"),
    ("(?<=[要想])住(?=[^,，。]{0,2}(?:[单双大]人|标|大床|家庭)[间房])", ""),
    ("有空闲?(?![间调白格军])|得空", "有时间"),
    ("(?:只|仅|就)(?:会|懂|能)(?:[说讲])?(?:一点儿?|一些|几句|皮毛)", "不会说"),
    (r"[改转](?=[坐搭乘骑开])", "改成"),
    (r"(?:要|得|需要)(?=\s?[\d一二两三四五六七八九十]+\s?(?:天|周|个?小时|个月|个?星期)(?:以后|之后|后)?才)", "推迟到"),
    ("(?<=[天周时月期])(?:以后|之后|后)?才[能会可]?以?(?=[到发送寄完好])", ""),
    ("(?:多|用)?(?:举|用)(?:一些|些|几个)?(?:例子?|实例|示例)(?:来?说明)?", "用例子"),
    ("(?<=[头腰背牙肚胃腿脚颈胸肩嗓喉手眼膝腹][部子咙盖口])痛|(?<=[头腰背牙肚胃腿脚颈胸肩腹])痛", "疼"),
    ("(?:喉咙|咽喉|嗓子眼?)(?=疼|不舒服|发炎)", "嗓子"),
    ("(?:肚子|腹部|腹)(?=疼)", "肚子"),
    ("[去要得想]*看(?=(?:牙医|牙科|医生|中医|皮肤科|眼科|心理医生|骨科)(?:$|[,，。]))", "预约"),
    ("(?<=骑)(?:车|自行车|单车|脚踏车)(?:去公司|上下班|去单位)", "自行车上班"),
    (
        r"(?:房子|家|房屋|住房)(?:的)?(?:面积)?(?:有|是|为|大约|约)?\s?([\d一二两三四五六七八九十百]+)\s?(?:平方米|平米|平方|平)(?!台)",
        r"房子面积\1平米",
    ),
    (r"(?<=[点半分\d])钟?[就才便]?起(?:来|身)?(?=$|[,，。])", "起床"),
    (r"([跑游健理洗])(了?[\d一二两三四五六七八九十]+[次回])([步泳身发澡])", r"\1\3\2"),
    (
        "一(周|个?星期|个?礼拜|天|个?月)(?![后前内以之抽])(?=[^，,。]{0,6}(?:[次回包杯支根瓶]|小时))",
        lambda match: "每" + _PERIODS[match[1][-1]],
    ),
    ("(?:自己|独自)?一个人(?:居住|生活|住)", "独居"),
    ("搬出[来去]?(?=自己|独|单独)", "搬家"),
    (r"(?<=月)(\d{1,2})号", r"\1日"),
    ("每隔(?=[两二三四五六\\d]+个?(?:周|星期|礼拜|月|年))", "每"),
    ("[和跟与同]([^，,。]{1,3}?)分居", r"，\1分居"),
    ("(?<=[点时])([一三])刻", lambda match: "15分" if match[1] == "一" else "45分"),
    (r"[一二两三四\d]居室?|[一二两三四\d]室[一二两\d]厅", "房子"),
    ("(?:没有?|未)及格", "不及格"),
    ("(?:补考|重考)([^，,。没未]{1,6}?)(?:终于|已经?)?(?:通过|考?过)了?(?=$|[,，。])", r"考过\1"),
    ("(?:接受|拿到|收到)了?(?:一[份个])?(?:工作|录用)(?:邀请|机会|通知)", "找到工作"),
    ("来自(?=己)", "来 自"),
    ("(?:最?后|末|尾)[四4三3两]位(?:数字?|号码?)?", "尾号"),
    ("(?:电话|手机)号?码?(?:的)?尾号", "手机号尾号"),
    (r"([晚夜][^，,。]{0,6}[点半分\d])钟?(?:休息|就寝)(?=$|[,，。])", r"\1睡觉"),
    ("(?:尚未|还没有?|还未|暂未|没有?)(?=发货|付款|支付|寄出|发出)", "未"),
    ("(?:习惯|惯|平时|一般|都)?用([左右])手(?:写字|吃饭|做事)?(?=$|[,，。])", r"\1撇子"),
    ("([一两三])儿([一两三])女", r"\1个儿子\2个女儿"),
    ("血压(?:偏|有点|比较|很)高", "血压高"),
    ("发薪日(?:是|为)?", "发工资"),
    ("发票(?:是|为|要)(电子|纸质)[的版]?", r"\1发票"),
    (r"(?<=[人名号码址期间业龄高重型额])为(?=[\u4e00-\u9fffa-z\d])(?![了什何])", "是"),
    ("读研(?![究一二三])", "读研究生"),
    ("(?:正在|[在正])(处理|审核|审批|受理|跟进|维修|派送|配送|运输)中?(?=$|[,，。])", r"\1中"),
    ("打着?石膏", "戴着石膏"),
    ("(?:交|找到?|谈)了一?个?(?:[男女]朋友|对象)", "谈恋爱了"),
    ("之[行旅](?=$|[,，。])", "旅行"),
    ("病(?:已经?)?(?=好了|好转|痊愈|康复)", "生病"),
    ("(?:攒|存)钱(?=买)", "打算"),
    ("(?<=[级试考目课])没过(?=$|[,，。])", "没考过"),
    ("不懂得?(?:怎么|如何)?(?=[^，,。]{0,2}(?:游泳|开车|驾驶|驾车|骑|做饭|下厨|烹饪|烹调|滑|弹|跳|编程))", "不会"),
    ("(?<=会)(?:驾驶|驾车|开汽车)(?=$|[,，。])", "开车"),
    ("[和跟与同](弟弟|妹妹|哥哥|姐姐|兄弟|姐妹)俩?(?:是|为)(?:一对)?双胞胎", r"有双胞胎\1"),
    ("有(?:一?对)?双胞胎(?=$|[,，。])", "有双胞胎孩子"),
    ("已退(?=[伍役休])", "已经退"),
    ("(?<!大)[学读念修](?:的是|的|了)?([^，,。的是]{2,6})专业", r"主修\1"),
    ("专业(?=(?:是|为|:)[^，,。])", "主修"),
    ("在([^，,。]{2,8}?)教([^，,。书导练师学育室材堂]{1,4}?)课?(?=$|[,，。])", r"是\1的\2老师"),
    ("有(?:个(?!性|人|头)|位(?!置|子))(?=[\u4e00-\u9fff])", "有"),
    ("(孩子|宝宝)((?:上个?|这个?|本)[周月]|[昨今前][天日晚早])(?=出生|降生)", r"\2\1"),
    ("(?<![核批请件款务单])[还尚](?:没有?|未)通过(?!审)", "没有考过"),
    ("(?:补考|重考|复考)(?:终于|已经?)?(?:通过|考?过)了?", "考过"),
    ("(?:换了?|有了?|办了?|启用了?)(?:一?个)?新的?(?:手机|电话)?号码?(?![楼店线院])", "换了手机号"),
    ("(?:因为?|由于)[^，,。]{1,12}?(?=(?:退出|取消|放弃|退赛)了?)", ""),
    ("(?:拿到?|收到?|接到?|接受)了?[^，,。]{0,6}?(?:offer|录用通知书?|入职通知书?|聘书)", "找到工作"),
    ("[和跟与同]([^，,。男女]{1,4}?)(?:已经?|最近|上个?[周月])?订了?婚", r"和 \1 订婚"),
    ("[和跟与同]([^，,。男女]{1,4}?)(?:已经?|最近|上个?[周月])?(?:解除|取消|撕毁)了?婚约", r"和 \1 ，分手"),
    ("(?:解除|取消|撕毁)了?婚约|退了?婚(?![纱礼])", "分手"),
    ("[到至](?=凌晨|半夜|深夜|很晚|天亮)", ""),
    ("(?<=用户)家的?(?=[^，,。]{1,6}?[叫名])", "的"),
)
"""For sentences with Chinese in them; tried before the idioms."""

_FIELDS = {"medical": "medicine", "legal": "law", "pre-med": "medicine"}
_FLOORS = {"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth", "5th": "fifth"}
_SIBLING = "(?:older |younger |elder |big |little )?(?:brother|sister)"
_NEWBORN = "(?:an? |her |his |their |our )?(?:healthy )?(?:baby )?"

ENGLISH: tuple[tuple[str, Plainer], ...] = (
    (r"\bmarried to (?:a |an )(?:man|woman|guy|lady|person)(?: (?:called|named|whose name is))? ", "married to "),
    (
        r"\b(?:shares? an? (?:flat|apartment|house|place)|lives?|living|moved in|moved) with (\d+|two|three|four|five|six) (?:other )?(?:roommates?|flatmates?|housemates?|people|others)\b",
        r"sharedflat \1",
    ),
    (
        r"\b(?:is|are) (?:all |completely )?out of (?!town|the|work|a\b|his|her|their|hospital|school|date|order|stock|office)",
        "ran out of ",
    ),
    (
        r"\b(buy|buying|bought|owns?|owned|purchased?|saving for|built) (an?|her|his|their|the) ((?:first |new |own )*)home\b",
        r"\1 \2 \3house",
    ),
    (r"\bflu (?:shot|jab|vaccination)\b", "flu vaccine"),
    (r"\b(house|apartment|flat|job|home)[- ]hunting\b", r"looking for a \1"),
    (r"\bclosed on (?=an? |the |her |his |their )", "bought "),
    (r"\b(?<=is )in the (?:repair )?shop\b|(?<=is )at the mechanic(?:'s)?\b", "being repaired"),
    (
        r"\brefund (?:has |was |been )*(?:reached|hit|landed in|arrived in|credited to|posted to|came through)(?: (?:the |his |her |their |user's |user )*(?:bank )?(?:account|card))?",
        "refunded",
    ),
    (r"\b(?:got|had|took) ((?:the |his |her |their )?\w+) (?:off|taken off|taken out|removed)\b", r"removed \1"),
    (r"\b(?:only )?(?:speaks?|knows?) (?:only )?(?:a (?:little|bit of|few words of)|some basic) ", "can not speak "),
    (r"\bloan (?:on|for) (?:the |a |an |his |her |their |my )?(car|house|home)\b", r"\1 loan"),
    (rf"\bends(?= (?:in|on|at the end of) (?:{_MONTHS})\b)", "expirydate"),
    (r"\b(?:work )?shift (?:starts|begins) (?=at)", "starts work "),
    (r"\bruns? out(?= (?:on|in|at|by)\b)", "expires"),
    (r"\breceived (?=an? (?!refund|package|parcel|delivery|order|shipment))", "got "),
    (
        r"\b(?:leave|leaving|drop|put) ((?:the |all |any |his |her |their |my )?(?:package|parcel|order|deliver(?:y|ie)|box)(?:e?s)?) (?=(?:by|at|outside|near|with|in|on)\b)",
        r"put \1 ",
    ),
    (
        r"\b((?:package|parcel|order|deliver(?:y|ie)|box)(?:e?s)?) (?:to be )?(?:left|dropped(?: off)?|placed) (?=(?:by|at|outside|near|with|in|on) )",
        r"\1 put ",
    ),
    (
        r"\bis (?:an? )?(?!(?:college|university|high|middle|graduate|grad|phd|doctoral|transfer|exchange|foreign|new|good|straight|former|full|part|first|second|third|fourth|final|international|night|school|student)\b)(\w{4,}?) (?:major|student)\b(?! (?:at|in)\b)",
        lambda match: f"studies {_FIELDS.get(match[1], match[1])}",
    ),
    (r"(?<![a-z])(windows|android|ios|macos|harmonyos|ubuntu|iphone|ipad)(?=\d)", r"\1 "),
    (r"\b(\d+)x (?=weekly|daily|monthly)", r"\1 times "),
    (r"\b(?:writes?|eats?|draws?) with (?:the |his |her |their |my )?(left|right) hand\b", r"is \1-handed"),
    (rf"\band (?:his|her|their|my) ({_SIBLING}) are (?:identical |fraternal )?twins\b", r"has a twin \1"),
    (r"\bat (1[0-2]|[1-9])(?=$|[.,;])", r"at \1:00"),
    (r"\b(?:job|occupation|profession) is accounting\b", "is an accountant"),
    (r"\b(1st|2nd|3rd|4th|5th)(?= floor)", lambda match: _FLOORS[match[1]]),
    (r"\b(?:apartment|flat|unit) is (?=on the )", "lives "),
    (r"\b(?:is )?an? student at (?=\w)", "studies at "),
    (r"\bhome is (?=an? )", "lives in "),
    (r"\b(\w+) (?:cups?|glass(?:es)?) of (?=\w)", r"\1 "),
    (
        r"\bcharged (?:an? )?([$€£]?\d+(?:\.\d+)?(?: (?:dollars?|euros?|pounds?|yuan|usd))?) for (?:the )?([a-z]+)(?=$|[.,;])",
        r"\2 fee \1",
    ),
    (r"\bwants? (.{3,30}?) (refund|return|exchang|repair)(?:ed)(?=$|[.,;])", r"wants \2 of \1"),
    (
        r"\b(?:got|received|obtained|earned) (?:an?|the|his|her|their) (?:driver's |driving )?(?:licen[cs]e)\b",
        "passed driving license",
    ),
    (r"\b(?:moved|moves) into (?:his|her|their|my) own (?:place|apartment|flat|studio|house)\b", "moved, lives alone"),
    (
        r"\b(?:got|found) a (?:new )?(?:girlfriend|boyfriend|partner)\b|\bstarted (?:dating|seeing someone)\b",
        "is dating",
    ),
    (r"\bsaving (?:up )?(?:for|to buy) (?=an? )", "plans to buy "),
    (r"\b(?:is )?(?:an? )?native (\w+) speaker\b", r"native language is \1"),
    (r"\b(?:is )?(?:an? )?native speaker of (\w+)", r"native language is \1"),
    (r"\b(?:the|this|next|last) may\b(?= [a-z])", "in may the"),
    (
        r"\b(?:accepted|got|received|landed|signed|secured|started|began|took) (?:an?|the|his|her|their) (?:new )?(?:job |full-time )?"
        r"(?:offer\b(?! (?:on|for|from (?:a|the) buyer)\b)|job\b)",
        "found a job",
    ),
    (r"\bjob (?:search|hunt)(?:ing)? (?:is over|has ended)\b", "found a job"),
    (rf"\b(gave|given|giving) birth to {_NEWBORN}(?:girl|boy|son|daughter|child|twins|baby)\b", r"\1 birth"),
    (rf"\bhad {_NEWBORN}(?:twins|girl|boy|baby)(?=$|[,.;]| (?:last|this|yesterday|today|on|in)\b)", "gave birth"),
    (r"\b(had|has|have) (?:an? )?baby (?=shower|bump|monitor)", r"\1 the infant "),
    (r"\b(has|have|is raising) (?:\w+ )?twins\b", r"\1 twin children"),
    (r"\bis running (?=(?:an?|the|her|his|their) (?:half |full )?(?:marathon|race|ultra|5k|10k)\b)", "is planning "),
    (
        r"\b(?:because of|due to|owing to|after|following) (?:an? |the |his |her |their )?(?:\w+ ){0,2}"
        r"(?:injury|illness|accident|surgery|conflict|problems?)(?=$|[.,;])",
        "",
    ),
    (r"\b(?:has|have|had|got|gets?) a new (?:phone |mobile |cell )?number\b", "changed phone number"),
)
"""For sentences with Latin letters in them; tried before the idioms."""
