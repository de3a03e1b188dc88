"""Identifiers: numbers are found as people type them, and nothing else is taken for one."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji.identifiers import canonical_id, fold, identifiers


def found(text: str) -> list[tuple[str, str]]:
    return [(number.kind, number.id) for number in identifiers(text)]


@pytest.mark.parametrize(
    ("raw", "id"),
    [
        ("ＯＤ２０２４-０４１５ ００８", "OD20240415008"),
        ("od 2024 0415 008", "OD20240415008"),
        ("ORD-12045-R", "ORD12045R"),
        ("TW–2024—1103‑18", "TW2024110318"),
        ("OD\u200b2024\u30000415008\n", "OD20240415008"),
    ],
)
def test_every_spelling_has_one_canonical_id(raw: str, id: str) -> None:
    """Width, case, spaces, dashes and zero-width characters make no difference."""
    assert canonical_id(raw) == id


def test_letters_without_a_single_upper_case_stay_apart() -> None:
    """Two ids that differ in a letter are never one key."""
    assert canonical_id("Straße") != canonical_id("strasse")


@given(st.text())
def test_a_canonical_id_is_its_own_canonical_id(raw: str) -> None:
    """Canonical form is a fixed point."""
    assert canonical_id(canonical_id(raw)) == canonical_id(raw)


@given(st.text())
def test_folding_keeps_every_position(text: str) -> None:
    """Spans found in the folded view are valid in the text itself."""
    assert len(fold(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ＯＤ２０２４-０４１５ ００８ 到了吗", [("order", "OD20240415008")]),
        ("我叫王五，订单 OD20240601777 想退货", [("order", "OD20240601777")]),
        ("订单OD20240601777已签收2件", [("order", "OD20240601777")]),
        ("OD20240601777 199元", [("order", "OD20240601777")]),
        ("您好，訂單TW-2024-1203-77的杯子破了", [("order", "TW2024120377")]),
        ("return ORD-22031-R, and ORD-22040-R is late", [("order", "ORD22031R"), ("order", "ORD22040R")]),
        ("order #4417, order no. 12", [("order", "4417"), ("order", "12")]),
        ("Order 4417 was refunded", [("order", "4417")]),
        ("orders 4417 and 4418", [("order", "4417"), ("order", "4418")]),
        ("订单 4417、4418 和 4419 都没到", [("order", "4417"), ("order", "4418"), ("order", "4419")]),
        ("4417号订单呢", [("order", "4417")]),
        ("my order #W7781205 or #W7781206", [("order", "W7781205"), ("order", "W7781206")]),
        ("my order number is 112-1234567-7654321", [("order", "11212345677654321")]),
        ("订单:OD1", [("order", "OD1")]),
        ("订单号13912345678", [("order", "13912345678")]),
        ('{"order_id":"OD2024A1","tracking":"ZT78203900016207"}', [("order", "OD2024A1"), ("shipment", "ZT78203900016207")]),
        ("SF1234567890 到哪了", [("shipment", "SF1234567890")]),
        ("sf 1234 5678 9012", [("shipment", "SF123456789012")]),
        ("物流单号 SF1391234567890", [("shipment", "SF1391234567890")]),
        ("运单 139123456789012", [("shipment", "139123456789012")]),
        ("快递单号是 78203945510000", [("shipment", "78203945510000")]),
        ("tracking number: 1Z999AA10123456784", [("shipment", "1Z999AA10123456784")]),
        ("包裹YT2023456789012到哪了", [("shipment", "YT2023456789012")]),
        ("RR123456785CN", [("shipment", "RR123456785CN")]),
        ("工单AS1001", [("after_sale", "AS1001")]),
        ("退货单 TH2023082500999 已生成", [("after_sale", "TH2023082500999")]),
        ("Ticket T-9 is open", [("after_sale", "T9")]),
        ("your RMA 20441 is approved", [("after_sale", "RMA20441")]),
        ("退货单号 OD20240601777", [("order", "OD20240601777")]),
        ("訂單 TW-A-90321 想退貨", [("order", "TWA90321")]),
        ("Invoice INV-7", [("other", "INV7")]),
        ("Invoice 00912345678", [("other", "00912345678")]),
        ("退款流水 20240601000139123456", [("other", "20240601000139123456")]),
        ("the reference number is K2BO09VQ", [("other", "K2BO09VQ")]),
    ],
)  # fmt: skip
def test_numbers_are_found_with_their_kind(text: str, expected: list[tuple[str, str]]) -> None:
    """Prefix or label says what a number is, in Chinese and English, in any spelling."""
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "我的手机号是13912345678，tel: 139 1234 5678",
        "快递 13912345678",
        "快递：139-1234-5678",
        "order 415-555-2671",
        "call about my order at 415-555-2671",
        "2025-06-01 09:30，订单 2024-04-15 下的",
        "订单 3 件，订单金额199元，订单199.00元",
        "I want to order 5000 masks; order 3 shirts",
        "iPhone15 和 Pegasus-Trail40，order iPhone15",
        "GPT-4, RTX4090, ISO9001, COVID-19, UTF-8, A4",
        "as 1001 people said, th 2023",
        "0.731904455120938",
        "https://x/y#c-5512908847",
        "身份证11010519491231002X 卡号6222021234567894 TEL13912345678 QQ12345678",
        "od2024@example.com",
        "",
        "😀",
    ],
)
def test_nothing_else_is_taken_for_a_number(text: str) -> None:
    """Phones, dates, amounts, models, standards, cards and addresses are no identifiers."""
    assert found(text) == []


def test_an_unlabelled_unknown_number_is_other() -> None:
    """Without label and known prefix the kind stays open, and the caller can tell."""
    (number,) = identifiers("TW-2024-1203-77 坏了")
    assert (number.kind, number.id, number.labelled) == ("other", "TW2024120377", False)


@given(st.text(alphabet="ODorder订单号SF12 -　：:#Ａ１，,和😀", max_size=60))
def test_spans_are_sorted_disjoint_and_canonical(text: str) -> None:
    """Whatever the text, spans point at what they name."""
    numbers = identifiers(text)
    assert all(text[number.start : number.end] == number.raw for number in numbers)
    assert all(number.id == canonical_id(number.raw) != "" for number in numbers)
    assert all(one.end <= next.start for one, next in pairwise(numbers))


@given(
    year=st.integers(2015, 2035),
    rest=st.integers(0, 999_999_999),
    spelling=st.sampled_from(["{0}{1}", "{0} {1}", "{0}-{1}"]),
    wide=st.booleans(),
    lower=st.booleans(),
)
def test_an_order_number_survives_every_spelling(year: int, rest: int, spelling: str, wide: bool, lower: bool) -> None:
    """One number typed in any width, case and spacing is one id."""
    number = f"OD{year}{rest:09}"
    typed = spelling.format(number[:6], number[6:])
    typed = typed.lower() if lower else typed
    typed = typed.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)}) if wide else typed
    assert found(f"订单号{typed}，谢谢") == [("order", number)]
