"""What the user wants, from the words alone: one table of wordings in Chinese and English.

Wordings are matched on the folded text (simplified, half width, lower case). A message may want several things.
"""

from __future__ import annotations

import re
from enum import StrEnum

from zhiji.extract.fold import fold


class Want(StrEnum):
    """Something a message asks for or tells."""

    ADDRESS = "address"
    """Where to send goods back to."""
    CHECK = "check"
    """Whether the address is right."""
    SENT = "sent"
    """The goods are on their way back."""
    RETURN = "return"
    EXCHANGE = "exchange"
    OPEN_RETURN = "open_return"
    """To have a return opened now."""
    PROGRESS = "progress"
    """How a return or refund stands, or what was promised."""
    PARCEL = "parcel"
    STATUS = "status"
    WHO = "who"
    ABOUT = "about"
    REMEMBER = "remember"
    FORGET = "forget"
    GREETING = "greeting"
    THANKS = "thanks"
    FAREWELL = "farewell"
    OWN_FACT = "own_fact"
    """A question about the user."""


_BACK = r"退货|换货|退换|退的|退回|寄回|寄还|归还"
_GOODS_BACK = r"(?:sent|shipped|mailed|posted|dropped|handed|returned|gave|sending|shipping|mailing|posting)"
_WORDINGS: dict[Want, str] = {
    Want.ADDRESS: (
        rf"(?:{_BACK}).{{0,6}}(?:地址|哪|地点)|(?:寄|退|邮|发|送|拿)(?:回|到|去|往|给|过去)?.{{0,3}}(?:哪|什么地方|啥地方|谁)"
        r"|往哪.{0,3}(?:寄|退|发)|地址.{0,6}(?:是什么|是哪|在哪|是啥|多少|发我|给我|告诉|说一下|再说)|(?:什么|哪个|那个|发我|给我|告诉我|求|要).{0,4}地址"
        r"|return(?:s|ing)? (?:address|label|location|to)\b|where (?:do|should|can|to|must|am|is|would|shall)\b.{0,30}\b(?:send|ship|return|mail|post|address)"
        r"|(?:what|which)(?:'s| is| was)?.{0,20}\baddress\b|address (?:to|for) .{0,20}return|(?:send|ship|return|mail|post) (?:it|them|this|that)?.{0,12}\bto (?:which|what|where)"
        r"|address again|(?:need|tell|give|send) (?:me )?(?:the|that|an?) .{0,12}address"
    ),
    Want.CHECK: (
        r"(?:地址|address).{0,12}(?:问题|对|错|正确|准|变|一样|没改|行|可以|ok|好|还是|之前|原来|上次)|(?:对|正确|没错|确认|核对|核实|检查).{0,8}地址"
        r"|(?:寄|填|写|送|发)(?:对|错)|是(?:寄到|寄去|寄往|那个地址|这个地址|这里|那里)|寄到.{0,20}(?:对|没错|没问题|可以|吧|吗)"
        r"|address.{0,30}(?:right|correct|ok|okay|fine|good|problem|same|valid|still|wrong|accurate|check)"
        r"|(?:right|correct|same|wrong|confirm|check|verify|double-check) .{0,20}(?:address|place|location)|went to the right|(?:good|fine|ok|okay|right|wrong) with .{0,10}address"
    ),
    Want.SENT: (
        r"(?:寄|邮|发|送|还)(?:走|出|回|掉|过|去|来|给你们)*(?:了|啦|咯|喽)|退(?:回|还|过)去?(?:了|啦)"
        r"|(?:已经?|刚刚?|今[早天]|昨[天晚]|前天|早上|上午|下午|晚上).{0,8}(?:寄|邮|送)(?:走|出|回|掉|过|了|[,.]|$)|刚刚?(?:寄|邮)"
        r"|(?:交给|给了|叫了|送去).{0,6}(?:快递|顺丰|圆通|中通|韵达|申通|京东|邮政|驿站|菜鸟)|(?:快递|驿站|菜鸟|柜).{0,4}(?:取走|收走|拿走|揽收)"
        rf"|(?:i|we|i've|i have|just|already|it's been|has been|was|got it)\b.{{0,24}}\b{_GOODS_BACK}\b|^{_GOODS_BACK}\b"
        r"|(?:on|in) (?:its|their|the) way back|(?:return|parcel|package|box|it).{0,16}(?:is|has been|was|has|'s) (?:sent|shipped|mailed|posted|dropped|gone (?:out|off))"
        r"|\b(?:in|into) the (?:post|mail)\b|picked up (?:my|the) (?:return|parcel|package|box)|took (?:it|them|that|the .{1,20}) to the (?:post|courier|carrier|drop|ups|fedex)"
    ),
    Want.OPEN_RETURN: (
        r"(?:(?<!已)(?<!已经)(?:申请|办理?|提交|发起|登记)(?:一下|一个|个|一张)?|帮(?:我|忙)(?:把.{1,8})?)退(?:货|换|掉|了)(?!了|过|的|地址|进度|单)"
        r"|(?:open|start|create|file|submit|set up|arrange|request|raise|initiate) (?:a|the|my|an)? ?return|return it for me"
    ),
    Want.EXCHANGE: r"换货|换一|换个|换成|调换|想换|要换|更换|exchange|swap|replace",
    Want.RETURN: r"退货|想退|要退|退掉|退了|退换|退回|不想要|七天无理由|return(?!ed\b)|send (?:it|them|this|that|these) back|give .{1,20} back",
    Want.PROGRESS: (
        r"退款|退钱|退.{0,2}(?:多少钱|费)|到账|返还|补偿|赔(?:偿|付|我)?|(?:退货|换货|售后|申请|退换|工单|维修).{0,6}(?:进度|状态|怎么样|处理|结果|审核|通过|进展)|进度|进展|处理到哪"
        r"|答应|承诺|refund|money back|reimburs|compensat|status of (?:my|the|that|this) (?:return|exchange|ticket)|(?:return|exchange|ticket|claim|case).{0,20}(?:status|progress|update|going|processed|approved|received|arrived)|promised|(?:退货|退的|寄回).{0,10}(?:收到|签收)(?:了吗|没|吗)"
    ),
    Want.PARCEL: (
        r"物流|发货|派送|配送|(?<![寄退回送发拿])到哪|(?:快递|包裹|货|东西|订单|单子?).{0,8}(?:在哪|到了(?:吗|没)|哪里了|什么时候到|几时到|何时到|多久到|状态|信息|进度)"
        r"|(?:什么时候|几时|何时|多久|几天).{0,6}(?:送到|收到|送达|到货|到(?!账|帐))|还没(?:收到|到)|没收到|查.{0,6}(?:快递|包裹|运单)|送到哪"
        r"|where(?:'s| is| are|s)\b.{0,24}\b(?:parcel|package|order|delivery|shipment|stuff|it now)|track|(?:when|has|hasn't|did|didn't|will).{0,30}(?:arriv|deliver|come|get here|shipped yet|dispatch)"
        r"|shipping status|delivery status|on its way(?! back)|not (?:arrived|received|here yet)|still waiting for"
    ),
    Want.STATUS: (
        r"(?:订单|单子|那单|这单).{0,8}(?:状态|怎么样|什么情况|情况|详情|信息|金额|多少钱|买的什么|是什么)|查.{0,6}(?:订单|单子)|哪个订单|订单号是|什么订单"
        r"|order (?:status|details?|info|number)|status of|check (?:on )?(?:my|the|this|that) order|look up|what did i (?:order|buy)|which order|how much was"
    ),
    Want.WHO: r"我是谁|(?:记得|认识|知道).{0,3}我(?:吗|么|不|叫|是谁|$|[,.?!])|我(?:叫什么|姓什么|的?名字(?=$|[,.?!吗呢]|(?:是|叫)?(?:什么|啥|谁)))|我的名字.{0,8}[吗?]|who (?:am i|i am)|remember me|my name\b.{0,6}\?|know (?:who i am|my name)|what(?:'s| is) my name",
    Want.ABOUT: (
        r"(?:知道|记得|记住|记了|了解).{0,6}(?:我的?(?:什么|哪些|信息|资料|事|情况)|关于我|些什么|哪些)|你(?:都)?记(?:得|住)了?(?:什么|哪些)"
        r"|what (?:do|did|have) you (?:know|remember|recall|store|saved?|got)|(?:know|remember) about me|my profile|我的(?:资料|档案|记忆)"
    ),
    Want.FORGET: r"忘(?:掉|了|记)(?!.{0,2}告诉|带)|别(?:再)?记|不要(?:再)?记|删(?:除|掉|了)|forget|delete (?:my|that|the|what)|erase|don't (?:remember|store|save)",
    Want.REMEMBER: r"(?<!还)(?:记住|记得(?!我|吗|不|你)|记一下|记下|帮我记|备注|别忘)|(?<!you )(?<!you still )remember(?! me)|keep in mind|make a note|note that|don't forget",
    Want.THANKS: r"谢谢|多谢|感谢|谢啦|辛苦|thank|thx|cheers|appreciate",
    Want.FAREWELL: r"再见|拜拜|回头见|先这样|没(?:别的)?事了|bye|see you|that's all|good night",
    Want.GREETING: r"^(?:你好|您好|嗨|哈喽|喂|在吗|在么|早上好|下午好|晚上好|早安|hi|hello|hey|good (?:morning|afternoon|evening))",
}  # fmt: skip
_PATTERNS = {want: re.compile(wording) for want, wording in _WORDINGS.items()}

_OWN = re.compile(
    r"(?:收货|送货|家庭|默认|家里的?|我家|我的|公司)地址|地址.{0,2}(?:簿|本)|delivery address|shipping address|my (?:home |own |default )?address|deliver to"
)
"""Addresses of the user, not of the shop."""

_SHOP = re.compile(
    r"退|寄|订单|单号|那单|快递|包裹|物流|货|商品|东西|衣|鞋|收到|签收|仓库|售后|客服|return|order|parcel|package|item|sent|ship|deliver|refund|courier|purchase|bought|label|box|warehouse"
)
_QUESTION = re.compile(
    r"[?]|吗|呢|么$|什么|哪|怎么|怎样|多少|几[个天号点]|谁|是否|是不是|能不能|可不可以|有没有|为什么|推荐"
    r"|^(?:what|where|when|who|how|which|why|do|does|did|can|could|is|are|was|were|will|would|should|have|has|any)\b|\b(?:recommend|suggest|remind me)\b"
)
_MINE = re.compile(r"我|咱|\b(?:i|my|me|mine|i'm|i've)\b")
_NOT_YET = re.compile(
    r"(?:还没|没有?(?!.{0,3}错)|尚未|怎么|如何|先别|不用|想|要|能|可以|准备|打算).{0,4}(?:寄|邮|发)|(?:你们|店家?|商家|卖家|仓库).{0,6}(?:寄|发)|发(?:出|走)?了(?:吗|没)|haven't|have not|not (?:yet )?(?:sent|shipped)|how (?:do|can|should) i|has (?:my|the) (?:order|parcel|package)"
)
_HOW = re.compile(r"怎么|如何|怎样|how (?:do|can|should|to)|do i need")
_PARCEL_NOUN = re.compile(r"快递|包裹|物流|运单|parcel|package|track|deliver")

BACK = frozenset({Want.ADDRESS, Want.CHECK, Want.SENT, Want.RETURN, Want.EXCHANGE, Want.OPEN_RETURN})
"""Everything about sending goods back."""
ABOUT_ORDERS = BACK | {Want.PROGRESS, Want.PARCEL, Want.STATUS}
ABOUT_USER = frozenset({Want.WHO, Want.ABOUT, Want.OWN_FACT})


def is_question(said: str) -> bool:
    """Return whether a message asks something."""
    return bool(_QUESTION.search(fold(said).strip()))


def talks_shop(said: str) -> bool:
    """Return whether a message is about goods, parcels or orders at all."""
    return bool(_SHOP.search(fold(said)))


def wants(said: str) -> frozenset[Want]:
    """Return everything that a message wants; empty if no wording is known."""
    folded = " ".join(fold(said).split())
    found = {want for want, pattern in _PATTERNS.items() if pattern.search(folded)}
    if _OWN.search(folded):
        found -= {Want.ADDRESS, Want.CHECK}
        found |= {Want.OWN_FACT} if is_question(said) else set()
    if Want.SENT in found and _NOT_YET.search(folded):
        found.discard(Want.SENT)
    if Want.OPEN_RETURN in found and (found & {Want.SENT, Want.CHECK, Want.PROGRESS} or _HOW.search(folded)):
        found.discard(Want.OPEN_RETURN)
    if Want.PROGRESS in found and Want.PARCEL in found and not _PARCEL_NOUN.search(folded):
        found.discard(Want.PARCEL)
    if (
        found & {Want.SENT, Want.CHECK}
        and Want.PARCEL in found
        and not re.search(r"到哪|where|track|到了(?:吗|没)", folded)
    ):
        found.discard(Want.PARCEL)
    if not found & (ABOUT_ORDERS | ABOUT_USER) and is_question(said) and _MINE.search(folded) and not talks_shop(said):
        found.add(Want.OWN_FACT)
    return frozenset(found)
