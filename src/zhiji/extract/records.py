"""Business fields of a tool's result: JSON, or any text with labels, attributes, cells or sentences.

Only known fields are read, each checked for its shape and length. Remarks, notes, comments and anything that reads like an
instruction are never fields, so a tool's text cannot plant a memory.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from typing import Final

from zhiji.extract import numbers
from zhiji.extract.fold import fold
from zhiji.extract.injections import is_injection
from zhiji.text import Identifier
from zhiji.types import JsonValue

Record = dict[str, str]
"""Fields of one business object by our names: order, tracking, ticket, carrier, status, item, refund, amount …"""

MAX_ADDRESS_CHARS: Final = 100
MAX_RECORDS: Final = 50
MAX_RESULT_CHARS: Final = 8000
MAX_PREAMBLE_CHARS: Final = 40
"""Before a JSON document: "Result: ", "HTTP 200"."""

_ALIASES: Final = {
    "order": "order_id orderid order_no order_number order_sn order_code order order_ref po_number purchase_order 订单号 订单编号 订单 訂單號 訂單編號 訂單 单号 單號",
    "tracking": "tracking tracking_no tracking_number tracking_id tracking_code waybill waybill_no shipment_id awb express_no logistics_no parcel_no 运单号 快递单号 物流单号 运单 運單號 快遞單號 物流單號 運單",
    "ticket": "ticket ticket_id ticket_no after_sale_id aftersale_id after_sale_no after_sale return_id return_no rma rma_id rma_no refund_id refund_no exchange_id exchange_no case_id case_no claim_id claim_no repair_no service_no 售后单号 退货单号 退款单号 换货单号 维修单号 工单号 工单 售后单 退货单 服务单号 售後單號 退貨單號 換貨單號 工單號",
    "carrier": "carrier courier express logistics shipping_company company express_company 快递公司 承运商 物流公司 快递 物流 快遞公司 物流公司",
    "status": "status state order_status shipping_status order_state refund_status 状态 订单状态 物流状态 狀態 訂單狀態",
    "item": "item product item_name product_name title goods goods_name sku_name 商品 商品名称 品名 商品名稱",
    "refund": "refund_amount refund refund_total refund_fee 退款金额 退款金額",
    "amount": "amount total total_amount total_fee pay_amount order_amount price paid 金额 实付 总价 金額 實付 總價",
    "deadline": "deadline eta refund_deadline due expected_delivery estimated_delivery delivery_date expected arrives ship_date estimated_arrival delivery_eta 预计送达 预计到达 截止时间 期限 預計送達",
    "return_address": "return_address returnaddress return_addr 退货地址 寄回地址 退貨地址",
    "address": "address shipping_address ship_to delivery_address 收货地址 收貨地址",
}
_FIELDS: Final = {alias.replace("_", ""): name for name, aliases in _ALIASES.items() for alias in aliases.split()}
_NUMBERS: Final = ("order", "tracking", "ticket")
_ANY_NUMBER: Final = frozenset(["id", "no", "number", "code", "sn", "num", "ref", "reference", "编号", "号码", "单号"])
"""Fields that say nothing of themselves: the object they stand in says which number it is."""
_PARENTS: Final = (
    ("tracking", re.compile(r"logistic|shipping|shipment|express|deliver|parcel|package|courier|carrier|waybill|track|物流|快递|运单|包裹")),
    ("ticket", re.compile(r"refund|return|aftersale|after|ticket|case|claim|rma|exchange|repair|service|售后|退|换|工单|维修")),
    ("item", re.compile(r"item|goods|product|商品")),
    ("order", re.compile(r"order|订单|訂單|purchase")),
)  # fmt: skip
_NAME: Final = "|".join(
    sorted(
        (alias.replace("_", "[ _-]?") for names in _ALIASES.values() for alias in names.split()), key=len, reverse=True
    )
)
_LABELLED: Final = re.compile(
    rf"(?<![a-z0-9_])(?P<name>{_NAME})(?:[ _-]?(?:id|no|number))?[\"']?\s*(?:[:=]|是|\bis\b)\s*[\"']?(?P<v>[^;|\n。\"'<>]{{1,100}}?)(?=\s*(?:[;|\n。\"'<>]|$|,\s*[\"']?[a-z_一-鿿]{{2,20}}[\"']?\s*[:=]|\s+[a-z_]{{2,20}}=|/>))"
)
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)|/\*.*?(?:\*/|\Z)", re.S)
_TAG: Final = re.compile(r"<(?P<element>[a-z][\w.-]*)(?P<attributes>[^<>]*)>(?P<body>[^<>]{0,100})")
_ATTRIBUTE: Final = re.compile(r"(?P<name>[a-z_][\w.-]*)\s*=\s*[\"'](?P<v>[^\"'<>]*)[\"']")
_REMARK: Final = re.compile(
    r"(?<![a-z])(?:note|memo|remarks?|tips?|msg|message|comment|desc(?:ription)?|hint|system|instruction|备注|備註|提示|说明|注意|系统|系統)s?[\"']?\s*[:=]"
)
_STATE: Final = re.compile(
    r"(?:已|待|未|运输|派送|配送|退款|退货|处理|审核|换货|维修|到达|揽收|签收)[一-鿿]{1,8}(?:中|点|收|货|成|过)?|"
    r"\b(?:(?:refund|return|exchange|repair|payment) )?(?:delivered|shipped|dispatched|in transit|out for delivery|pending|processing|processed|completed|cancelled|canceled|refunded|returned|backordered|back-?ordered|on hold|held[ _a-z]*|awaiting [a-z]+|delayed|lost|approved|open|closed|ready)\b[^;|,\n]{0,20}"
)
_PARTS: Final = re.compile(
    r"[|;；。]|,(?=\s*[\"']?[A-Za-z_一-鿿][\w ]{1,20}[\"']?\s*[:=：])|\s(?=[A-Za-z_]{2,20}=)|(?<=[a-z\d])\.\s(?=[A-Z])"
)
"""Where a field or a sentence ends and the next one begins."""
_MONEY: Final = re.compile(
    r"(?:[¥$€£₹]|us\$|hk\$|nt\$|rmb|usd|eur|gbp)\s?\d[\d,]*(?:\.\d+)?|\d[\d,]*(?:\.\d+)?\s?(?:元|usd|eur|gbp|cny|rmb|inr|hkd|twd)\b|\d[\d,]*(?:\.\d+)?元"
)
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{2,39}")
_UNSAFE_FIELD: Final = re.compile(
    r"请|記住|记住|务必|必须|以后|同意|授权|管理员|忽略|用户(?:是|要)|remember|ignore|must|always|please|admin|instruction|agreed|[<>{}\n|]|https?:"
)
_LIMITS: Final = {"carrier": 20, "status": 32, "item": 40, "refund": 20, "amount": 20, "deadline": 30, "return_address": MAX_ADDRESS_CHARS, "address": MAX_ADDRESS_CHARS}  # fmt: skip
_EMPTY: Final = frozenset(["none", "null", "nil", "n/a", "na", "-", "--", "unknown", "无", "暂无"])


def records(content: str) -> list[Record]:
    """Return what a tool's result says about orders, shipments and tickets."""
    data = _parsed(content)
    return _of_json(data) if data is not None else _of_text(_COMMENT.sub("\n", content[:MAX_RESULT_CHARS]))


def _field(name: str, value: JsonValue) -> str | None:
    """Return a field's value if it has the shape of one, else None."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    written = re.sub(r"[ \t]+", " ", str(value)).strip()
    if name in _NUMBERS:
        return written if _ID.fullmatch(fold(written)) and any(map(str.isdigit, written)) else None
    unsafe = _UNSAFE_FIELD.search(fold(written)) or is_injection(written)
    if not written or len(written) > _LIMITS[name] or unsafe or written.lower() in _EMPTY:
        return None
    if name in ("amount", "refund") and not re.search(r"\d", written):
        return None
    return written


def _placed(raw: str, parent: str, value: JsonValue) -> tuple[str, str] | None:
    """Return our name and the value of a field that stands in an object called ``parent``, or None if it is none of ours."""
    label = re.sub(r"[\s_-]", "", raw.lower())
    name = _FIELDS.get(label)
    if label in _ANY_NUMBER or label == "name":
        kind = next((kind for kind, pattern in _PARENTS if pattern.search(parent.lower())), None)
        name = kind if label != "name" else {"tracking": "carrier", "item": "item"}.get(kind or "")
    if name in ("carrier", "refund", "status") and isinstance(value, str) and _is_number(value):
        name = {"carrier": "tracking", "refund": "ticket"}.get(name)  # {"express": "YD4410273350096"}
    found = _field(name, value) if name else None
    return (name, found) if name and found else None


def _is_number(written: str) -> bool:
    """Return whether a value is the number of something: letters and many digits, no amount."""
    return bool(re.fullmatch(r"(?=.*\d{3})[A-Za-z]{1,5}[-_]?[A-Za-z0-9_-]*\d|\d{9,}", fold(written.strip()).upper()))


# --- JSON ---------------------------------------------------------------------------------------------------------


def _parsed(content: str) -> JsonValue:
    """Return a JSON container, whatever stands around it, or None for text."""
    found = re.search(r"[\[{].*[\]}]", content, re.S)
    if found is None or found.start() > MAX_PREAMBLE_CHARS:
        return None
    try:
        data: JsonValue = json.loads(found.group())
    except (ValueError, RecursionError):
        return None
    return data


def _of_json(data: JsonValue) -> list[Record]:
    """Return the known fields of each object of a JSON document, outer objects first; fields are inherited inwards."""
    records: list[Record] = []
    stack: list[tuple[JsonValue, Record, str]] = [(data, {}, "")]
    while stack and len(records) < MAX_RECORDS:
        value, outer, parent = stack.pop(0)
        if isinstance(value, dict):
            kind = value.get("type") or value.get("kind")
            parent = kind if isinstance(kind, str) and len(kind) < MAX_PREAMBLE_CHARS else parent
            fields = dict(found for raw, item in value.items() if (found := _placed(raw, parent, item)))
            if fields:
                records.append({key: outer[key] for key in ("order",) if key in outer} | fields)
            stack += [(item, outer | fields, raw) for raw, item in value.items() if isinstance(item, dict | list)]
        elif isinstance(value, list):
            stack += [(item, outer, parent) for item in value if isinstance(item, dict | list)]
    return records


# --- text ---------------------------------------------------------------------------------------------------------


def _of_text(content: str) -> list[Record]:
    """Return one record for each row, or for the whole text if its rows are the fields of one thing."""
    found = [*_of_tags(content)] or [*_of_table(content)]
    if found:
        return found
    rows = [row for line in re.split(r"\n+", content) if (row := _of_row(line))]
    if sum("order" in row for row in rows) > 1:
        return rows[:MAX_RECORDS]
    whole: Record = {}
    for row in rows:
        whole = row | whole
    return [whole] if whole else []


def _of_tags(content: str) -> Iterator[Record]:
    """Yield the attributes of each element, and the plain elements together."""
    plain: Record = {}
    folded = fold(content)
    for tag in _TAG.finditer(folded):
        parent = tag["element"]
        offset = tag.start("attributes")
        fields = dict(
            found
            for attribute in _ATTRIBUTE.finditer(tag["attributes"])
            if (
                found := _placed(
                    attribute["name"], parent, content[slice(*(offset + at for at in attribute.span("v")))]
                )
            )
        )
        if fields:
            yield fields
        elif tag["body"].strip() and (found := _placed(parent, "", content[slice(*tag.span("body"))])):
            plain.setdefault(*found)
    if plain:
        yield plain


def _of_table(content: str) -> Iterator[Record]:
    """Yield the rows of a table whose first row names the fields."""
    lines = [line.strip().strip("|") for line in content.splitlines() if re.search(r"\w", line)][: MAX_RECORDS + 1]
    mark = next((mark for mark in ("|", "\t", ",") if lines and lines[0].count(mark)), None)
    if mark is None or len(lines) < 2:
        return
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=mark)]
    names = rows[0]
    if sum(re.sub(r"[\s_-]", "", name.lower()) in _FIELDS for name in names) < 2:
        return
    for cells in rows[1:]:
        row = dict(found for name, cell in zip(names, cells, strict=False) if (found := _placed(name, "", cell)))
        if any(name in row for name in _NUMBERS):
            yield row


def _of_row(line: str) -> Record:
    """Return the fields of a line: labelled ones, then numbers, a state and an amount that stand for themselves."""
    record: Record = {}
    safe = "|".join(part for part in _PARTS.split(line) if not _is_remark(part))
    folded = fold(safe)
    for found in _LABELLED.finditer(folded):
        if placed := _placed(found["name"], "", safe[slice(*found.span("v"))].strip()):
            record.setdefault(*placed)
    telling = any(name in record for name in _NUMBERS) or _STATE.search(folded)
    for number in numbers.of_answer(safe, folded, business=bool(telling)):
        kind = {"order": "order", "shipment": "tracking", "after_sale": "ticket"}.get(number.kind)
        if kind and number.labelled and number.raw not in record.values() and _stands_alone(number, record, safe):
            record.setdefault(kind, number.raw)
    if any(name in record for name in _NUMBERS):
        _unlabelled(record, safe, folded)
    return record


def _is_remark(part: str) -> bool:
    return bool(_REMARK.search(fold(part))) or is_injection(part)


def _stands_alone(number: Identifier, record: Record, line: str) -> bool:
    """Return whether a number is no part of a field that has been read."""
    return not any(number.raw in value for value in record.values() if value in line)


def _unlabelled(record: Record, safe: str, folded: str) -> None:
    """Add the state, the amount and the item that a row of cells names without labels."""
    state = _STATE.search(folded) if "status" not in record else None
    if state and (value := _field("status", safe[slice(*state.span())].strip())):
        record["status"] = value
    if "amount" not in record and "refund" not in record and (money := _MONEY.search(folded)):
        record["refund" if "refund" in folded or "退款" in folded else "amount"] = safe[slice(*money.span())]
    cells = [cell.strip() for cell in safe.split("|")]
    if "item" not in record and len(cells) > 2:
        used = set(record.values())
        bare = (
            cell
            for cell in cells
            if cell not in used and not re.search(r"[\d:=]", cell) and not _STATE.search(fold(cell))
        )
        if item := next((item for cell in bare if (item := _field("item", cell))), None):
            record["item"] = item
