"""Closed word lists of the rule extractor: kin, people, pets, surnames, places, jobs. Patterns are built from them."""

from __future__ import annotations

import re
from typing import Final

CS: Final = r"(?<![^\s,。!?;:、.()~…\"\[\]—])"
"""Start of a clause in a folded text, as a look-behind. White space counts: Chinese often has no other mark."""
CS_EN: Final = r"(?:(?<![^\s,.!?;:()~…\"\[\]—\u4e00-\u9fff])(?<![a-z0-9'] )|(?<= and )|(?<= but )|(?<= so ))"
"""The same in English, where white space does not count."""


def words(text: str) -> frozenset[str]:
    """Return the words of a space-separated list."""
    return frozenset(text.split())


_KIN_ZH_GROUPS: Final = {
    "妈": "妈妈 老妈 母亲 阿妈 妈咪 我娘 妈",
    "爸": "爸爸 老爸 父亲 老豆 阿爸 爸",
    "父母": "父母 爸妈 爹妈 家人 家里人 老人家 老人",
    "老婆": "老婆 妻子 太太 媳妇 爱人 内人",
    "老公": "老公 丈夫 先生",
    "男朋友": "男朋友 男友",
    "女朋友": "女朋友 女友 对象",
    "未婚夫": "未婚夫",
    "未婚妻": "未婚妻",
    "儿子": "大儿子 小儿子 儿子 阿仔",
    "女儿": "大女儿 小女儿 女儿 闺女 阿女",
    "孩子": "孩子 宝宝 小孩 小朋友 娃",
    "哥哥": "哥哥 大哥 大佬 哥",
    "姐姐": "姐姐 家姐 大姐 姐",
    "弟弟": "弟弟 细佬 弟",
    "妹妹": "妹妹 细妹 妹",
    "爷爷": "爷爷 阿爷",
    "奶奶": "奶奶 阿嫲",
    "外公": "外公 姥爷",
    "外婆": "外婆 姥姥 婆婆",
    "岳母": "岳母 丈母娘",
    "岳父": "岳父 老丈人",
    "公公": "公公",
    "舅舅": "舅舅",
    "叔叔": "叔叔",
    "阿姨": "阿姨 姨妈",
    "姑姑": "姑姑 姑妈",
    "表弟": "表弟",
    "表妹": "表妹",
    "表哥": "表哥",
    "表姐": "表姐",
    "堂弟": "堂弟",
    "堂妹": "堂妹",
    "侄子": "侄子",
    "侄女": "侄女",
    "孙子": "孙子",
    "孙女": "孙女",
    "婶婶": "婶婶",
    "伯伯": "伯伯 大伯",
    "嫂子": "嫂子",
    "姐夫": "姐夫",
    "妹夫": "妹夫",
    "外甥": "外甥",
}
_KIN_EN_GROUPS: Final = {
    "mother": "mother mom mum mommy mama",
    "father": "father dad daddy papa",
    "parents": "parents folks",
    "wife": "wife",
    "husband": "husband hubby",
    "partner": "partner spouse fiancé fiancée fiance fiancee",
    "girlfriend": "girlfriend",
    "boyfriend": "boyfriend",
    "son": "son",
    "daughter": "daughter",
    "baby": "baby toddler newborn",
    "child": "child kid",
    "children": "children kids twins",
    "brother": "brother",
    "sister": "sister",
    "grandmother": "grandmother grandma nana granny",
    "grandfather": "grandfather grandpa granddad",
    "mother-in-law": "mother-in-law",
    "father-in-law": "father-in-law",
    "aunt": "aunt auntie",
    "uncle": "uncle",
    "cousin": "cousin",
    "nephew": "nephew",
    "niece": "niece",
    "grandson": "grandson",
    "granddaughter": "granddaughter",
}
_PET_GROUPS: Final = {
    "猫": "猫咪 猫猫 小猫 橘猫 布偶 英短 美短 暹罗 狸花 三花 黑猫 白猫 猫",
    "狗": "狗狗 小狗 狗子 金毛 泰迪 柯基 哈士奇 拉布拉多 边牧 柴犬 法斗 萨摩耶 博美 比熊 狗",
    "兔子": "兔子 兔兔",
    "仓鼠": "仓鼠",
    "鹦鹉": "鹦鹉",
    "乌龟": "乌龟",
    "鱼": "金鱼 锦鲤",
    "cat": "cat kitten kitty tabby ragdoll siamese",
    "dog": "dog puppy pup corgi labrador lab poodle beagle husky huskies puppies retriever collie dachshund spaniel terrier pug bulldog shepherd boxer chihuahua greyhound whippet rottweiler",
    "rabbit": "rabbit bunny",
    "hamster": "hamster",
    "parrot": "parrot budgie cockatiel",
    "turtle": "turtle tortoise",
    "horse": "horse pony",
    "guinea pig": "guinea-pig",
}


def _canonical(groups: dict[str, str]) -> dict[str, str]:
    return {word: name for name, words in groups.items() for word in words.split()}


def _alternatives(words: dict[str, str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


KIN: Final = _canonical(_KIN_ZH_GROUPS) | _canonical(_KIN_EN_GROUPS)
"""Word for a relative → the name that its keys use."""
PETS: Final = _canonical(_PET_GROUPS)
"""Word for a pet → species."""
KIN_ZH: Final = _alternatives(_canonical(_KIN_ZH_GROUPS))
KIN_EN: Final = _alternatives(_canonical(_KIN_EN_GROUPS))
PETS_ZH: Final = _alternatives({word: name for word, name in PETS.items() if not word.isascii()})
PETS_ANY: Final = _alternatives(PETS)
PETS_EN: Final = _alternatives({word: name for word, name in PETS.items() if word.isascii()})
PEOPLE_ZH: Final = "朋友|同事|老板|领导|上司|同学|老师|邻居|室友|房东|客户|闺蜜|哥们|兄弟|徒弟|导师|下属|网友|亲戚|合租|医生|教练|保姆|司机|店家|卖家|快递员"

_COMPOUND: Final = words("欧阳 上官 司马 诸葛 东方 皇甫 尉迟 公孙 慕容 令狐 司徒 夏侯 端木 南宫 宇文 长孙")
_SURNAMES: Final = frozenset(
    "李王张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文庞樊兰殷施陶洪翟安颜倪严牛温芦季俞章鲁葛伍韦申尤毕聂丛焦向柳邢路岳齐沿梅莫庄辛管祝左涂谷祁时舒耿牟卜詹关苗凌费纪靳盛童欧甄项曲成游阳裴席卫查屈鲍位覃霍翁隋植甘景薄单包司柏宁柯阮桂闵解强柴华车冉房边辜吉饶刁瞿戚丘古米池滕晋苑邬臧畅宫来嵺苟全褚廉简娄盖符奚木穆党燕郎邸冀谈姬屠连郜晏栾郁商蒙计喻揭窦迟宇敖糜鄢冷卓花仇艾蓝都巩稽井练仲乐虞卞封竺冼原官衣楚佟栗匡宗应台巫鞠僧桑荆谌银扬明沙薄伏岑习胥保和蔺麦佘闫邝邰亓仝逄逯麻阚隗晁矫撒库郗"
)
_COMMON: Final = frozenset(
    "李王张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙段雷钱汤尹黎易贺龚庞樊殷陶洪翟颜倪温俞章鲁葛韦聂阮裴祁佟覃邬闫岑隋邢骆缪"
)

CITIES: Final = (
    "北京|上海|天津|重庆|广州|深圳|杭州|苏州|南京|成都|武汉|西安|长沙|郑州|青岛|大连|宁波|厦门|无锡|福州|济南|合肥|昆明|沈阳|哈尔滨|长春|石家庄|太原|南昌|南宁|贵阳|兰州|海口|三亚|银川|西宁|乌鲁木齐|拉萨|呼和浩特|"
    "东莞|佛山|珠海|中山|惠州|温州|嘉兴|绍兴|金华|台州|湖州|泉州|漳州|烟台|潍坊|临沂|淄博|威海|常州|南通|徐州|扬州|镇江|盐城|泰州|淮安|连云港|洛阳|开封|襄阳|宜昌|荆州|岳阳|株洲|湘潭|衡阳|桂林|柳州|汕头|湛江|江门|"
    "唐山|保定|邯郸|秦皇岛|廊坊|大同|包头|鞍山|吉林|大庆|芜湖|蚌埠|黄山|赣州|九江|景德镇|绵阳|德阳|宜宾|遵义|大理|丽江|曲靖|宝鸡|咸阳|香港|澳门|台北|高雄|台中|台南|新北|桃园|九龙|沙田|荃湾|屯门|元朗|"
    "河北|山西|辽宁|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川|贵州|云南|陕西|甘肃|青海|台湾|内蒙古|广西|西藏|宁夏|新疆|东北|"
    "日本|东京|大阪|京都|首尔|韩国|新加坡|泰国|曼谷|伦敦|巴黎|纽约|洛杉矶|旧金山|西雅图|波士顿|芝加哥|多伦多|温哥华|悉尼|墨尔本|柏林|慕尼黑|美国|英国|德国|法国|加拿大|澳大利亚|澳洲|新西兰"
)
"""Places that need no suffix to be known as such."""

JOBS_ZH: Final = (
    r"[^,。!?;\s的是在]{0,8}?(?:老师|教师|医生|护士|律师|会计|程序员|工程师|设计师|厨师|司机|记者|编辑|作家|画家|演员|歌手|导演|摄影师|销售|客服|公务员|警察|军人|农民|工人|商人|学生|大学生|研究生|博士生?|高中生|初中生|"
    r"经理|总监|主管|老板|店主|店长|卖家|创业者|自由职业者?|全职(?:妈妈|爸爸|太太)|家庭主妇|退休(?:教师|工人|职工|老师|医生)?|外卖员|快递员|保安|保洁|电工|木工|焊工|裁缝|理发师|美容师|化妆师|健身教练|教练|翻译|导游|空姐|飞行员|"
    r"药剂师|营养师|心理咨询师|咨询师|分析师|架构师|产品经理|测试|运维|运营|文员|行政|HR|前台|秘书|助理|教授|讲师|研究员|科学家|建筑师|消防员|主播|博主|up主|插画师|甜点师|面包师|咖啡师|调酒师|牙医|兽医|乘务员|码农|打工人|個體戶|个体户|"
    r"船员|海员|渔民|花农|果农|茶农|司仪|策划|采购|审计|出纳|法官|检察官|校长|园长|班主任|村医|月嫂|保姆|代购|网店店主|志愿者|社工|实习生|研发|前端|后端|水手|译者|作者|技师|技工|修理工|收银员|店员|售货员|配音演员|教书的|柜员|(?<![会人成学队党团委组动])员|(?<![打员手施加罢化开人分复动职民竣])工|(?<!出)师|(?<!人)匠)"
)
JOBS_EN: Final = (
    r"(?:[a-z-]+ ){0,3}?(?:teacher|nurse|doctor|engineer|developer|programmer|designer|student|lawyer|accountant|chef|cook|baker|driver|writer|journalist|editor|artist|painter|actor|actress|singer|musician|photographer|"
    r"manager|director|consultant|analyst|scientist|researcher|professor|lecturer|librarian|electrician|plumber|carpenter|mechanic|farmer|gardener|firefighter|paramedic|pharmacist|dentist|vet|veterinarian|therapist|counselor|"
    r"psychologist|architect|pilot|sailor|soldier|translator|interpreter|barista|bartender|waiter|waitress|cashier|clerk|secretary|assistant|recruiter|salesman|salesperson|realtor|broker|banker|trader|founder|entrepreneur|freelancer|"
    r"contractor|tutor|coach|trainer|instructor|hairdresser|barber|tailor|florist|beekeeper|fisherman|welder|technician|administrator|postdoc|intern|apprentice|midwife|radiographer|optician|surgeon|physio|physiotherapist|paralegal|"
    r"social worker|stay-at-home (?:mom|dad|mum|parent)|data scientist|civil servant|police officer|flight attendant|retiree|streamer|blogger|youtuber|ceramicist|potter|weaver|illustrator|copywriter|postman|courier|dispatcher|bookkeeper|tech|operator|worker|officer|owner|specialist|coordinator|supervisor|buyer|cleaner|carer|nanny|au pair)"
)

WE_ARE_EN: Final = r"were (?:off|going|moving|getting|having|both|expecting|trying|flying|driving|renting|buying|planning|staying|vegan|veggie|vegetarian|a family|based|from)\b"
"""How people type "we're"."""
FOR_NOW_EN: Final = re.compile(
    r"\b(?:based|living|lodging|renting|staying|stationed|working (?:as|at|in|for|nights|from|part)|unemployed|pregnant|breastfeeding|between jobs|on (?:mat|maternity|paternity|sick) leave|on (?:nights|lates|earlies)|signed off|off sick|on crutches)\b[^,.!?]*?\b(?P<now>rn|atm|at the moment|right now|for now|currently|this (?:week|month|term))\b"
)
"""What somebody is for the time being, which is more than a moment."""


def surname(text: str) -> str:
    """Return the Chinese surname that a text begins with, or an empty string."""
    if text[:2] in _COMPOUND:
        return text[:2]
    return text[:1] if text[:1] in _SURNAMES else ""


def common_surname(text: str) -> str:
    """Return the surname if it is one of the common ones, which hardly begin other words."""
    return text[:2] if text[:2] in _COMPOUND else text[:1] if text[:1] in _COMMON else ""
