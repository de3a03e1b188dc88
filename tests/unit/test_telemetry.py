"""What is counted, under which names, and that telling it does no harm."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji import signals, telemetry
from zhiji.errors import ModelTimeout, StaleState
from zhiji.signals import ATTRIBUTES, METRICS, SPANS, Metric
from zhiji.telemetry import Telemetry, code_of
from zhiji.types import Completion, Extraction, Usage

SOURCES = [
    path.read_text(encoding="utf-8")
    for path in Path(telemetry.__file__).parent.rglob("*.py")
    if path != Path(telemetry.__file__)
]
BY_NOUN = {f"zhiji_{noun}_seconds" for noun in ("turn", "step", "model", "tool", "job")} | {
    *("zhiji_turns_total", "zhiji_model_calls_total", "zhiji_tool_calls_total", "zhiji_jobs_total")
}
"""Metrics that ``Telemetry.work`` and ``Telemetry.step`` name themselves."""


@pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.name)
def test_names_follow_the_scheme(metric: Metric) -> None:
    """A metric is zhiji_<noun>_<unit>; counters end in _total, nothing else does; histograms have rising buckets."""
    assert re.fullmatch(r"zhiji(_[a-z]+){2,3}", metric.name)
    assert metric.name.endswith("_total") == (metric.kind == "counter")
    assert bool(metric.buckets) == (metric.kind == "histogram")
    assert list(metric.buckets) == sorted(set(metric.buckets))
    assert metric.help.endswith(".")


def test_nobody_is_a_label() -> None:
    """No label is a user, a session or anything else that has as many values as there are people."""
    labels = {label for metric in METRICS.values() for label in metric.labels}
    assert not labels & {"user", "tenant", "scope", "session", "turn", "request", "job", "memory", "key", "text"}
    assert "user" not in ATTRIBUTES


def test_every_name_is_told_by_somebody() -> None:
    """The tables name nothing that no module tells, and no module names a metric or a span that is not in them."""
    named = {
        name for source in SOURCES for name in re.findall(r'(?:count|set|observe|timed)\(\s*"(zhiji_[a-z_]+)"', source)
    }
    assert named | BY_NOUN == set(METRICS)
    opened = {name for source in SOURCES for name in re.findall(r'span\(\s*"(zhiji\.[a-z]+)"', source)}
    stepped = {f"zhiji.{name}" for source in SOURCES for name in re.findall(r'(?:traced|step)\("([a-z]+)"\)', source)}
    worked = {f"zhiji.{name}" for source in SOURCES for name in re.findall(r'\.work\(\s*"([a-z]+)"', source)}
    assert opened | stepped | worked == set(SPANS)


def test_the_tables_name_fields_that_are_there() -> None:
    """Parts of usage and changes of memories are read by name from what holds them."""
    assert all(hasattr(Usage, part) for part in signals.USAGE_PARTS)
    assert set(signals.CHANGES) <= set(Extraction.__dataclass_fields__)
    assert Completion().usage == {}


def test_a_counter_adds_up() -> None:
    """A counter that never counted is 0; its series add up, all or those with a label."""
    told = Telemetry()
    assert told.value("zhiji_ladder_steps_total") == 0
    told.count("zhiji_ladder_steps_total", step="refuse")
    told.count("zhiji_ladder_steps_total", 2, step="summarise")
    assert told.value("zhiji_ladder_steps_total", step="summarise") == 2
    assert told.value("zhiji_ladder_steps_total") == 3


@given(st.lists(st.floats(min_value=0, max_value=2)))
def test_a_histogram_counts_each_observation_in_the_first_bucket_that_holds_it(values: list[float]) -> None:
    """Whatever is observed: the cumulated counts are those of the values up to each bound, and the sum is theirs."""
    told = Telemetry()
    for value in values:
        told.observe("zhiji_context_ratio", value)
    assert told.observations("zhiji_context_ratio") == len(values)
    assert told.value("zhiji_context_ratio") == pytest.approx(sum(values))
    for _, found in told.histograms("zhiji_context_ratio"):
        for place, bound in enumerate(METRICS["zhiji_context_ratio"].buckets):
            assert sum(found.counts[: place + 1]) == sum(value <= bound for value in values)


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("zhiji_nothing_total", {}),
        ("zhiji_turns_total", {}),
        ("zhiji_context_alarms_total", {"user": "u1"}),
        ("zhiji_ladder_steps_total", {"step": "跳过"}),
    ],
)
def test_what_stands_in_no_table_is_an_error_here_and_harmless_there(name: str, labels: dict[str, str]) -> None:
    """An unknown name, label or value warns, which fails a test; without that it is left out and nothing is raised."""
    told = Telemetry()
    with pytest.raises(RuntimeWarning, match=r"zhiji\.signals"):
        told.count(name, **labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told.count(name, **labels)
        told.observe(name, 1, **labels)
    assert not any(told.numbers(metric) for metric in METRICS)


def test_a_warning_does_not_quote_the_value() -> None:
    """The value that does not fit may be somebody's words: it is not told."""
    with pytest.raises(RuntimeWarning) as caught:
        Telemetry().count("zhiji_ladder_steps_total", step="我叫李四")
    assert "李四" not in str(caught.value)


def test_errors_are_told_by_code() -> None:
    """Ours by their code, a cancelled task as such, all others alike."""
    assert [code_of(error) for error in (StaleState(), ModelTimeout(), asyncio.CancelledError(), KeyError("李四"))] == [
        *("stale_state", "model_timeout", "cancelled", "unexpected")
    ]


def test_work_ends_in_its_outcome() -> None:
    """ok unless somebody says otherwise; the code of the error that leaves it; timed in any case."""
    told = Telemetry()
    with told.work("turn"):
        pass
    with told.work("turn") as work:
        work.end("replayed")
    with pytest.raises(StaleState), told.work("turn"):
        raise StaleState
    assert dict(told.numbers("zhiji_turns_total")) == {("ok",): 1, ("replayed",): 1, ("stale_state",): 1}
    assert told.observations("zhiji_turn_seconds") == 3


def test_a_turn_of_a_library_loads_neither_prometheus_nor_opentelemetry(tmp_path: Path) -> None:
    """A conversation in a plain process imports none of the packages that only observing needs."""
    program = (
        "import sys\nfrom zhiji import Settings\nfrom zhiji.blocking import Zhiji\n"
        f"with Zhiji.open(Settings(database_url='sqlite:///{tmp_path}/z.db', embedder='off')) as zj:\n"
        "    zj.chat('u1', '你好'); zj.drain()\n"
        "print([name for name in ('prometheus_client', 'opentelemetry', 'fastapi') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr
