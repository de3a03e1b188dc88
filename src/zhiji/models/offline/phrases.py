"""The sentences of the offline assistant, in Chinese and English. No decisions here."""

from __future__ import annotations

from typing import Literal

Script = Literal["zh", "zh-Hant", "en"]
"""What an answer is written in; traditional sentences are made from the simplified ones."""

PHRASES: dict[str, tuple[str, str]] = {
    "address": ("订单 {order}的退货地址是：{address}。", "The return address for order {order} is: {address}."),
    "exchange": (
        "订单 {order}要换货的话，请先把商品寄回：{address}。",
        "To exchange order {order}, please send it back to: {address}.",
    ),
    "confirmed": (
        "没有问题，订单 {order}的退货地址是：{address}。",
        "Yes, that is right: the return address for order {order} is: {address}.",
    ),
    "other_address": (
        "请核对一下：订单 {order}的退货地址是：{address}，和您说的不一样。",
        "Please check: the return address for order {order} is: {address}, which is not the one you named.",
    ),
    "sent": ("收到，订单 {order}的退货您已经寄出。", "Thank you, noted: you have sent back order {order}."),
    "waybill": ("运单号 {number} 我看到了。", "I see the tracking number {number}."),
    "pack": ("寄回时请保留原包装。", "Please send it in its original packaging."),
    "arrival": ("仓库签收后会处理您的退货。", "The return is processed once it arrives."),
    "opened": ("已为订单 {order}提交退货申请，售后单号 {ticket}。", "A return for order {order} is open, ticket {ticket}."),
    "parcel": ("订单 {order}的包裹 {number}：{facts}。", "The parcel {number} of order {order}: {facts}."),
    "progress": ("订单 {order}的售后单 {number}：{facts}。", "Ticket {number} for order {order}: {facts}."),
    "status": ("订单 {order}：{facts}。", "Order {order}: {facts}."),
    "no_parcel": ("订单 {order}还没有物流信息。", "There is no tracking information for order {order} yet."),
    "no_progress": ("订单 {order}目前没有售后单。", "There is no return or refund on record for order {order} yet."),
    "not_found": ("没有查到 {order}，请核对一下号码。", "I could not find {order}; please check the number."),
    "unavailable": ("{order} 暂时查不到，请稍后再试。", "I cannot look up {order} right now; please try again later."),
    "uncertain": (
        "{order} 的操作结果还不确定，需要人工核实，请不要重复提交。",
        "The outcome for {order} is not known yet and has to be checked by a person; please do not submit it again.",
    ),
    "recorded": ("根据之前的记录：{text}。", "From my notes: {text}."),
    "which": ("您指的是其中哪一个订单呢？", "Which of these orders do you mean?"),
    "ask_order": ("请告诉我您的订单号，我马上为您查询。", "Could you tell me your order number, please? Then I can look it up."),
    "you_are": ("您是{name}。", "You are {name}."),
    "unknown_name": ("我还不知道您的名字，您可以告诉我怎么称呼您。", "I do not know your name yet; tell me what to call you."),
    "known": ("我记得这些：{facts}。", "This is what I remember: {facts}."),
    "nothing_known": ("我还没有关于您的记录。", "I have nothing on record about you yet."),
    "no_record": ("这一点我没有记录，您可以告诉我。", "I have no record of that; you are welcome to tell me."),
    "will_remember": ("好的，我记住了：{about}。", "OK, I'll remember: {about}."),
    "will_forget": ("好的，我忘掉了：{about}。", "OK, I've forgotten this: {about}."),
    "will_not_keep": ("好的，我不会记住：{about}。", "OK, I won't remember this: {about}."),
    "will_remember_it": ("好的，我记住了。", "OK, I'll remember that."),
    "will_forget_it": ("好的，我忘掉了。", "OK, I've forgotten that."),
    "will_not_keep_it": ("好的，这个我不记。", "OK, I won't remember that."),
    "not_understood": (
        "我没有看懂要记住或忘掉什么，请换个说法，一次说一件事。",
        "I did not understand what to remember or forget; please say it in other words, one thing at a time.",
    ),
    "noted": ("好的，我知道了。", "All right, I see."),
    "welcome": ("不客气，还有什么可以帮您？", "You are welcome. Is there anything else?"),
    "bye": ("再见，祝您生活愉快。", "Goodbye, and have a good day."),
    "offer": (
        "我可以帮您查订单、物流、退货地址和售后进度。",
        "I can look up orders, parcels, return addresses and the progress of returns.",
    ),
}  # fmt: skip
"""Sentence by name: (zh, en)."""

STATUS_ZH = {
    "pending": "待处理", "paid": "已付款", "processing": "处理中", "shipped": "已发货", "in_transit": "运输中",
    "out_for_delivery": "派送中", "delivered": "已签收", "completed": "已完成", "cancelled": "已取消", "requested": "已申请",
    "approved": "已通过", "rejected": "未通过", "received": "已收货", "returned": "已退货", "refunded": "已退款", "closed": "已关闭",
}  # fmt: skip
"""Statuses of the shop in Chinese; others are shown as they are."""

FIELDS: dict[str, tuple[str, str]] = {
    "status": ("状态", "status"),
    "amount": ("金额", "amount"),
    "carrier": ("承运", "carrier"),
    "shipment": ("运单", "tracking number"),
    "after_sale": ("售后单", "ticket"),
    "kind": ("类型", "kind"),
    "refund": ("退款", "refund"),
    "eta": ("预计送达", "expected"),
    "location": ("当前位置", "last seen"),
    "reason": ("原因", "reason"),
    "deadline": ("期限", "deadline"),
}  # fmt: skip
"""Labels of the shop's fields; others are shown under their own name."""


_TRADITIONAL = str.maketrans(
    "时暂个为么于处号后单发实对帮库当录态换据没点状确码称签类结装见计订记诉试话询说请货输达过运还进这闭问预题额马关复样气仓会条经",
    "時暫個為麼於處號後單發實對幫庫當錄態換據沒點狀確碼稱簽類結裝見計訂記訴試話詢說請貨輸達過運還進這閉問預題額馬關複樣氣倉會條經",
)
"""Covers the sentences, labels and statuses of this page, nothing else."""


def _written(pair: tuple[str, str], script: Script) -> str:
    zh, en = pair
    return en if script == "en" else zh.translate(_TRADITIONAL) if script == "zh-Hant" else zh


def say(name: str, script: Script, /, **values: str) -> str:
    """Return one sentence; the values stay as they are."""
    return _written(PHRASES[name], script).format(**values)


def salute(name: str, script: Script) -> str:
    """Return how an answer begins."""
    if script != "en":
        return f"{name}您好，" if name else "您好，"
    return f"Hello {name}! " if name else "Hello! "


def order_name(number: str, item: str, script: Script) -> str:
    """Return an order's number with its item, ready to stand in a sentence."""
    if script == "en":
        return f"{number} ({item})" if item else number
    return f"{number}（{item}）" if item else f"{number} "


def labelled(name: str, value: str, script: Script) -> str:
    """Return one field with its label."""
    if name == "status":
        plain = value.replace("_", " ")
        value = _written((STATUS_ZH.get(value, plain), plain), script)
    return f"{_written(FIELDS.get(name, (name, name.replace('_', ' '))), script)} {value}"


def listed(parts: list[str], script: Script) -> str:
    """Return parts in one sentence."""
    return (", " if script == "en" else "，").join(parts)
