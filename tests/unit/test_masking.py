"""Masking: what is private is hidden in every spelling, what names a business thing stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji.masking import mask, mask_value, redact_secrets
from zhiji.text import business_key, identifiers, terms

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("我的手机号是13912345678谢谢", "我的手机号是139****5678谢谢"),
        ("电话:139-1234-5678", "电话:139****5678"),
        ("+86 139 1234 5678", "139****5678"),
        ("(0086)13912345678", "139****5678"),
        ("１３９１２３４５６７８", "139****5678"),
        ("139\u200b1234\u200b5678", "139****5678"),
        ("1 3 9 1 2 3 4 5 6 7 8", "139****5678"),
        ("13912345678和13812345679都行", "139****5678和138****5679都行"),
        ("微信wx13912345678", "微信wx139****5678"),
        ("13912345678@qq.com", "1***@qq.com"),
        ("订单号OD20240601777，手机13912345678", "订单号OD20240601777，手机139****5678"),
        ("TEL13912345678", "TEL139****5678"),
        ("一三九一二三四五六七八", "一三九****五六七八"),
        ("座机 0571-88886666 或 010 62345678", "座机 057****6666 或 010****5678"),
        ("call me at (96) 627-277 please", "call me at ****7277 please"),
        ("Desk: 986.291.2294x751", "Desk: ****2294"),
        ("+44 20 7946 0958", "442****0958"),
        ("(415) 555-2671 works", "****2671 works"),
        ("69 987 88 37 office", "****8837 office"),
        ("快递员 139 1234 5678", "快递员 139****5678"),
        ("快递：139-1234-5678", "快递：139****5678"),
        ("https://x.cn/cb?phone=13912345678", "https://x.cn/cb?phone=139****5678"),
        ("邮箱zhang.san@example.com。", "邮箱z***@example.com。"),
        ("ｚｈａｎｇ＠ｅｘａｍｐｌｅ．ｃｏｍ", "z***@example.com"),
        ("Mail a.b+c@mail.example.org, ok", "Mail a***@mail.example.org, ok"),
    ],
)
def test_contacts_are_masked(text: str, masked: str) -> None:
    """Phones and e-mails keep enough to be recognised by their owner; the sentence keeps its meaning."""
    assert mask(text) == masked


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("密码是Abc@1234", "密码是[密码]"),
        ("密码是Abc@1234你帮我改下", "密码是[密码]你帮我改下"),
        ("密码是：Abc123，银行卡密码654321", "密码是[密码]，银行卡密码[密码]"),
        ("登录密码改成 qwerty!9，谢谢", "登录密码改成 [密码]，谢谢"),
        ("Abc@1234是我的密码", "[密码]是我的密码"),
        ("my password is hunter2, thanks", "my password is [password], thanks"),
        ('{"password":"s3cr,et","n":1}', '{"password":"[password]","n":1}'),
        ("ｐａｓｓｗｏｒｄ：ｈｕｎｔｅｒ２", "ｐａｓｓｗｏｒｄ：[password]"),
        ("https://li:pw123@host/x", "https://li:[password]@host/x"),
        ("PIN: 4821", "PIN: [password]"),
        ("短信验证码是：（482913）", "短信验证码是：（[验证码]）"),
        ("验证码 482913", "验证码 [验证码]"),
        ("您的验证码为 8412，请勿泄露", "您的验证码为 [验证码]，请勿泄露"),
        ("your code is 938471, do not share", "your code is [code], do not share"),
        ("Acme: 938471. Don't share it.", "Acme: [code]. Don't share it."),
        ("【知己】482913，请勿告诉他人", "【知己】[验证码]，请勿告诉他人"),
        ("482913 is your verification code", "[code] is your verification code"),
        ("cvv: 123", "cvv: [CVV]"),
        ("卡背面三位是 123", "卡背面三位是 [安全码]"),
        ("身份证11010519491231002X,", "身份证[证件号],"),
        ("我是 110105 19491231 002x", "我是 [证件号]"),
        ("护照号码是NZ0448096", "护照号码是[证件号]"),
        ("SSN 531-21-7351", "SSN [id number]"),
        ("driver's license number is 481195160", "driver's license number is [id number]"),
        ("卡号6222021234567894", "卡号[银行卡号]"),
        ("６２２２ ０２１２ ３４５６ ７８９４", "[card number]"),
        ("4111-1111-1111-1111 12/27", "[card number] 12/27"),
        ("4111 1111 1111 1111 123", "[card number] 123"),
        ("card # 378282246310005 please", "card # [card number] please"),
        ("key sk-abcdefghijklmnop1234", "key [key]"),
    ],
)
def test_secrets_are_replaced(text: str, redacted: str) -> None:
    """Passwords, codes, keys, id and card numbers go at the entry; the label speaks the language of the text."""
    assert redact_secrets(text) == redacted
    assert mask(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "订单 OD20240601777",
        "ｏｄ ２０２４ ０６０１ ７７７ 到哪了",
        "物流单号 SF1391234567890",
        "运单 139123456789012",
        "退款流水 20240601000139123456",
        "Invoice 00912345678",
        "订单号13912345678",
        "order number 4155552671",
        "tracking 1Z999AA10123456784",
        "2025-06-01 09",
        "2025-06-01T09:30:07.123+08:00",
        "call me at 2025-06-01 09:00",
        "0.731904455120938",
        "https://x/y#c-5512908847",
        "epoch 1713168000000",
        "550e8400-e29b-41d4-a716-446655440000",
        "价格13800元，3号楼2单元1801",
        "密码是什么？我的密码忘了",
        "password is wrong, reset the password please",
        "this is my password problem",
        "boarding pass A12345, zip code 94107, error code 500404",
        "your zip code is 94107, the pickup code is 4821",
        "包裹 10086 件，请不要压货",
        "尾号1234的卡",
        "客服热线 400-820-8820",
        "iPhone15, RTX4090, 4006381333931",
        "",
        "😀",
    ],
)
def test_business_numbers_and_ordinary_text_stay(text: str) -> None:
    """Order, tracking and invoice numbers, decimals, times, URLs, models and questions are untouched."""
    assert mask(text) == text


def test_identifiers_survive_as_keys() -> None:
    """After masking an order number is still found and still makes the same key."""
    text = mask("订单 OD20240601777，电话 13812340000，运单 SF1391234567890")
    keys = [business_key(number.kind, number.id) for number in identifiers(text)]
    assert keys == ["order:OD20240601777", "shipment:SF1391234567890"]
    assert "13812340000" not in text


def test_secrets_go_at_the_entry_but_contacts_stay_for_tools() -> None:
    """Tools get the phone that the user typed, never the password."""
    assert redact_secrets("手机 13912345678，密码是Abc@1234") == "手机 13912345678，密码是[密码]"


def test_values_are_masked_inside_out() -> None:
    """Every string and key of a value is masked, its field name counts as label, other values keep their type."""
    value = mask_value(
        {
            "password": "tiger",
            "order_id": "13912345678",
            "phones": ["13912345678", {"mobile": 13812345679}],
            "mobile": 13812345679,
            "13912345678": None,
            "amount": 199.5,
            "count": 3,
            "paid": True,
            "card": 6222021234567894,
        }
    )
    assert value == {
        "password": "[password]",
        "order_id": "13912345678",
        "phones": ["139****5678", {"mobile": "138****5679"}],
        "mobile": "138****5679",
        "139****5678": None,
        "amount": 199.5,
        "count": 3,
        "paid": True,
        "card": "[card number]",
    }


@given(ANY_TEXT)
def test_masking_any_text_is_idempotent(text: str) -> None:
    """Masked text has nothing left to mask."""
    assert mask(mask(text)) == mask(text)
    assert redact_secrets(redact_secrets(text)) == redact_secrets(text)
    assert redact_secrets(mask(text)) == mask(text)


PIECES = st.sampled_from(
    ["密码是", "password: ", "验证码", "cvv ", "身份证", "卡号", "电话", "call me at ", "订单号", "order ", "快递 ", "，", " ", "是",
     "13912345678", "139-1234-5678", "6222021234567894", "4111 1111 1111 1111", "11010519491231002X", "482913", "Abc@1234",
     "zhang@example.com", "OD20240601777", "SF1391234567890", "(415) 555-2671", "1", "a", "[", "]", "*", "https://x/", "office"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=8).map("".join))
def test_masking_private_text_is_idempotent(text: str) -> None:
    """Whatever private things stand side by side, one pass hides all that a second one would."""
    assert mask(mask(text)) == mask(text)
    assert redact_secrets(mask(text)) == mask(text)


@given(
    st.from_regex(r"1[3-9][0-9]{9}", fullmatch=True),
    st.sampled_from(["{}", "我的手机{}谢谢", "tel {}.", "“{}”", "a,{},b"]),
)
def test_no_mobile_number_is_left(number: str, sentence: str) -> None:
    """Any Chinese mobile in any sentence loses its middle."""
    masked = mask(sentence.format(number))
    assert masked == sentence.format(f"{number[:3]}****{number[-4:]}")


@pytest.mark.parametrize("text", ["围巾 E20261105-779 也不要了", "return SO-E20261105 please"])
def test_part_of_a_longer_number_is_no_passport(text: str) -> None:
    """Letter and eight digits are a passport only where they stand alone, not inside a hyphenated order number."""
    assert mask(text) == text


@pytest.mark.parametrize(
    "unit", ["1", "a1", "x1@", "1 ", "1-", "a.", "订单 1,", "密码是", "password is ", "http://a", "+1 "]
)
def test_no_long_run_takes_more_than_linear_time(unit: str) -> None:
    """A hundred thousand hostile characters pass every rule; a quadratic pattern would run into the time-out."""
    text = unit * (100_000 // len(unit))
    assert len(mask(text)) <= 2 * len(text)
    assert len(terms(text)) <= len(text)


PRIVATE = {
    "联系电话": ("13800138000", "18688886666"),
    "邮箱地址": ("zhang.san@example.com", "lily_wu88@mail.example.cn"),
    "身份证号码": ("11010519491231002X", "440308199901101512"),
    "银行卡号码": ("6222021234567890128", "4111111111111111"),
}
"""Made-up values with valid check digits."""


@pytest.mark.parametrize("sentence", ["{field}是{value}", "{field}: {value}", "我的{field}：{value}。", "{value}"])
def test_nothing_is_left_of_a_profile(sentence: str) -> None:
    """Phones, e-mails, id and card numbers are gone, labelled or bare, in texts and in nested values."""
    values = [(field, value) for field, made in PRIVATE.items() for value in made]
    assert [value for field, value in values if value in mask(sentence.format(field=field, value=value))] == []
    masked = str(mask_value({"profile": [{field: list(made)} for field, made in PRIVATE.items()]}))
    assert [value for _, value in values if value in masked] == []
