"""Chinese rules (Mandarin, traditional script, Cantonese function words): one row says one kind of thing.

Patterns see folded text, see ``fold``. ``ME`` needs the first person; ``OPEN`` also takes a clause without a subject,
which the guards refuse if the sentence speaks of somebody else.
"""

from __future__ import annotations

import re
from typing import Final

from zhiji.extract.facts import NOT_STATED, Rule
from zhiji.extract.fold import fold
from zhiji.extract.lexicon import CITIES, CS, JOBS_EN, JOBS_ZH, KIN_ZH, PETS_ANY, common_surname, surname
from zhiji.extract.view import Flag

_ADV: Final = r"(?:可能|也许|大概|或许|好像|似乎|应该|早上|中午|晚上|晚饭|早餐|夜里|自己|这边|个人|本身|现在|目前|今年|一直|也|真的?|其实|平时|一般|从小|常年|天生|就|都|还|确实|已经|最近|之前|老|很早|早就|刚刚?|才)*"
ME: Final = rf"{CS}(?:我|本人|俺)(?!们|的|家){_ADV}"
OPEN: Final = rf"{CS}(?:(?:我|本人|俺)(?!们|的|家))?{_ADV}"
MY: Final = rf"{CS}(?:我|本人|俺)(?:们?家|自己)?的?"
END: Final = r"(?=$|[\s,。!?;:()~…]|[啊呀哦啦呢吧哈嘛㗎])"
_ON: Final = r"(?:[^,。!?;\n\s]|\s(?!我|俺|咱|家里|想|请|帮|求|麻烦|给|自己|有啥|有什么|有没有|怎么|周末|平时))"
"""One character of what is said on about somebody, up to where the user speaks of themselves or asks."""
W: Final = r"[^\s,。!?;:\n()~…]"
"""One character of a value."""
DATE: Final = r"(?:\d{2,4}年)?(?:农历|阴历|阳历|公历)?\s*(?:\d{1,2}|[一二三四五六七八九十正腊冬]{1,3})\s*月\s*(?:\d{1,2}|初?[一二三四五六七八九十廿]{1,3})\s*[日号]?"
WITH_ONCE: Final = NOT_STATED | Flag.ONCE

# --- names --------------------------------------------------------------------------------------------------------

_NAME_ENDS: Final = re.compile(
    r"今年|住在|来自|想要|电话|手机|订单|单号|号码|地址|邮箱|以后|之前|昨天|今天|前天|上周|现在|一直|是个|是一|是做|在你|在贵|买了|"
    r"下单|想退|想换|想问|要退|要换|咨询|请问|请帮|帮我|麻烦|收货|是你|是贵|是VI|你可|你们|您好|你好|那个|有个|有一|家住|生日|对花|"
    r"对海|不吃|喜欢|同事|也可|退货|换货|查一|查下"
)
_NOT_A_NAME: Final = re.compile(
    r"我|老婆|老公|妈|爸|什么|啥|谁|快递|外卖|车|醒|客服|人工|一声|不|过|了|这|那|你|您|他|她|它|大家|别人|人|自己|起床|回|去|来|滚|停|单|货|会员|用户|顾客|客户|学生|老师|医生|师傅|警|网|保安|救|代|服务|救命|退|换|订|再|先"
)
_NOT_IM: Final = re.compile(
    r"[师员者士女男手户党族粉客迷控人岁点号区市省座的]$|^(?:高[中一二三兴考管]|马上|马来|何必|于是|任[何性意]|方便|方向|温[柔和]|安[心全]|白[领天羊痴]|成[年人]|金[牛领]|石[油头]|黄牛|全[职款家]|江[湖浙]|时[尚差]|简单|边缘|"
    r"乐观|明[天年早]|易[怒胖]|车主|房[东主]|卖家|和[你您他她]|经常|向来|严[肃重]|应[届聘该]|花[粉心]|水[果瓶]|路[痴过]|米粉|苗条|冷[漠淡]|云南|单[身亲]|包工|关[系于]|强迫|万[分一]|连续|常[客来]|万人|毛[坯病]|钱包|程序|康复|余[下额]|文[盲案])"
)
_SENTENCE: Final = re.compile(r"[是的有在想要了吗把被给和]")


def name(value: str) -> str | None:
    """Return the name that a run of characters begins with, or None."""
    if value.isascii():
        return value if re.fullmatch(r"[A-Za-z][A-Za-z'.-]*(?: [A-Z][A-Za-z'.-]*){0,2}", value) else None
    folded = fold(value)
    for length in (2, 3, 4):
        if _NAME_ENDS.match(folded, length):
            value, folded = value[:length], folded[:length]
            break
    else:
        if len(value) == 4 and surname(folded) and folded[-1] in "住在是想要请今做从有帮退查":
            value, folded = value[:3], folded[:3]
    if not 1 <= len(value) <= 8 or _NOT_A_NAME.search(folded):
        return None
    if len(value) > 4 and "·" not in value and not re.search("[A-Za-z]", value):
        return None
    return value


def full_name(value: str) -> str | None:
    """Return a Chinese name that stands after 我是: a common surname and one or two characters, or 阿珊, 小宋, 老张."""
    if re.fullmatch(r"[阿小老][\u4e00-\u9fff]", value) and not re.search("[板师乡公婆人家外子孩朋白手]$", value):
        return value
    if value.isascii():
        return value if re.fullmatch(r"[A-Z][a-z]{2,}(?: [A-Z][a-z]+)?", value) else None
    found = name(value)
    if found is None or not 2 <= len(found) <= 4 or not common_surname(fold(found)):
        return None
    folded = fold(found)
    return None if _NOT_IM.search(folded) or re.match(rf"(?:{CITIES})", folded) else found


def any_full_name(value: str) -> str | None:
    """Return a full name where the words around it say that it is one: any surname will do."""
    if value.isascii():
        return name(value)
    found = name(value)
    return (
        found if found and 2 <= len(found) <= 4 and surname(fold(found)) and not _NOT_IM.search(fold(found)) else None
    )


def signed(value: str) -> str | None:
    """Return a Chinese full name that stands by itself before what the message is about: three characters, to be sure."""
    found = full_name(value)
    return found if found and len(found) == 3 and not _SENTENCE.search(fold(found), 1) else None


def only_surname(value: str) -> str | None:
    """Return a surname, or None."""
    return value if surname(fold(value)) == fold(value) else None


def address_form(value: str) -> str | None:
    """Return a form of address (张哥, 小宋, 老板娘), or None."""
    folded = fold(value)
    if not 1 <= len(value) <= 8 or re.search(
        r"什么|啥|谁|起床|一下|怎么|过去|不|滚|回|先|再|早|妈妈|吃|睡|干|去|来|别|出|写|做|帮|走|看|快|停|等|多|喝|买|名字|订|退",
        folded,
    ):
        return None
    return value


_PAPER: Final = r"(?:发票|收据|账单|单据|订单|机票|车票|船票|门票|票|保单|证书|合同|会员卡|卡|奖状|请柬|invoice|receipt|bill|cert|form|ticket|booking)"
"""What bears the name of the one for whom it is made out."""

NAMES: Final = (
    Rule(rf"{CS}(?:我|本人|俺|在下)(?:的?(?:名字|姓名|全名|真名|大名|中文名|英文名))?(?:就|是|系)?(?:叫做?|叫作|名叫|全名|名:|名字是|姓名是|姓名:|名)\s*(?P<v>[一-鿿·]{{1,8}}|[a-z][a-z'.-]+(?: [a-z][a-z'.-]+){{0,2}})",
      cues=("叫", "名"), type="identity", key="identity:name", content="用户叫{v}", importance=4, check=name),
    Rule(rf"{CS}(?:我的)?(?:名字|姓名)(?:是|叫|:)\s*(?P<v>[一-鿿·]{{1,8}}|[a-z][a-z'.-]+(?: [a-z][a-z'.-]+){{0,2}})",
      cues=("名",), type="identity", key="identity:name", content="用户叫{v}", importance=4, check=name),
    Rule(rf"{CS}(?:本人|我的?)?(?:名字|姓名)\s?(?P<v>[一-鿿]{{2,3}}){END}",
      cues=("名",), type="identity", key="identity:name", content="用户叫{v}", importance=4, confidence=0.85, check=full_name),
    Rule(r"^\s*(?:我,\s*)?(?P<v>[一-鿿]{3})[\s,]+(?=(?:我的?)?(?:订单|单号|电话|手机|运单|快递|要退|想退))",
      type="identity", key="identity:name", content="用户叫{v}", importance=4, confidence=0.75, check=signed),
    Rule(rf"{CS}(?:我|本人|免贵|小弟|小妹)姓(?P<s>[一-鿿]{{1,2}})(?:[\s,]+(?:名|名字)?(?:叫|是)?|叫)\s*(?P<v>(?P=s)[一-鿿]{{1,2}})(?![一-鿿])",
      cues=("姓",), type="identity", key="identity:name", content="用户叫{v}", importance=4, check=name),
    Rule(rf"{CS}(?:我|本人|免贵|小弟|小妹)?免?贵?姓(?P<v>[一-鿿]{{1,2}}){END}(?![\s,]*(?:名|叫)?(?P=v))",
      cues=("姓",), type="identity", key="identity:name", content="用户姓{v}", importance=4, check=only_surname, forbids=NOT_STATED),
    Rule(rf"{CS}本人\s?(?P<v>[一-鿿]{{2,4}}){END}", cues=("本人",), type="identity", key="identity:name", content="用户叫{v}", importance=4, confidence=0.85, check=any_full_name),
    Rule(rf"(?:自我介绍|介绍一?下自己|关于我|个人(?:信息|情况|资料)|报(?:一?下)?家门)(?:一?下)?(?:哈|啊|吧|先)?[\s,:]+(?P<v>[一-鿿]{{2,4}}){END}", cues=("介绍", "关于我", "个人", "家门"), type="identity", key="identity:name", content="用户叫{v}", importance=4, confidence=0.9, check=any_full_name, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(rf"{CS}(?:你|您)?(?:以后)?(?:仲系|还是)?叫[返回]我(?P<v>{W}{{1,6}}?)(?:得|就得|就好|就行|啦|喇|㗎|的)*{END}", cues=("叫返我", "叫回我"), type="identity", key="identity:call_me", content="用户希望被称呼为{v}", importance=4, check=address_form, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(rf"{CS}(?:我的?)?(?:全名|真名|本名|大名|中文名|英文名|户名|会员名|账户名|收件名|开户名|署名|名字)(?:就?是|叫|写|:)?\s?(?P<v>[一-鿿·]{{2,4}}|[a-z][a-z'.-]+(?: [a-z][a-z'.-]+){{0,2}}){END}",
      cues=("名",), type="identity", key="identity:name", content="用户叫{v}", importance=4, check=any_full_name, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(r"(?<![一-鿿])(?P<v>[一-鿿]{0,3}?(?P<c>[一-鿿])[一-鿿]{0,2})[\s,]+(?:就?是)?(?:[一-鿿]{0,2}(?P=c)[一-鿿]{0,2}的|[一-鿿]{1,4}[旁头底边水]的?(?:那个|嗰个|这个)?)(?P=c)(?![一-鿿])",
      cues=("的", "旁", "头", "底", "边", "水"), type="identity", key="identity:name", content="用户叫{v}", importance=4, confidence=0.85, check=any_full_name),
    Rule(r"(?<![一-鿿])(?:[一-鿿]{0,2}是)?[一-鿿]{0,2}(?P<c>[一-鿿])[一-鿿]{0,2}的(?P=c)[\s,]+(?:就|应该)?(?:是|叫)?(?P<v>[一-鿿]{0,2}(?P=c)[一-鿿]?)(?![一-鿿])",
      cues=("的",), type="identity", key="identity:name", content="用户叫{v}", importance=4, confidence=0.85, check=any_full_name),
    Rule(rf"{CS}(?:帮我|唔该|不该|麻烦|请|我|的|把|将|今次|{_PAPER}(?:上面?|嘅)?)*{_PAPER}\s?(?:上面?)?(?:嘅|的|个)?(?:名字?|抬头|姓名)(?:都|就|系|是|要|请|唔该|不该|麻烦|帮我|可以|\s)*(?:改[成做]|(?:打|写|填|出|开|印|改|用)(?:返|上|番|为|我)*)[\s:]*(?![成做错咗左为])(?P<v>[一-鿿]{{2,4}}|[a-z][a-z'-]+(?: [a-z][a-z'-]+){{1,2}}){END}",
      cues=("名", "抬头"), type="identity", key="identity:name", content="用户叫{v}", importance=4, confidence=0.85, check=any_full_name),
    Rule(rf"[a-z]{{2,}}(?: [a-z]{{2,}})+[\s,/(]+(?:中文|汉字)(?:名字?)?(?:就?是|系|叫|写|:)?\s?(?P<v>[一-鿿]{{2,4}}){END}",
      cues=("中文", "汉字"), type="identity", content="用户的中文名是{v}", importance=4, confidence=0.85, check=any_full_name),
    Rule(r"^\s*(?:(?:我是)?新(?:来|人|生|用户|会员|同学|学员)(?:的|了|报到|一枚)*|初来乍到|(?:新人)?报[到道]|萌新(?:报到)?|第一次来)(?:哈|啦|了|呀|啊)?[\s,.~!…:]+(?:我是|我叫|叫我|叫|是)?(?P<v>[一-鿿]{2,4})(?=[\s,.。!~…;])",
      cues=("新", "报", "第一次", "初来"), type="identity", key="identity:name", content="用户叫{v}", importance=4, confidence=0.85, check=any_full_name),
    Rule(rf"(?:寄给|收件人|收货人|收件|联系人)\s?(?:是|写|叫|:)?\s?(?P<v>[一-鿿]{{2,4}})[\s,]+(?:就?是)?(?:我|本人){END}", cues=("我", "本人"), type="identity", key="identity:name", content="用户叫{v}", importance=4, confidence=0.9, check=any_full_name),
    Rule(rf"{CS}(?:(?:我|本人|我这边|这里|这边)(?:是|系)|这里(?=[一-鿿]{{3}}[\s,。]))(?:你们的?|您们?的?)?(?:(?:老|新)?(?:顾客|客户|会员|用户|买家|读者))?\s?(?P<v>[一-鿿]{{2,3}}|[a-z]{{3,}}(?: [a-z]+)?){END}",
      cues=("是", "这里"), type="identity", key="identity:name", content="用户叫{v}", importance=4, confidence=0.85, check=full_name),
    Rule(rf"{CS}(?:你|您|你们)?(?:以后|之后|今后|平时)?(?:你|您|你们|大家伙?|(?:身边|周围)(?:的)?人|家里人?|同事们?|朋友们?|同学们?|街坊|邻居们?|熟人|圈内人?|别人|人家)?(?:平时|一般|一直|从小|也)?(?:可以|就|都|请|直接)*(?:叫|喊|称呼|管)我(?:叫|为|做|一声)?(?P<v>[a-z][a-z'.-]*(?: [a-z]+){{0,2}}|{W}{{1,8}}?)(?:就行|就成|就好|就可以|就ok|即可|好了|吧|得了|就得)?(?:了|啦)*{END}",
      cues=("叫我", "喊我", "称呼我", "管我"), type="identity", key="identity:call_me", content="用户希望被称呼为{v}", importance=4, check=address_form, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(rf"(?<![他她它们人妈爸])(?:别|不要|老是?|总是?|一直|还)(?:再|老)?叫我(?!去|买|做|来|帮|起|吃)[^。!?\n]{{1,12}}?[\s,.。!?~]+(?:直接|就|请|以后)*叫(?P<v>{W}{{1,6}}?)(?:就行|就成|就好|就可以|即可|得了|就得)(?:了|啦)?{END}",
      cues=("叫我",), type="identity", key="identity:call_me", content="用户希望被称呼为{v}", importance=4, check=address_form, forbids=NOT_STATED & ~Flag.OTHER & ~Flag.QUESTION),
    Rule(rf"我的?(?:名字|姓名|名)(?:又|都|给)?(?:打|写|印|弄|搞|填|登记|录)(?:错)?成了?[一-鿿]{{2,4}}?了?[\s,.。!]+(?:应该|其实)?(?:就?是|叫)(?P<v>[一-鿿]{{2,4}}){END}",
      cues=("成",), type="identity", key="identity:name", content="用户叫{v}", importance=4, confidence=0.9, check=any_full_name, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(rf"{CS}(?:我的?)?(?P<what>网名|昵称|外号|小名|乳名|花名|艺名|笔名|英文名)(?:就?是|叫|:)?\s?(?P<v>[一-鿿]{{1,5}}|[a-z][a-z'.-]*(?: [a-z]+)?){END}",
      cues=("名", "昵称", "外号"), type="identity", key="identity:call_me", content="用户的{what}是{v}", importance=4, check=address_form, forbids=NOT_STATED),
    Rule(rf"{CS}(?:你|您)?(?:以后|之后)?(?:请)?(?:别|不要)(?:再|老)?用[\"']?(?P<v>{W}{{1,8}}?)[\"']?(?:来)?(?:称呼|叫|喊)我", cues=("称呼我", "叫我", "喊我"), type="preference", content="用户不喜欢被叫作{v}", check=address_form),
    Rule(rf"{CS}(?:你|您)?(?:以后|之后)?(?:别|不要|不好(?![吃喝看听用玩意办弄])|莫)(?:再)?(?:叫|喊|称呼)我(?P<v>{W}{{1,8}}?)(?:了|啦)?{END}",
      cues=("叫我", "喊我", "称呼我"), type="preference", content="用户不喜欢被叫作{v}", check=address_form),
)  # fmt: skip

HEALTH: Final = (
    r"(?:[一二12]型)?(?:高血压|低血压|低血糖|糖尿病|高血糖|哮喘|鼻炎|慢性胃炎|胃炎|胃病|胃溃疡|痛风|心脏病|贫血|偏头痛|近视|抑郁症|焦虑症|甲亢|甲减|"
    r"颈椎病|腰椎间盘突出|关节炎|肾结石|脂肪肝|高血脂|癫痫|色盲|色弱|湿疹|荨麻疹|敏感肌|干皮|油皮|多囊|密集恐惧症|恐高症?)"
)
"""Conditions that are kept as they are named."""

# --- person -------------------------------------------------------------------------------------------------------

_NUM: Final = r"(?:\d{1,3}|[一二三四五六七八九]?十[一二三四五六七八九]?)"
_NOT_HOME: Final = re.compile(
    r"^(?:院|校|过|不|得|的|了|进|下|酒店|宾馆|宿舍|几|哪|这|那|上铺|下铺|单|惯)|什么|哪|酒店|宾馆|医院"
)
_FOODISH: Final = r"花生|坚果|海鲜|虾|蟹|鱼|牛奶|奶制品|乳糖|鸡蛋|蛋清|麸质|小麦|大豆|芒果|桃子?|猕猴桃|菠萝|花粉|尘螨|青霉素|头孢|阿司匹林|磺胺|酒精|乳胶|猫毛|狗毛|杨梅|芝麻|杏仁|腰果|核桃|榴莲|草莓|紫外线|螨虫|金属|染发剂"


def home(value: str) -> str | None:
    """Return a place of residence, or None."""
    return (
        None if _NOT_HOME.search(fold(value)) or len(value) > 20 or (value.isascii() and not value.istitle()) else value
    )


def posted(value: str) -> str | None:
    """Return the place to which somebody is sent to work, or None for an errand, a department or people."""
    return (
        None
        if re.search(r"出差|开会|培训|出国|学习|[部组岗课店线科班人户期末们]$|[你他她它这那我活货单]", fold(value))
        else home(value)
    )


_EMPLOYER: Final = r"单位|公司|领导|部队|学校|医院|总部|组织上?|老板|集团|[局厂院行所]里"
_SINCE: Final = r"(?:又|就|都|直接|临时|刚刚?|才|突然|最近|前阵子?|上个?月|今年|去年|年初|年底|已经|正式)*"


def kin_home(value: str) -> str | None:
    """Return where a relative lives, or None where they only work or study."""
    return (
        None
        if re.search(r"上班|工作|读|学$|念|打工|里?当|里做|家$|旁边|身边|这里|那里|吗$", fold(value))
        else home(value)
    )


def allergen(value: str) -> str | None:
    """Return what somebody is allergic to, or None for a negation or a question word."""
    folded = fold(value)
    if (
        re.search(r"什么|啥|哪|不$|没有?$|任何|并不|^不|^没|不会|你|他|她|我|这|那|东西$|食物$|皮肤", folded)
        or len(value) > 12
    ):
        return None
    return re.sub(r"(?:严重|有点|轻微|特别|非常|都|也|很|会|重度|中度|的东西|类)+$", "", value) or None


def place_of_work(value: str) -> str | None:
    """Return where somebody works, or None."""
    return (
        None
        if re.search(r"^(?:家|外面|那|这|哪|努力|认真|加班|不|等)|什么|哪|上$", fold(value)) or len(value) > 20
        else value
    )


def trade(value: str) -> str | None:
    """Return a trade (外贸, 餐饮), or None."""
    return (
        None
        if re.search(
            r"^(?:这|那|的|什么|啥|好|完|到|不|得|过|饭|菜|作业|题|梦|错|对|人)|什么|决定|怎么|吃|给你|事", fold(value)
        )
        else value
    )


def job(value: str) -> str | None:
    """Return a job, or None for somebody else's (我是他的老师)."""
    return (
        None
        if re.search(
            r"^(?:他|她|你|您|谁|哪|不|去|来|找|说|想|要|问|给|跟|被|让|等|看|听)|你们|问|找|的$|想|被|让|跟|和",
            fold(value),
        )
        else value
    )


PERSON: Final = (
    Rule(r"(?P<v>(?<!梦见)(?<!梦到)(?:我|俺|本人)(?:就|只|才|不小心|误|上次|上回|昨天)*(?:吃|喝|尝|啃|嚼|舔|碰|抹|涂|食|饮|沾)(?:了|过|咗|完)(?!你|他|她|瓜|亏|惊|苦|药)[^,。!?;\n\s]{1,8}[\s,]+(?:结果|就|然后|当场|立马|第二天|当晚|整个|我|直接|马上|即刻|成)*(?:脸|嘴唇?|喉咙|嗓子|眼睛|眼皮|浑身|全身|身上|舌头|块面|个嘴|脖子)(?!都?笑|皮厚)[^,。!?;\n\s]{0,6}(?:肿|痒|麻|疹|红|风团|紧|喘)(?![^,。!?;\n]*笑)[^,。!?;\n\s]{0,12})", cues=("吃", "喝", "尝", "啃", "嚼", "舔", "碰", "抹", "涂", "食", "饮", "沾"), type="identity", content="{told}", importance=4, confidence=0.85),
    Rule(rf"{ME}(?:快|满|刚满|已经|是)?\s*(?P<v>{_NUM})\s*(?:周)?岁(?!的时候|时|以|那年|前)", cues=("岁",), type="identity", key="identity:age",
      content="用户{v}岁"),
    Rule(rf"{ME}是?(?P<v>[0-9零一二三四五六七八九]{{2}}后)", cues=("后",), type="identity", content="用户是{v}"),
    Rule(rf"{CS}(?:我的?)(?:就|正好|刚好|偏偏)?(?:是|系)(?P<v>{DATE})(?:的|生|出生)?{END}", cues=("生日",), type="identity", key="identity:birthday", content="用户的生日是{v}", importance=4),
    Rule(rf"(?:{MY}生日|{CS}生日)(?:就?是|在|:)?\s*(?P<v>{DATE})", cues=("生日",), type="identity", key="identity:birthday", content="用户的生日是{v}", importance=4),
    Rule(rf"{ME}(?:是)?(?P<v>(?:农历|阴历|旧历)的?{DATE}[\s,]*(?:新历|阳历|公历|西历)?(?:就|是|即)*(?:{DATE})?)", cues=("历",), type="identity", key="identity:birthday", content="用户的生日是{v}", importance=4),
    Rule(rf"{ME}(?:是)?(?P<v>{DATE})(?:出生|生的|生日|过生日)", cues=("生",), type="identity", key="identity:birthday", content="用户的生日是{v}", importance=4),
    Rule(rf"过(?:的是|的)?(?P<v>(?:农历|阴历|阳历|公历|新历|旧历)的?[\s,]*{DATE})", cues=("历",), type="identity", key="identity:birthday", content="用户的生日是{v}", importance=4),
    Rule(rf"{CS}[^,。!?;\n\d]{{0,6}}?(?P<v>{DATE})(?:那天|当天|这天)?[^,。!?;\n]{{0,6}}?[\s,]+(?:是|刚好|正好)*(?:我的?)生日", cues=("生日",), type="identity", key="identity:birthday", content="用户的生日是{v}", importance=4),
    Rule(rf"{CS}(?P<v>{DATE})\s*(?:是|就是)?我的?生日", cues=("生日",), type="identity", key="identity:birthday", content="用户的生日是{v}", importance=4),
    Rule(rf"{ME}(?:是|系)(?:一?个|一?名|位)?(?P<v>女生|男生|女的|男的|女孩子?|男孩子?|女性|男性|女士|妹子|汉子)", cues=("女", "男", "妹"), type="identity", key="identity:gender", content="用户是{v}"),
    Rule(rf"{ME}(?:还是|还|上个?月|去年|今年|仍然|是)*(?P<v>结婚了|结婚\S{{1,4}}年了?|已婚|未婚|单身|离婚了|离异|订婚了|领证了)", cues=("婚", "单身", "领证", "离异"), type="identity", key="identity:marital", content="用户{v}"),
    Rule(rf"{CS}(?:(?:{_EMPLOYER}){_SINCE}(?:(?:把|将)我|(?:派|调|外派|安排|分配|发配)我)|{_SINCE}我{_SINCE}(?:给|被)(?:{_EMPLOYER})?){_SINCE}(?:(?:(?<=派我)(?=[到去来往在])|(?<=调我)(?=[到去来往在])|外派|派驻|发配|分配|下放|安排|外放|平调|调动|借调|派遣|分|调|派|挪|扔|丢)(?:到了?|去了?|来了?|往|在)?)(?!岗|休|薪|班|职|级|换|整|查)(?P<v>(?:{CITIES})|[一-鿿]{{2,4}}?)(?:来|去|这边|那边|上班|工作|常驻|驻点|支援|支教|了|啦)*{END}", cues=("派", "调", "发配", "分", "下放", "安排", "外放", "挪", "扔", "丢"), type="identity", key="identity:city", content="用户被派到{v}", importance=4, confidence=0.85, check=posted, forbids=NOT_STATED & ~Flag.OTHER),
    Rule(rf"(?:{ME}(?:家)?|{CS}我?家)(?:是)?(?:现居|居住在|居住于|常住在?|定居在?|定居到|住在?|住喺|生活在|在)(?:了)?\s?(?P<v>(?:{CITIES}){W}{{0,12}}?)(?:这边|那边|附近)?(?:生活|定居|居住|租房|住){END}", cues=("住", "居", "生活"), type="identity", key="identity:city", content="用户住在{v}", importance=4, check=home),
    Rule(rf"(?:{ME}(?:家)?|{CS}我?家)(?:是)?(?:现居|居住在|居住于|常住在?|定居在?|住在?|租在|租房在|租住在|生活在)(?:了)?\s?(?P<v>{W}{{2,20}}?)(?:这边|那边|附近|里)?{END}", cues=("住", "居", "生活", "租"), type="identity", key="identity:city", content="用户住在{v}", importance=4, check=home),
    Rule(rf"{CS}(?:我)?(?:现在|目前|现)(?:是)?住(?:在)?\s?(?P<v>{W}{{2,15}}?)(?:了|这边|那边|附近)*{END}", cues=("住",), type="identity", key="identity:city", content="用户住在{v}", importance=4, check=home),
    Rule(rf"{OPEN}(?:住在?|定居在?|人在|现居|常居|常驻|长居|旅居|居于|移居)\s?(?P<v>(?:{CITIES}){W}{{0,10}}?)(?:这边|那边|附近)?{END}", cues=("住", "居", "人在", "驻"), type="identity", key="identity:city", content="用户住在{v}", importance=4, check=home),
    Rule(rf"(?:{OPEN}|{CS}我?家)(?:上个?月|去年|今年|上周|前年|前阵子?|前几天|刚刚?|最近|现|要|准备|打算)*搬(?:家)?(?:到了?|去了?|来了?)\s?(?P<v>{W}{{2,15}}?)(?:了|这边|住|生活)*{END}", cues=("搬",), type="identity", key="identity:city", content="用户搬到{v}", importance=4, check=home),
    Rule(rf"(?:{CS}我(?:现在|目前|人)*在|{CS}(?:坐标|我坐标|人在))\s?(?P<v>{CITIES}|(?<=坐标)[一-鿿]{{2,6}}|(?<=人在)(?!外|国|家|公|路|车|单|学|这|那|现|不|江|囧)[一-鿿]{{2,4}})(?:市|这边|这里)?{END}", cues=("在", "坐标"), type="identity", key="identity:city", content="用户在{v}", confidence=0.8),
    Rule(rf"{ME}(?:是|系)(?:地道的?|土生土长的?|正宗的?)?(?P<v>(?:{CITIES}){W}{{0,3}}?|{W}{{1,5}}?[省市县])(?:本地)?人{END}", cues=("人",), type="identity", key="identity:hometown", content="用户是{v}人"),
    Rule(rf"{OPEN}(?P<v>(?:{CITIES}){W}{{0,3}}?)(?:本地)?人{END}", cues=("人",), type="identity", key="identity:hometown", content="用户是{v}人"),
    Rule(rf"{CS}(?:我|本人)?(?:的)?(?:老家|家乡|祖籍|籍贯)(?:就?是|在|:)?\s?(?P<v>(?:{CITIES}){W}{{0,8}}?|(?<=[是在:]){W}{{2,12}}?)(?:的)?{END}", cues=("老家", "家乡", "祖籍", "籍贯"), type="identity", key="identity:hometown", content="用户的家乡是{v}", check=home),
    Rule(rf"{ME}来自\s?(?P<v>{W}{{2,10}}?){END}", cues=("来自",), type="identity", key="identity:hometown", content="用户来自{v}", check=home),
    Rule(rf"{ME}(?:是|系|做|当|干)(?:了)?(?:\S{{1,3}}年的?)?(?:一?[名个位]|个)?\s?(?P<v>{JOBS_ZH}){END}", type="identity", key="identity:job", content="用户是{v}", importance=4, check=job),
    Rule(rf"{OPEN}(?:从{W}{{1,8}}?)?转行(?:做|到|去|当)了?(?P<v>{W}{{2,10}}?)(?:了)?{END}", cues=("转行",), type="identity", key="identity:job", content="用户转行做{v}", importance=4, check=trade),
    Rule(rf"{OPEN}(?:在{W}{{2,10}}?)?(?:做|当)(?:一?[名个位])?\s?(?P<v>{JOBS_ZH})(?:的)?{END}", cues=("做", "当"), type="identity", key="identity:job", content="用户是{v}", importance=4, check=job),
    Rule(rf"{OPEN}(?:是)?(?P<v>(?:开|跑)(?:出租车?|滴滴|网约车|货车|大车|公交车?|长途))(?:的|车)*{END}", cues=("开", "跑"), type="identity", key="identity:job", content="用户是{v}的", importance=4),
    Rule(rf"{OPEN}在(?P<place>{W}{{2,8}}?)开(?:了)?(?:一?[家间个])?(?P<v>{W}{{0,8}}?(?:店|馆|厂|公司|工作室|餐厅|民宿|诊所|铺)){END}", cues=("开",), type="identity", key="identity:job", content="用户在{place}开{v}", importance=4),
    Rule(rf"{OPEN}(?P<v>自己创业|创业中?|自由职业|待业|全职带娃|退休了?|做全职妈妈|做自媒体){END}", cues=("创业", "自由职业", "待业", "带娃", "退休", "全职", "自媒体"), type="identity", key="identity:job", content="用户{v}", importance=4),
    Rule(rf"{OPEN}(?:是|做)(?:一?[个名位])?\s?(?P<v>{JOBS_EN}){END}", cues=("做", "是"), type="identity", key="identity:job", content="用户是{v}", importance=4),
    Rule(rf"{OPEN}在(?P<v>(?:{CITIES}){W}{{0,4}}?)做(?P<what>(?!{W}*(?:公司|单位|厂|机构|团队)){W}{{2,8}}?){END}", cues=("做",), type="identity", key="identity:job", content="用户在{v}做{what}", importance=4),
    Rule(rf"{MY}(?:职业|工作|本职工作|本职)(?:就?是|:)\s?(?P<v>{W}{{2,12}}?){END}", cues=("职", "工作"), type="identity", key="identity:job", content="用户的职业是{v}", importance=4, check=job),
    Rule(rf"{ME}(?:是)?(?:做|搞|从事|跑)(?P<v>{W}{{2,10}}?)(?:的|工作|行业|生意|这行|这块)(?:的)?{END}", cues=("做", "搞", "从事", "跑"), type="identity", key="identity:job", content="用户是做{v}的", importance=4, confidence=0.9, check=trade),
    Rule(rf"{ME}(?:在(?P<place>{W}{{2,8}}?))?(?:开了?|经营着?|运营着?|有)(?:一)?(?:家|间|个)\s?(?P<v>{W}{{0,12}}?(?:店|馆|厂|公司|工作室|餐厅|民宿|诊所|铺子?|档口?|农场|果园|茶园|书屋|酒吧|画室|琴行|培训班))", cues=("开", "经营", "运营", "有"), type="identity", key="identity:job", content="用户开{v}", importance=4),
    Rule(rf"{ME}(?:返工|上班|工作)(?:在|的地方是)(?P<v>{W}{{2,12}}?){END}", cues=("返工", "上班", "工作"), type="identity", key="identity:employer", content="用户在{v}上班", importance=4, check=place_of_work),
    Rule(rf"{ME}(?:是)?在(?P<v>{W}{{1,18}}?)(?P<how>上班|工作|任职|供职|就职|打工|实习|返工|做事|卖{W}{{1,6}}?(?=[一二两三四五六七八九十几\d]{{1,3}}多?年|{END})|做(?={W}{{0,8}}(?:工|师|员|老师|医生|生意|销售|会计|助理))|当(?={W}{{0,8}}(?:工|师|员|老师|医生|销售|会计))|教{W}{{1,6}}?(?={END}))", cues=("做", "当", "教", "卖", "上班", "工作", "任职", "供职", "就职", "打工", "实习", "返工", "做事"), type="identity", key="identity:employer", content="用户在{v}{how}", importance=4, check=place_of_work),
    Rule(rf"{MY}(?:公司|单位|东家)(?:是|叫|在|:)\s?(?P<v>{W}{{2,15}}?){END}", cues=("公司", "单位", "东家"), type="identity", key="identity:employer", content="用户的单位是{v}", check=place_of_work),
    Rule(rf"{ME}(?:是)?(?:在|就读于?|考上了?|毕业于|读|念|上)(?P<v>{W}{{1,14}}?(?:大学|学院|中学|高中|小学|职校|学校|一中|二中))", cues=("学", "一中", "二中", "职校", "高中"), type="identity", key="identity:school", content="用户的学校是{v}", check=place_of_work),
    Rule(rf"{ME}(?:在)?(?:读|念|上|是)?(?P<v>大[一二三四]|研[一二三]|高[一二三]|初[一二三]|博[一二三])(?:了|的|学生|{END})", cues=("大", "研", "高", "初", "博"), type="identity", content="用户在读{v}"),
    Rule(rf"{ME}(?:是)?(?:学|读|念)(?:的)?(?:是)?(?P<v>{W}{{2,10}}?)(?:专业|系)", cues=("专业", "系"), type="identity", content="用户的专业是{v}", check=trade),
    Rule(rf"{OPEN}在(?P<v>{W}{{1,14}}?)(?P<how>读书|上学|念书|读大学|读研|读博|留学|念大学|[读念上](?:大[一二三四]|研[一二三]|高[一二三]|初[一二三]|博[一二三]))", cues=("读", "学", "念", "上"), type="identity", content="用户在{v}{how}"),
    Rule(rf"{OPEN}(?:是|会)?对(?P<v>[^,。!?;\n]{{1,30}}?)(?:都|也|会|有点|严重|轻微|非常|特别|重度|很)*(?:过敏|敏感(?=的?{END}))", cues=("过敏", "敏感"), type="identity", key="identity:allergy.{k}", content="用户对{v}过敏", importance=5, check=allergen, many=True),
    Rule(rf"{OPEN}(?:有|是)?(?:严重的?|轻微的?)?(?P<v>{_FOODISH})(?:类)?(?:严重|轻微)?过敏", cues=("过敏",), type="identity", key="identity:allergy.{k}", content="用户对{v}过敏", importance=5),
    Rule(rf"{OPEN}(?:有|是)?(?P<v>乳糖|麸质|酒精|果糖)不耐(?:受)?", cues=("不耐",), type="identity", key="identity:allergy.{k}", content="用户{v}不耐受", importance=5),
    Rule(rf"{ME}(?:有|得了|患有?|确诊了?|查出了?|是)(?:严重的?|轻微的?|点|轻度的?|大|混合|\S{{0,4}}年的?)?(?P<v>{HEALTH})", type="identity", key="identity:health.{k}", content="用户有{v}", importance=4),
    Rule(rf"{OPEN}(?:的)?(?P<v>(?:血糖|血压|血脂|尿酸)(?:偏|有点|有些|比较|一直|都)?高|恐高|晕车|晕船|怀孕\S{{0,6}}|怕冷|怕热|左撇子|色弱)", cues=("血", "尿酸", "恐高", "晕", "怀孕", "怕", "左撇子", "色弱"), type="identity", key="identity:health.{k}", content="用户{v}", importance=4, forbids=WITH_ONCE),
    Rule(rf"{OPEN}(?P<v>{HEALTH}(?:已经|有)?(?:\S{{1,4}}年)?(?:患者|了))", cues=("病", "高", "低", "喘", "炎", "痛", "症", "甲", "湿疹", "荨麻疹", "癫痫", "脂肪肝"), type="identity", content="用户{v}", importance=4, forbids=WITH_ONCE),
    Rule(rf"(?P<v>{OPEN}(?:眼神|视力|听力|记性|腿脚|肠胃|胃口|身体|睡眠|皮肤|嗓子|牙口|膝盖|腰|颈椎|胃)(?:一直|一向)?(?:不太|不是很|不|比较|有点|很)?(?:好|行|差|敏感|便|弱|疼|痛)(?!吃|看|用|玩))", cues=("眼神", "视力", "听力", "记性", "腿脚", "肠胃", "身体", "睡眠", "皮肤", "嗓子", "牙口", "膝盖", "腰", "颈椎", "胃"), type="identity", content="{told}", importance=4, forbids=WITH_ONCE),
    Rule(rf"{OPEN}(?:是)?(?P<v>属[鼠牛虎兔龙蛇马羊猴鸡狗猪])(?:的)?{END}", cues=("属",), type="identity", content="用户{v}"),
    Rule(rf"{MY}(?P<what>身高|体重|鞋码|脚长|腰围|头围|胸围|臀围|臂展|肩宽|血型|尺码|星座|微信号?|学历)(?:是|穿|大概|有|:)?\s?(?P<v>[\da-z][\da-z.]*\s?(?:cm|厘米|米|kg|公斤|斤|码|型)?|本科|硕士|博士|大专|高中|[一-鿿]{{2}}座)", cues=("身高", "体重", "码", "脚", "腰", "血型", "星座", "微信", "学历"), type="identity", content="用户的{what}是{v}"),
    Rule(rf"{OPEN}(?:平时|一般)?穿(?:的是)?\s?(?P<v>(?:\d{{2}}(?:\.5)?码|[xsml]{{1,3}}码|\d{{2}}码?的?鞋)(?:的?(?:鞋|衣服|裤子|上衣|外套))?){END}", cues=("穿",), type="identity", content="用户穿{v}", forbids=WITH_ONCE),
    Rule(rf"{ME}会(?:说|讲)(?P<v>{W}{{1,12}}?[语话文]){END}", cues=("会说", "会讲"), type="identity", content="用户会说{v}"),
    Rule(rf"{CS}收件人(?:写|改成|是|叫|填|:)*\s?(?P<v>[一-鿿·]{{2,4}}|[a-z]+(?: [a-z]+)?){END}", cues=("收件人",), type="identity", key="identity:recipient", content="用户的收件人是{v}", check=name),
    Rule(rf"{CS}(?:我的?|我们?公司的?)?(?:发票|开票)?抬头(?:都|就|请)*(?:是|为|写|开|用|填|:)+\s?(?:(?:我|本人)(?:的|自己的?|个人的?|本人的?|名字|姓名|全名)*[\s,:]+)?(?P<v>(?!我|本人|个人|自己|公司$){W}{{2,30}}?){END}", cues=("抬头",), type="identity", key="identity:invoice_title", content="用户的发票抬头是{v}", importance=4),
)  # fmt: skip

# --- relatives and pets -------------------------------------------------------------------------------------------

_BARE_KIN: Final = (
    "女儿|儿子|闺女|老婆|老公|媳妇|丈夫|妻子|女朋友|男朋友|爸爸|妈妈|老妈|老爸|奶奶|爷爷|外婆|外公|姥姥|姥爷|岳母|岳父"
)
_OF_KIN: Final = rf"(?:{CS}(?:我们?家?里?的?|我有(?:一)?个|家里)(?P<kin>(?>{KIN_ZH}))|{CS}(?P<bare>(?>{_BARE_KIN})))(?:呢|她|他|也|就|都|今年|现在|最近|一直|平时|其实|已经|刚|还|老|快)*"
_KIN: Final = NOT_STATED & ~Flag.OTHER


def pet_name(value: str) -> str | None:
    """Return a pet's name, or None."""
    return (
        None
        if not 1 <= len(value) <= 8 or re.search(r"什么|啥|个不|声|了$|得|不停|春|只|一直|唤", fold(value))
        else value
    )


RELATIVES: Final = (
    Rule(rf"{CS}(?:家里?的?)?(?P<bare>孩子|娃|宝宝)(?!们)(?P<v>(?:今年|刚|才|已经|现在)*(?:在(?=\S{{2,12}}(?:上|读|念))|上(?=小学|初中|高中|大学|幼儿园|[一二三四五六]年级)|读|\d|对(?=.{{1,10}}过敏)|叫)[^,。!?;\n]{{2,24}}){END}", cues=("孩子", "娃", "宝宝"), type="identity", content="用户的{kin}{v}", forbids=_KIN | Flag.ONCE, confidence=0.9),
    Rule(rf"{_OF_KIN}的?(?:名字|大名|小名|全名)?(?:就|是)?(?:叫做?|名叫|叫作|名字是)\s?(?P<v>[一-鿿·]{{1,6}}|[a-z]+){END}", cues=("叫", "名"), type="identity", key="identity:relative.{relative}.name", content="用户的{kin}叫{v}", forbids=_KIN, check=name),
    Rule(rf"{_OF_KIN}(?![^,。!?;\n]{{0,4}}[怀孕])[^,。!?;\n我]{{0,6}}?(?P<v>(?:{_NUM}|[一二三四五六七八九两])\s*(?:周?岁半?|个月)大?(?:生日)?)(?!以|的时候)", cues=("岁", "个月"), type="identity", key="identity:relative.{relative}.age", content="用户的{kin}{v}", forbids=_KIN),
    Rule(rf"{_OF_KIN}的?生日(?:就?是|在|:)?\s*(?P<v>{DATE})", cues=("生日",), type="identity", key="identity:relative.{relative}.birthday", content="用户的{kin}生日是{v}", forbids=_KIN),
    Rule(rf"{_OF_KIN}对(?P<v>[^,。!?;\n]{{1,20}}?)(?:都|也|会|有点|严重)*过敏", cues=("过敏",), type="identity", key="identity:relative.{relative}.allergy.{k}", content="用户的{kin}对{v}过敏", importance=4, check=allergen, many=True, forbids=_KIN),
    Rule(rf"{_OF_KIN}(?P<v>在(?:{W}{{1,12}}?)(?:上班|工作|读书|上学|念书|读大学|读研|读博|留学|住院|养老|当兵|打工|做生意))", cues=("在",), type="identity", content="用户的{kin}{v}", forbids=_KIN),
    Rule(rf"{_OF_KIN}(?:住在?|搬到了?|在)(?P<v>{W}{{2,14}}?)(?:住|生活|那边|这边|养老)?{END}", cues=("住", "搬", "在"), type="identity", key="identity:relative.{relative}.city", content="用户的{kin}住在{v}", check=kin_home, forbids=_KIN, confidence=0.85),
    Rule(rf"{_OF_KIN}(?:是|当|做)(?:一?[名个位])?(?P<v>{JOBS_ZH}){END}", type="identity", key="identity:relative.{relative}.job", content="用户的{kin}是{v}", forbids=_KIN),
    Rule(rf"{_OF_KIN}(?P<v>(?!说|问|让|叫|给|想|要我|买|发|打|来|去|刚|看|帮|送|寄|生气|哭|骂|生日|昨|今|明|后天|住|在|名|是|都?快?\d|大名|小名|对|呢|和|跟|也|微信|电话|手机|邮箱|地址|的|[特别很也都非常比较真最]*想|馋|俩|们|[特别很也都非常]*(?:喜欢|爱|好|开心|高兴){END}|学历挺|已经|可是|就是){_ON}{{2,24}}{END}|(?:有|得了|患了?|确诊|血糖|血压|血脂|尿酸|心脏|腿脚?|膝盖|腰|眼睛|耳朵|胃|怀孕|过敏|不能|不吃|吃不了|吃素|忌口|怕|喜欢|最?爱|讨厌|不喜欢|上(?=小学|初中|高中|大学|幼儿园|[一二三四五六]年级)|读(?=\S)|念(?=\S)|属|退休|要(?=\S{{0,8}}(?:考|结婚|生))|下个?[周月]|明天|后天|过敏|身高|体重|穿|戴|学){_ON}{{1,24}})", type="identity", content="用户的{kin}{v}", forbids=_KIN | Flag.ONCE, confidence=0.9),
)  # fmt: skip

PETS: Final = (
    Rule(rf"{CS}(?:我们?家?里?的?(?:(?:有|养着?了?|领养了?)(?:一|两)?[只条个]?)?|(?:我)?屋企[只个]?|家里[只的]?|我(?:自己)?(?:刚|最近|家里?|还)*(?:有|养了?|领养了?|收养了?)(?:一|两|二|三|\d)?[只条个]?(?:{W}{{0,4}}?的)?)(?P<pet>{PETS_ANY})(?:[,\s]*(?:它|她|他)?的?(?:名字)?|的名字)?(?:叫做?|取名|名叫|名字是|是叫)\s?(?P<v>[一-鿿]{{1,5}}|[a-z]+){END}", type="identity", key="identity:pet.{species}", content="用户的{pet}叫{v}", check=pet_name, forbids=_KIN),
    Rule(rf"{CS}(?:我的?|我家)(?P<pet>{PETS_ANY})(?P<v>[一-鿿]{{2,3}}?)(?=今天|最近|昨天|明天|这|总|不|又|老是|特别|很|超|喜欢|爱|吃|拉|掉|要|生病|刚)", type="identity", key="identity:pet.{species}", content="用户的{pet}叫{v}", check=pet_name, forbids=_KIN, confidence=0.8),
    Rule(rf"{CS}(?:养着?了?|领养了?)(?P<v>[一两二三四\d][只条个](?:{W}{{0,4}}?的)?(?P<pet>{PETS_ANY})){END}", cues=("养",), type="identity", key="identity:pet.{species}", content="用户养了{v}"),
    Rule(rf"{CS}(?:我家?里?|我们?家|家里)(?:现在|目前|刚|还|也|自己)*(?:有|养着?了?|领养了?|收养了?)(?P<v>(?:[一两二三四\d][只条个])?(?:{W}{{0,4}}?的)?(?P<pet>{PETS_ANY})){END}(?![\s,]*(?:它|她|他)?的?(?:名字)?叫)", type="identity", key="identity:pet.{species}", content="用户养了{v}", forbids=_KIN),
)  # fmt: skip

# --- likes --------------------------------------------------------------------------------------------------------

_VERY: Final = r"(?:很|特别|最|超级?|比较|更|挺|还是|蛮|就|都|平时|真的|也|非常|尤其|一向|从小就?|好|几|一直|向来|偏|个人|现在|最近|已经|自己)*"
_NOT_AN_OBJECT: Final = re.compile(
    r"^(?:你|您|他|她|它|这|那|上了?|的|了|不|吗|谁|什么|哪|是|啊|呢|我|大家|得|呀|死|过|看看|问|怎么|[吃喝看玩听穿用去]$)|这[口儿里样种些]|什么|哪|怎么|这个|这款|这件|那个|你们|客服|一下"
)


def thing(value: str) -> str | None:
    """Return what is liked or avoided, or None if it is a person or this very thing."""
    return None if _NOT_AN_OBJECT.search(fold(value)) or not value else value


def food(value: str) -> str | None:
    """Return a food or drink that is avoided, or None."""
    if re.search(
        r"^(?:饭|亏|东西|这|那|多|了|兜|晚饭|早饭|午饭|早餐|晚餐|午餐|苦|惯|起|完|下|得|着|醋|老本|土|什么|点|过|药|到|个|消|惊|瓦斯|力|透|香)|什么|这么",
        fold(value),
    ):
        return None
    return re.sub(r"^(?:任何|一切|所有|太|一点|半点)", "", value) or None


LIKES: Final = (
    Rule(rf"{ME}{_VERY}(?:喜欢|热爱|偏爱|钟意|中意|喜爱|偏好|prefer|痴迷|迷上了?|爱上了?|爱(?=吃|喝|看|玩|听|穿|用|去|[一-鿿]{{2}}))(?P<v>[^,。!?;:\n]{{1,24}}?){END}", cues=("喜", "爱", "钟意", "中意", "偏", "迷", "prefer"), type="preference", content="用户喜欢{v}", key="preference:taste.{t}", check=thing, forbids=WITH_ONCE),
    Rule(rf"{OPEN}{_VERY}(?:喜欢|爱|中意|钟意)(?P<v>(?:吃|喝|饮|食)[^,。!?;:\n]{{1,16}}?)(?:的)?{END}", cues=("吃", "喝", "饮"), type="preference", content="用户喜欢{v}", key="preference:taste.{t}", check=thing, forbids=WITH_ONCE),
    Rule(rf"{CS}(?:我的?)?最(?:喜欢|爱)的?(?P<what>{W}{{1,8}}?)(?:就?是|:)\s?(?P<v>{W}{{1,16}}?){END}", cues=("最喜欢", "最爱"), type="preference", content="用户最喜欢的{what}是{v}", check=thing, forbids=WITH_ONCE),
    Rule(rf"(?P<v>{ME}一(?:吃|喝|闻|碰|沾)(?:到)?(?!嘴|脸|嗓|喉|肚|浑|全身|胃|身上|舌|唇)[^,。!?;\n]{{1,10}}就[^,。!?;\n]{{1,12}})", cues=("我一",), type="identity", content="{told}", importance=4),
    Rule(rf"{CS}最(?:讨厌|烦|憎|怕|不喜欢)(?P<v>[^,。!?;:\n]{{1,16}}?){END}", cues=("最",), type="preference", content="用户不喜欢{v}", key="preference:taste.{t}", check=thing, forbids=WITH_ONCE),
    Rule(rf"(?P<v>{OPEN}改(?:学|练|吃|喝|用|养|做|打)(?!成|为|了吧)[^,。!?;\n]{{1,12}}){END}", cues=("改",), type="preference", content="{told}", confidence=0.85, forbids=WITH_ONCE),
    Rule(rf"{ME}{_VERY}(?:不(?:太|怎么|是很|是特别)?(?:喜欢|爱(?=\S)|中意|钟意)|讨厌|反感|厌恶|受不了|最烦|最怕|害怕|怕(?=\S{{1,8}}$)|憎|恨)(?:吃|喝)?(?P<v>[^,。!?;:\n]{{1,24}}?){END}", cues=("不", "讨厌", "反感", "厌恶", "受不了", "烦", "怕", "憎", "恨"), type="preference", content="用户不喜欢{v}", key="preference:taste.{t}", check=thing, forbids=WITH_ONCE),
    Rule(rf"(?<=就是|但是|只是)(?P<how>不能碰|不吃|不能吃|不喝|不能喝)(?P<v>[^,。!?;:\n的]{{1,12}}?)(?:的)?{END}", cues=("不",), type="preference", content="用户{how}{v}", key="preference:taste.{t}", importance=4, check=food, many=True, forbids=WITH_ONCE),
    Rule(rf"{OPEN}{_VERY}(?P<how>不吃|不能吃|不可以吃|不敢吃|吃不了|吃不得|[吃食]不到|不食|不喝|不能喝|喝不了|不饮|饮不到|不碰|不沾|忌口|忌|不要(?:放|加)|别(?:放|加)|不加|不放|少放|不太能吃|不太能喝|不大吃|不怎么吃|不怎么喝|很少吃|很少喝|不能碰|碰不得|走(?=[葱蒜辣糖冰青奶])|(?:平时|一般|一直|从来|就)?只(?:吃|喝|饮|用|穿))(?P<v>[^,。!?;:\n的]{{1,12}}?)(?:的)?{END}(?<!了)", cues=("吃", "食", "喝", "饮", "忌", "碰", "沾", "放", "加", "走", "只"), type="preference", content="用户{how}{v}", key="preference:taste.{t}", importance=4, check=food, many=True, forbids=WITH_ONCE),
    Rule(rf"{OPEN}(?P<v>(?:牛肉|羊肉|猪肉|鸡肉|海鲜|辣|香菜|葱|姜|蒜|牛奶|咖啡|酒|甜食|生冷|内脏|面食|鸡蛋|茄子|苦瓜|榴莲)(?:[和、](?:{W}{{1,4}}))*)(?:都|也)?(?P<how>吃不了|不吃|不能吃|不碰|吃不得|不能沾|不沾|喝不了|不喝){END}", type="preference", content="用户{how}{v}", key="preference:taste.{t}", importance=4, many=True, forbids=WITH_ONCE),
    Rule(rf"{OPEN}(?:是|在|要|个|一个|纯|严格)*(?P<v>吃素|素食者?|素食主义者?|纯素|全素|蛋奶素|清真饮食|清真|回民|回族|穆斯林|生酮饮食?|生酮|低碳饮食|低碳水|低糖饮食|低盐饮食|无麸质饮食?|控糖|戒糖|减脂餐?|轻断食|食斋)(?:(?:已经)?[一二两三四五六七八九十半几\d]{{1,2}}(?:多)?个?[年月])?(?:的|了|期|中)*{END}", cues=("素", "清真", "回", "穆斯林", "生酮", "低", "麸", "糖", "脂", "断食", "斋"), type="preference", key="preference:diet", content="用户{v}", importance=4, forbids=WITH_ONCE),
)  # fmt: skip

# --- how to be served ---------------------------------------------------------------------------------------------

_DURABLE: Final = r"(?:以后|之后|今后|往后|从现在(?:起|开始)|从今(?:天)?(?:起|以后)|每次|一律|一直|永远|总是|平时|都)"
_FROM_NOW: Final = r"(?:以后|之后|今后|往后|从现在(?:起|开始)|从今(?:天)?(?:起|以后))"
_REPLY: Final = r"(?:回答|回复|回覆|答复|答案|说话|解释|讲解|回我|跟我(?:说|讲|聊)|和我(?:说|讲|聊)|同我(?:说|讲))"
_WISH: Final = r"(?:我)?(?:更|比较|还是)?(?:喜欢|希望|偏好|想要|倾向|要求)"
_MANNER: Final = (
    r"(?:(?:尽量|请|要|都|更|可以|能|再|稍微|给我)*(?:简短|简洁|简明|精简|简单|言简意赅|短|直接|干脆|详细|详尽|具体|仔细|深入|正式|随意|口语化|通俗|温柔|幽默|专业|轻松|严肃|礼貌)(?:一?点�?|一些|些|啲)?|"
    r"(?:别|不要|不用|少|不好(?![吃喝看听用玩意办弄])|无需)(?:再|太|那么|这么)?(?:啰嗦|罗嗦|废话|说废话|客套|寒暄|铺垫|长篇大论|用表情(?:符号|包)?|用emoji|发表情|加表情|用敬语|太长|长|用(?:专业)?术语|用感叹号|叫我亲|叫亲)|"
    r"(?:不要|别)?(?:不超过|控制在|限制在|少于|超过|多于)\s*(?:\d+|[一二三四五六七八九十百两]+)\s*(?:个)?(?:字|句|行|条)(?:以内|之内|内)?|\d+\s*个?字(?:以内|之内)|"
    r"(?:用|以|按|分)(?:列表|要点|表格|分点|条列|markdown|口语|白话|大白话|第一人称)|分点(?:列出|说)?|说重点|先(?:给|说|讲)结论|结论(?:先行|放前面)|一句话)"
)
_UNITS: Final = r"(?:公制|英制|摄氏度?|华氏度?|公里|英里|公斤|厘米|24小时制|人民币|美元)"
_LANGUAGE: Final = r"(?:英文|英语|中文|汉语|普通话|国语|粤语|广东话|日语|日文|韩语|法语|德语|西班牙语|繁体中文|繁体字?|简体中文|简体字?)"

_CHANNEL: Final = r"(?:whats ?app|wechat|微信|企业微信|企微|line|signal|telegram|tg|messenger|sms|短信|短讯|讯息|简讯|邮件|电邮|邮箱|e-?mail|mail|qq|钉钉|飞书|站内信|私信|电话|座机|手机|message|msg|text|ig|insta(?:gram)?|slack|teams|discord|skype)"
_REACH: Final = r"(?:找|联系|联络|通知|回复?|敲|滴|call|ping|text|msg)"
STYLE: Final = (
    Rule(rf"{CS}(?:有急?事|有(?:消息|问题|情况)|急事|要?倾偈|以后|之后|平时|可以|都|就|直接|请|麻烦|你们?|您|用|走|经|透过|通过|上|发|打)*\s?(?P<v>{_CHANNEL})\s?(?:上|里|度)?(?:{_REACH}我|(?:上)?告诉我)(?:就|好|行|得|可以|ok|即可|吧|啦|哈|先|了)*(?=$|[\s,。!;:()~])", cues=("我",), type="preference", key="preference:contact.by", content="用户希望在{v}上收到消息", importance=4, forbids=WITH_ONCE),
    Rule(rf"{CS}(?:要|想|有事|平时)*{_REACH}我(?:的话)?(?:请|麻烦|都|就|可以|直接|最好)*(?:用|走|发|打|经|透过|通过|上)\s?(?P<v>{_CHANNEL})(?:就|好|行|得|可以|ok|吧|啦|哈|先|了)*(?=$|[\s,。!;:()~])", cues=("我",), type="preference", key="preference:contact.by", content="用户希望在{v}上收到消息", importance=4, forbids=WITH_ONCE),
    Rule(rf"(?:别|不要|不好|不用|不使)(?:再|给我|老)*(?:call|打|来电|发|加)[^,。!?;]{{0,5}}[\s,]+(?:直接|请|就|发|用|传)*\s?(?P<v>{_CHANNEL})(?:就|好|行|得|可以|ok|即可|吧|了|啦)+(?=$|[\s,。!;:()~])", type="preference", key="preference:contact.by", content="用户希望在{v}上收到消息", importance=4, forbids=WITH_ONCE),
    Rule(rf"{CS}(?P<v>(?:人|货|车|快递|外卖)?(?:到了|送到|送货|派送|有急?事|打不通|联系不上)[^,。!?;\n]{{0,6}}(?:打|联系|联络|找|通知|call)(?:个?电话)?(?:给)?(?:我(?:家)?的?)?(?:{KIN_ZH})(?:的电话)?)(?:就|好|行|得|可以|吧|啦|哈|了)*(?=$|[\s,。!;:()~])", type="preference", content="用户要求：{v}", importance=4, forbids=WITH_ONCE & ~Flag.OTHER),
    Rule(rf"{CS}(?:[^,。!?;\n]{{0,8}}?{_FROM_NOW}[^,。!?;\n]{{0,4}}?{_REPLY}?|[^,。!?;\n]{{0,8}}?{_DURABLE}[^,。!?;\n]{{0,4}}?{_REPLY}|{_WISH}(?:你|您)?(?:的)?|(?:你|您)?(?:的)?{_REPLY}(?:的时候|时|要|请|能|可以|得|我)?)[^,。!?;\n]{{0,6}}?(?P<v>{_MANNER})", type="preference", key="preference:reply_style", content="用户希望回答：{v}", importance=4, confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"{CS}(?P<v>(?:最多|不超过|不要超过|控制在|限制在|少于)\s*(?:\d+|[一二三四五六七八九十百两]+)\s*个?(?:字|句话?|行)(?:以内|之内|内)?){END}", cues=("最多", "超过", "控制在", "限制在", "少于"), type="preference", key="preference:reply_style", content="用户希望回答：{v}", importance=4, confidence=0.8, forbids=WITH_ONCE),
    Rule(rf"{CS}(?:请|麻烦)?(?:别|不要)(?:再)?(?:给我|跟我)?(?:推荐|推送|介绍|发|安排)(?P<v>[^,。!?;\n]{{2,20}}?)(?:了|给我)*{END}", cues=("推荐", "推送", "介绍", "发", "安排"), type="preference", content="用户不要推荐{v}", confidence=0.85, check=thing, forbids=WITH_ONCE),
    Rule(rf"{CS}(?P<v>{_MANNER})(?:的)?{_REPLY}", type="preference", key="preference:reply_style", content="用户希望回答：{v}", importance=4, confidence=0.8, forbids=WITH_ONCE),
    Rule(rf"{CS}(?:[^,。!?;\n]{{0,8}}?)(?:用|讲|说|以|改用)(?P<v>{_LANGUAGE})(?:来)?(?:{_REPLY}|跟我|和我|同我|交流|沟通|对话|聊)", type="preference", key="preference:language", content="用户希望用{v}交流", importance=4, confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"{CS}[^,。!?;\n]{{0,4}}?{_DURABLE}(?:都|请|就|一律)*(?:用|讲|说|以)(?P<v>{_LANGUAGE})", type="preference", key="preference:language", content="用户希望用{v}交流", importance=4, confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"{CS}[^,。!?;\n]{{0,10}}?(?:用|以|习惯用?|单位用?)(?:的是)?(?P<v>{_UNITS})(?:单位)?(?!的|跟|和)", cues=("单位", "价格", "温度", "以后", "习惯", "都用", "喜欢", "一律", "每次", "统一"), type="preference", key="preference:units", content="用户希望使用{v}单位", importance=3, confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"{CS}[^,。!?;\n]{{0,10}}?(?P<v>(?:别|不要|不用|请勿|不方便|不好(?![吃喝看听用玩意办弄])|少)(?:给我|再)*(?:打电话|来电|电话联系|发短信|打给我|打我电话|接电话))", cues=("电话", "来电", "短信", "打"), type="preference", key="preference:contact", content="用户希望{v}", importance=4, confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"{CS}[^,。!?;\n]{{0,10}}?(?P<v>(?:有事|最好|请|就|还是|可以|都)*(?:发|用|走|加)(?:短信|微信|邮件|邮箱|站内信|电话)(?:跟我)?(?:联系|通知|告诉我|沟通|就行|就好|即可)(?:我)?|(?:短信|微信|邮件|电话)(?:联系|通知)我?(?![了过说的我不]))", cues=("联系", "通知", "发短信", "发微信", "发邮件"), type="preference", key="preference:contact", content="用户希望{v}", importance=4, confidence=0.85, forbids=WITH_ONCE),
    Rule(rf"{CS}(?:[^,。!?;\n]{{0,8}}?(?:快递|包裹|外卖|件|货|送货|派送)[^,。!?;\n]{{0,6}}?|[^,。!?;\n]{{0,4}}?{_DURABLE}[^,。!?;\n]{{0,8}}?)(?P<v>(?:别|不要)?(?:放|送|寄|投)(?:到|在|去|进)?(?:家|小区|楼下|单位|公司|学校){{0,2}}(?:的)?(?:门口|驿站|丰巢|快递柜|前台|门卫室?|物业|蜂巢|菜鸟驿站|保安室|管理处|自提点))", cues=("放", "送", "寄", "投"), type="preference", key="preference:delivery", content="用户希望包裹{v}", confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"{CS}(?P<v>(?:别|不要)?(?:放|送|寄)(?:到|在|去)?(?:我?家)?(?:的)?(?:门口|驿站|丰巢|快递柜|前台|门卫室?|物业|菜鸟驿站|保安室)){END}", cues=("快递", "包裹", "外卖"), type="preference", key="preference:delivery", content="用户希望包裹{v}", confidence=0.85, forbids=WITH_ONCE),
    Rule(rf"{CS}(?:我的?|这次的?)?(?:购物)?预算(?:是|大概|大约|在|就|只有|:|最多|控制在)*\s?(?P<v>[¥$]?\d[\d,.]*\s?(?:万|千|百|块|元|k|w)?(?:左右|以内|上下|以下|到\s?\d+\S?)*)", cues=("预算",), type="preference", content="用户的预算是{v}", confidence=0.85),
)  # fmt: skip

# --- no longer ----------------------------------------------------------------------------------------------------

_ACT: Final = r"(?:[吃喝用抽穿住看玩打开养做练学听去上跑坐骑写拍买卖教租])"
NO_LONGER: Final = (
    Rule(rf"{ME}(?:不再|再也不|不会再)(?P<v>{_ACT}{W}{{1,16}}?)(?:了|啦)?{END}", cues=("不再", "再也不", "不会再"), type="preference", content="用户不再{v}", key="preference:taste.{t}", check=thing),
    Rule(rf"{ME}不(?P<v>{_ACT}(?!了){W}{{1,12}}?)(?:了|啦){END}", cues=("不",), type="preference", content="用户不再{v}", key="preference:taste.{t}", check=thing, forbids=WITH_ONCE),
    Rule(rf"{ME}(?:把)?(?P<v>咖啡|烟|酒|奶茶|糖|可乐|甜食|肉|游戏|抖音|外卖|夜宵)(?:给)?戒(?:掉)?(?:了)", cues=("戒",), type="preference", content="用户不再碰{v}", key="preference:taste.{t}"),
    Rule(rf"{ME}戒(?:掉)?了?(?P<v>咖啡|烟|酒|奶茶|糖|可乐|甜食|肉|游戏|抖音|外卖|夜宵)(?:了)?", cues=("戒",), type="preference", content="用户不再碰{v}", key="preference:taste.{t}"),
    Rule(rf"{OPEN}(?:现在)?对(?P<v>[^,。!?;\n]{{1,12}}?)(?:已经|其实|并|现在|都|早就)?(?:不|没有?)(?:会|再)?过敏", cues=("过敏",), type="identity", content="用户对{v}不过敏", key="identity:allergy.{k}", importance=4),
    Rule(rf"{OPEN}(?:现在)?(?:其实|并|已经)?(?:不|没有?)(?:会|再)?对(?P<v>[^,。!?;\n]{{1,12}}?)过敏", cues=("过敏",), type="identity", content="用户对{v}不过敏", key="identity:allergy.{k}", importance=4),
)  # fmt: skip
LEFT: Final = (
    Rule(rf"{ME}(?:不|没)(?:再)?(?:住)(?:在)?(?P<v>{W}{{1,12}}?)(?:了|啦)", cues=("住",), type="identity", key="identity:city", content="用户住在{v}", op="retract"),
    Rule(rf"{ME}(?:不|没)(?:再)?在(?P<v>{W}{{1,12}}?)(?:上班|工作|做|干)(?:了|啦)", cues=("上班", "工作", "做", "干"), type="identity", key="identity:employer", content="用户在{v}上班", op="retract"),
    Rule(rf"{ME}离开(?P<v>{W}{{1,12}}?)(?:了|啦){END}", cues=("离开",), type="identity", key="identity:employer", content="用户在{v}上班", op="retract"),
    Rule(rf"{ME}(?:从(?P<v>{W}{{1,12}}?))?(?:辞职|离职|被裁)(?:了|啦)", cues=("辞职", "离职", "被裁"), type="identity", key="identity:employer", content="用户在{v}上班", op="retract"),
)  # fmt: skip

# --- habits, belongings, plans: the clause itself is the fact ------------------------------------------------------

HABITS: Final = (
    Rule(rf"(?P<when>(?:凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|半夜|夜里|朝早|夜晚|晏昼)?(?:\d{{1,2}}|[一二两三四五六七八九十]{{1,3}})(?:点(?:半|钟)?|:\d\d)多?)[^。!?;\n]{{0,14}}?[?\s,。]+(?P<v>我(?!们?的?(?:{KIN_ZH}|朋友|同事|同学|室友|舍友|邻居|老板|领导|闺蜜|教练|客户))[^,。!?;\n\s他她]{{0,4}}?(?:天天|每天|每晚|每次|日日|晚晚|一直|都|总是|老是|习惯)[^,。!?;\n\s]{{0,3}}?[那这嗰呢](?:个)?(?:点|时间|时段|钟|阵|会儿|时候)[^,。!?;\n\s]{{1,12}})", cues=("点", ":"), type="preference", content="{told}（{when}）", confidence=0.9, forbids=Flag.HYPOTHETICAL | Flag.REPORTED),
    Rule(rf"{CS}(?P<v>我?(?:就|只|主要|其实|还是|最)*(?:想|希望|打算|目标是?)(?:先|能|要)?把(?:我的?|自己的?)?[^,。!?;\n\s我你他她]{{1,8}}?(?:练|减|瘦|调理|矫正?|治|戒|纠|养)(?:回来|下来|下去|上[去来]|好|掉|直|正|过来|起来)[^,。!?;\n\s]{{0,3}}?){END}", cues=("把",), type="preference", content="{told}", confidence=0.85),
    Rule(rf"{CS}(?P<v>(?:帮我|可以|能不能|可不可以|想|唔该|不该|直接|请|麻烦|给我|以后|都)*(?:转|改|换)(?:返|成|用|为|做|收|寄|发|到|走)*(?:电子|e-?(?:bill|statement|单|账单)|纸质|纸本|无纸|电邮|email|邮件|whatsapp|短信|微信|线上|网上|sms)(?!头像|名|号|昵称|密码|步数|支付|零钱|签名)[^,。!?;\n\s]{{0,5}}?)(?:得唔得|得不得|行不行|可以吗|可唔可以|可不可以|好吗|行吗|ok吗|得吗|成不|吧|唔该|不该|啦)*{END}", cues=("转", "改", "换"), type="preference", content="用户要求：{v}", confidence=0.85, forbids=Flag.HYPOTHETICAL | Flag.REPORTED | Flag.OTHER),
    Rule(rf"(?P<v>{ME}[^,。!?;\n]{{0,8}}?(?:每个?(?:天|周|星期|月|年|晚|早|周末|工作日|礼拜)|每周[一二三四五六日]|周末都|工作日都|早上都|晚上都|经常|常常|习惯|从来不|通常|一般都|天天|睡前|饭后|起床后|出门前|总是|总要|都会|都要|离不开)[^,。!?;\n]{{2,40}})", cues=("每", "都", "常", "习惯", "从来不", "天天", "睡前", "饭后", "起床后", "出门前", "总", "离不开"), type="preference", content="{told}", confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"(?P<v>{CS}(?:常去的|常用的|每天(?:早上|晚上|都)|每周[一二三四五六日末]|工作日都)[^,。!?;\n]{{2,40}})", cues=("常去", "常用", "每天", "每周", "工作日都"), type="preference", content="{told}", confidence=0.8, forbids=WITH_ONCE),
    Rule(rf"(?P<v>{CS}我(?:的(?:手机|电脑|车|相机|耳机|平板|手表)(?:型号)?是|(?:平时|现在|一直)?(?:开的?是|开的|用的?是|骑的?是))[^,。!?;\n]{{2,24}})", cues=("是", "开的"), type="identity", content="{told}", confidence=0.9),
    Rule(rf"(?P<v>{ME}(?:正在|在)(?:自学|学习|学|练习?|备考|准备考|复习)(?!校|生)[^,。!?;\n]{{1,20}})", cues=("学", "练", "考", "复习"), type="identity", content="{told}", confidence=0.9, forbids=WITH_ONCE),
    Rule(rf"(?P<v>{ME}会(?:弹|拉|吹|打|游泳|开车|编程|画)[^,。!?;\n]{{1,12}})", cues=("会",), type="identity", content="{told}", confidence=0.85),
)  # fmt: skip
PLANS: Final = (
    Rule(rf"(?P<v>{ME}[^,。!?;\n]{{0,12}}?(?:报名了|预约了|订了|定了|(?:打算|计划|准备|决定|想)(?=[^,。!?;\n]*(?:明年|今年|下半年|年底|下学期|毕业后|过年|暑假|寒假|国庆|春节|五一|下个月|考研|考公|买房|结婚|备孕|创业|换工作|跳槽|出国|留学|移民))|(?:明年|今年|下半年|年底|下学期|毕业后|过年|暑假|寒假|国庆|春节|五一)(?:打算|计划|准备|决定|想|要))[^,。!?;\n]{{2,30}})", cues=("打算", "计划", "准备", "决定", "想", "报名了", "预约了", "订了", "定了", "要"), type="task", content="{told}", confidence=0.85),
)  # fmt: skip

IDENTITY: Final = (*NAMES, *PERSON)
ALL: Final = (*NAMES, *PERSON, *RELATIVES, *PETS, *LIKES, *STYLE, *NO_LONGER, *LEFT, *HABITS, *PLANS)
"""Every row, in the order in which they are tried."""
