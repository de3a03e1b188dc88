"""The page on observing names metrics, labels and values that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from zhiji.signals import METRICS

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "observe.md").read_text(encoding="utf-8")
NAMED = re.compile(r"(zhiji_[a-z_]+)(?:\{(\w+)=~?\"([^\"]*)\"\})?")
RULES: list[dict[str, Any]] = [
    rule
    for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    for group in yaml.safe_load(block).get("groups", [])
    for rule in group["rules"]
]


def test_every_metric_on_the_page_is_in_the_table() -> None:
    """Names, labels and, where they are listed, values are those of the table."""
    found = NAMED.findall(PAGE)
    assert len(found) > 10
    for name, label, values in found:
        metric = METRICS[re.sub("_(bucket|count|sum)$", "", name)]
        assert not label or label in metric.labels, name
        allowed = metric.labels.get(label, ())
        assert not allowed or set(values.split("|")) <= set(allowed), name


def test_there_are_five_alerts() -> None:
    """Each has a name of its own, an expression and a time."""
    assert len({rule["alert"] for rule in RULES}) == len(RULES) == 5
    assert all(rule["expr"] and re.fullmatch(r"\d+m", rule["for"]) for rule in RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_ratios_are_of_the_whole(rule: dict[str, Any]) -> None:
    """An expression that divides rates sums both sides, so that their labels fit."""
    assert "/" not in rule["expr"] or rule["expr"].count("sum(rate(") == 2
