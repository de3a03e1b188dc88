"""Business fields of a tool's result: JSON, or lines with labels.

Only known fields are read, each checked for its shape and length. Remarks, notes and anything that reads like an
instruction are never fields, so a tool's text cannot plant a memory.
"""

from __future__ import annotations

import json
import re
from typing import Final

from zhiji import text
from zhiji.extract.fold import fold
from zhiji.extract.guards import is_injection
from zhiji.types import JsonValue

Record = dict[str, str]
"""Fields of one business object by our names: order, tracking, ticket, carrier, status, item, refund, amount …"""

MAX_ADDRESS_CHARS: Final = 100
MAX_RECORDS: Final = 50

_ALIASES: Final = {
    "order": "order_id orderid order_no order_number order_sn order 订单号 订单编号 订单",
    "tracking": "tracking tracking_no tracking_number tracking_id waybill waybill_no shipment_id 运单号 快递单号 物流单号 运单",
    "ticket": "ticket ticket_id after_sale_id aftersale_id after_sale_no return_id return_no rma rma_id refund_id case_id 售后单号 退货单号 工单号 售后单 退货单",
    "carrier": "carrier courier express logistics shipping_company 快递公司 承运商 物流公司 快递",
    "status": "status state order_status shipping_status 状态 订单状态 物流状态",
    "item": "item product item_name product_name title goods sku_name 商品 商品名称 品名",
    "refund": "refund_amount refund 退款金额",
    "amount": "amount total total_amount price paid 金额 实付 总价",
    "deadline": "deadline eta refund_deadline due expected_delivery estimated_delivery delivery_date 预计送达 截止时间 期限",
    "return_address": "return_address returnaddress return_addr 退货地址 寄回地址",
    "address": "address shipping_address ship_to delivery_address 收货地址",
}
_FIELDS: Final = {alias.replace("_", ""): name for name, aliases in _ALIASES.items() for alias in aliases.split()}
_TOOL_LINE: Final = re.compile(
    rf"(?P<name>{'|'.join(sorted((alias.replace('_', '[ _]?') for aliases in _ALIASES.values() for alias in aliases.split()), key=len, reverse=True))})\s*[:=]\s*(?P<v>[^;\n。]{{1,100}})"
)
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{2,39}")
_UNSAFE_FIELD: Final = re.compile(
    r"请|记住|务必|必须|以后|同意|授权|管理员|忽略|用户(?:是|要)|remember|ignore|must|always|please|admin|instruction|agreed|[<>{}\n|]|https?:"
)
_LIMITS: Final = {"carrier": 20, "status": 24, "item": 40, "refund": 20, "amount": 20, "deadline": 30, "return_address": MAX_ADDRESS_CHARS, "address": MAX_ADDRESS_CHARS}  # fmt: skip


def records(content: str) -> list[Record]:
    """Return what a tool's result says about orders, shipments and tickets."""
    data = _parsed(content)
    return _of_json(data) if data is not None else _of_lines(content)


def _field(name: str, value: JsonValue) -> str | None:
    """Return a field's value if it has the shape of one, else None."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    written = str(value).strip()
    if name in ("order", "tracking", "ticket"):
        return written if _ID.fullmatch(fold(written)) and any(map(str.isdigit, written)) else None
    unsafe = _UNSAFE_FIELD.search(fold(written)) or is_injection(written)
    if not written or len(written) > _LIMITS[name] or unsafe:
        return None
    if name in ("amount", "refund") and not re.search(r"\d", written):
        return None
    return written


def _parsed(content: str) -> JsonValue:
    """Return a JSON container, or None for text."""
    if content.lstrip()[:1] not in ("{", "["):
        return None
    try:
        data: JsonValue = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return data


def _of_json(data: JsonValue) -> list[Record]:
    """Return the known fields of each object of a JSON document, outer objects first; fields are inherited inwards."""
    records: list[Record] = []
    stack: list[tuple[JsonValue, Record]] = [(data, {})]
    while stack and len(records) < MAX_RECORDS:
        value, outer = stack.pop(0)
        if isinstance(value, dict):
            fields = {
                name: found
                for raw, item in value.items()
                if (name := _FIELDS.get(re.sub(r"[\s_-]", "", raw.lower()))) and (found := _field(name, item))
            }
            if fields:
                records.append({key: outer[key] for key in ("order",) if key in outer} | fields)
            stack += [(item, outer | fields) for item in value.values() if isinstance(item, dict | list)]
        elif isinstance(value, list):
            stack += [(item, outer) for item in value if isinstance(item, dict | list)]
    return records


def _of_lines(content: str) -> list[Record]:
    if is_injection(content):
        return []
    record: Record = {}
    for found in _TOOL_LINE.finditer(fold(content)):
        name = _FIELDS[re.sub(r"[\s_-]", "", found["name"])]
        if value := _field(name, content[slice(*found.span("v"))].strip()):
            record.setdefault(name, value)
    kinds = {"order": "order", "shipment": "tracking", "after_sale": "ticket"}
    for number in text.identifiers(content):
        if number.labelled and number.kind in kinds:
            record.setdefault(kinds[number.kind], number.raw)
    return [record] if record else []
