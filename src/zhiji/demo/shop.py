"""The demo shop: orders, parcels and after-sale tickets in an SQLite database of its own.

It plays the business system (level L3 of the article): memory never holds its rows, and it knows nothing of memory. No
tool lists the orders of a user, so an order number has to come from the conversation or from memory.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from zhiji.demo.script import Order
from zhiji.text import canonical_id
from zhiji.types import JsonValue, Scope

_SCHEMA = """
CREATE TABLE orders (id TEXT PRIMARY KEY, owner TEXT, return_address TEXT NOT NULL, data TEXT NOT NULL);
CREATE TABLE shipments (id TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders (id), data TEXT NOT NULL);
CREATE TABLE tickets (id TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders (id), data TEXT NOT NULL, call_key TEXT UNIQUE);
"""

FIRST_TICKET = 1001

Row = dict[str, JsonValue]
OrderId = Annotated[str, Field(description="order number / 订单号")]
Number = Annotated[str, Field(description="its own number, or the order number / 单号或订单号")]


class Shop:
    """One shop in one database file. Every tool opens and closes its own connection, so threads do not matter."""

    def __init__(self, path: Path, orders: Sequence[Order]) -> None:
        """The file ``path`` is created with these orders."""
        self._path = path
        with self._open() as db:
            db.executescript(_SCHEMA)
            for order in orders:
                _insert(db, order)

    def offer(self, tool: Callable[..., Callable[[Callable[..., object]], object]]) -> None:
        """All tools of the shop are offered to the model; ``tool`` is ``Zhiji.tool``."""
        for look_up in (self.get_order, self.get_return_address, self.track_shipment, self.get_after_sale):
            tool(effects="read")(look_up)
        tool(effects="write", idempotent=True)(self.create_return)

    def get_order(self, order_id: OrderId, scope: Scope) -> Row:
        """Look up one order by its number: item, status, amount. 按订单号查询订单。"""
        with self._open() as db:
            return _order(db, order_id, scope) or _missing("order", order_id)

    def get_return_address(self, order_id: OrderId, scope: Scope) -> Row:
        """Look up where the goods of an order are to be sent back to. 查询某个订单的退货地址。"""
        with self._open() as db:
            order = _order(db, order_id, scope)
            found = db.execute("SELECT return_address FROM orders WHERE id = ?", (canonical_id(order_id),)).fetchone()
        if order is None or not found[0]:
            return _missing("return address", order_id)
        return {"order_id": order["order_id"], "item": order["item"], "return_address": found[0]}

    def track_shipment(self, number: Number, scope: Scope) -> Row:
        """Look up where a parcel is, by its tracking number or its order number. 查询物流。"""
        with self._open() as db:
            return _child(db, "shipments", number, scope) or _missing("shipment", number)

    def get_after_sale(self, number: Number, scope: Scope) -> Row:
        """Look up a return, exchange or refund, by its ticket number or its order number. 查询售后进度。"""
        with self._open() as db:
            return _child(db, "tickets", number, scope) or _missing("after-sale ticket", number)

    def create_return(self, order_id: OrderId, scope: Scope, call_key: str, reason: str = "") -> Row:
        """Open a return for an order, once the user asks for it. 为订单提交退货申请。"""
        with self._open() as db:
            db.execute("BEGIN IMMEDIATE")
            order = _order(db, order_id, scope)
            if order is None:
                return _missing("order", order_id)
            opened = db.execute("SELECT id FROM tickets WHERE call_key = ?", (call_key,)).fetchone()
            known = _child(db, "tickets", opened[0] if opened else order_id, scope)
            return known or _open_ticket(db, order, reason, call_key)

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self._path)) as db, db:
            yield db


def _insert(db: sqlite3.Connection, order: Order) -> None:
    key = canonical_id(order.order_id)
    db.execute(
        "INSERT INTO orders VALUES (?, ?, ?, ?)", (key, order.user, order.return_address, _dumps(order.public()))
    )
    for table, child in (("shipments", order.shipment), ("tickets", order.after_sale)):
        if child:
            row = (canonical_id(child.number), key, _dumps(child.public()))
            db.execute(f"INSERT INTO {table} (id, order_id, data) VALUES (?, ?, ?)", row)


def _order(db: sqlite3.Connection, order_id: str, scope: Scope) -> Row | None:
    row = db.execute(
        "SELECT data FROM orders WHERE id = ? AND (owner IS NULL OR owner = ?)", (canonical_id(order_id), scope.user)
    ).fetchone()
    return json.loads(row[0]) if row else None


def _child(db: sqlite3.Connection, table: Literal["shipments", "tickets"], number: str, scope: Scope) -> Row | None:
    key = canonical_id(number)
    row = db.execute(f"SELECT order_id, data FROM {table} WHERE id = ? OR order_id = ?", (key, key)).fetchone()
    order = _order(db, row[0], scope) if row else None
    return {"order_id": order["order_id"], "item": order["item"], **json.loads(row[1])} if order else None


def _open_ticket(db: sqlite3.Connection, order: Mapping[str, JsonValue], reason: str, call_key: str) -> Row:
    (count,) = db.execute("SELECT count(*) FROM tickets").fetchone()
    number = f"AS{FIRST_TICKET + count}"
    ticket: Row = {"number": number, "kind": "return", "status": "requested"}
    if reason:
        ticket["reason"] = reason
    order_id = str(order["order_id"])
    db.execute("INSERT INTO tickets VALUES (?, ?, ?, ?)", (number, canonical_id(order_id), _dumps(ticket), call_key))
    return {"order_id": order_id, "item": order["item"], **ticket}


def _missing(what: str, number: str) -> Row:
    return {"error": "not_found", "message": f"the shop has no {what} under this number", "number": number}


def _dumps(row: Mapping[str, JsonValue]) -> str:
    return json.dumps(row, ensure_ascii=False)
