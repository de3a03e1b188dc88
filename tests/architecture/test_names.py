"""The names that others rely on exist, and have the shapes that the contracts promise."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator

import pytest

import zhiji
from zhiji import blocking, diagnosis, engine, errors, policies, testing, types
from zhiji.config import Settings
from zhiji.conversations import Sessions, States
from zhiji.curate import Memories
from zhiji.jobs import Jobs
from zhiji.stores.base import Store

WITHOUT_SCOPE = {
    *("close", "digest", "list_owners"),
    *("expired_sessions", "expired_memories", "purge_transcripts", "drop_leftovers", "recover", "holders"),
    *("claim_job", "renew_job", "finish_job", "fail_job", "release_job", "load_job", "oldest_due", "listen"),
    *("beat", "drop_worker", "workers", "clock"),
}
"""Methods of a store that serve upkeep: they concern no owner, return scopes, or take a job that carries one."""

VERBS = (
    *("open", "chat", "turn", "ingest", "recall", "remember", "profile", "context", "drain", "doctor", "erase", "tool"),
    *("warm", "retire", "reindex", "sweep", "upkeep", "scope", "settings", "telemetry", "measure"),
)
NOUNS = {
    "memories": (Memories, ("list", "add", "get", "correct", "delete", "restore", "history")),
    "sessions": (Sessions, ("start", "get", "messages", "end", "list")),
    "state": (States, ("get", "patch")),
    "jobs": (Jobs, ("list", "find", "extractions", "outcomes", "oldest_due", "replay", "discard", "workers")),
}
FIELDS = {
    types.Reply: "text session_id turn_id request_id created resumed_from usage recalled steps",
    types.Usage: "system memory history summary tool input total reserve limit ratio",
    types.Recalled: "memory score terms via",
    types.Step: "name removed tokens_before tokens_after reason",
    types.Memory: (
        "id type key content value importance confidence status sources valid_from valid_to created_at updated_at"
    ),
    types.Scope: "tenant user",
    types.Job: "id scope kind subject status attempts run_at created_at finished_at lease_until error",
    diagnosis.Diagnosis: "broken steps",
    diagnosis.Check: "step status finding what advice facts others",
}


def public_methods(kind: type) -> Iterator[tuple[str, inspect.Signature]]:
    """Yield name and signature of each public method."""
    for name, function in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_"):
            yield name, inspect.signature(function)


def test_the_package_offers_the_three_names() -> None:
    """`from zhiji import Zhiji, Settings, Scope` works, and nothing else is promised."""
    assert sorted(zhiji.__all__) == ["Scope", "Settings", "Zhiji"]
    assert (zhiji.Zhiji, zhiji.Settings, zhiji.Scope) == (engine.Zhiji, Settings, types.Scope)


@pytest.mark.parametrize("facade", [engine.Zhiji, blocking.Zhiji], ids=["async", "blocking"])
def test_the_facade_opens(facade: type) -> None:
    """Both façades are opened the same way."""
    assert callable(facade.open)  # type: ignore[attr-defined]  # the union of both classes has no common base


def public(kind: type) -> set[str]:
    """Return the public names that a class itself defines."""
    return {name for name in vars(kind) if not name.startswith("_")}


def test_the_facade_has_every_verb() -> None:
    """Every verb of the contract is a name of the façade, and a new one is named here."""
    assert public(engine.Zhiji) == set(VERBS)


def test_the_facade_has_every_noun() -> None:
    """Every noun of the contract is an attribute of the façade, and a new one is named here."""
    assert set(engine.NOUNS) == set(NOUNS)


@pytest.mark.parametrize("noun", NOUNS)
def test_nouns_hold_their_verbs(noun: str) -> None:
    """Every noun of the contract holds its verbs, and a new one is named here."""
    holder, verbs = NOUNS[noun]
    assert public(holder) == set(verbs)


@pytest.mark.parametrize("kind", FIELDS, ids=lambda kind: kind.__name__)
def test_values_have_the_promised_fields(kind: type) -> None:
    """What the façade returns has the fields of the contract."""
    known = {field.name for field in dataclasses.fields(kind)} | set(dir(kind))
    assert not set(FIELDS[kind].split()) - known


def test_the_public_doubles_exist() -> None:
    """Third parties find the clock, the scripted model and the hashing embedder where the contract says."""
    assert {"FrozenClock", "ScriptedModel", "HashEmbedder"} <= set(testing.__all__)


def test_scope_comes_first() -> None:
    """Every method of a store takes the owner first, but for the few that serve upkeep."""
    without = {name for name, signature in public_methods(Store) if list(signature.parameters)[1:2] != ["scope"]}
    assert without == WITHOUT_SCOPE


def test_nouns_are_frozen() -> None:
    """Every dataclass of `types` is frozen: values are passed around, never changed."""
    nouns = [kind for _, kind in inspect.getmembers(types, dataclasses.is_dataclass) if isinstance(kind, type)]
    assert nouns
    assert not [kind.__name__ for kind in nouns if not kind.__dataclass_params__.frozen]  # type: ignore[attr-defined]  # not in typeshed


def test_types_follow_the_article() -> None:
    """Weights and half-lives are those of the contract."""
    table = {name: (policy.weight, policy.half_life_days) for name, policy in policies.TYPES.items() if policy.listed}
    assert table == {
        "identity": (1.0, None),
        "preference": (0.9, None),
        "order": (0.9, 30),
        "shipment": (0.9, 30),
        "after_sale": (0.9, 30),
        "task": (0.8, 7),
        "conclusion": (0.7, 30),
        "reflection": (0.7, 90),
        "event": (0.6, 30),
        "summary": (0.5, 30),
    }


def test_defaults_follow_the_article() -> None:
    """Settings have the defaults of the contract."""
    wanted = {
        "session_ttl_seconds": 1800,
        "max_context_tokens": 8000,
        "max_history_turns": 20,
        "keep_recent_turns": 8,
        "reply_reserve_tokens": 1000,
        "memory_top_k": 5,
        "extract_every_turns": 5,
        "extract_idle_seconds": 60,
        "confidence_gate": 0.7,
        "transcript_days": 30,
        "resume_days": 7,
        "episodes": "auto",
        "embedder": "auto",
    }
    assert {name: Settings.model_fields[name].default for name in wanted} == wanted


def test_error_codes_are_the_class_names() -> None:
    """A code is its class in snake case and belongs to one class."""
    codes = [kind.code for kind in every_error()]
    assert len(codes) == len(set(codes))
    assert {"session_not_found", "context_too_large", "store_read_only"} <= set(codes)


def test_errors_say_what_to_do() -> None:
    """The default message of every error is a sentence with an end."""
    assert not [kind.__name__ for kind in every_error() if not (kind.__doc__ or "").strip().endswith(".")]


def every_error(kind: type[errors.ZhijiError] = errors.ZhijiError) -> list[type[errors.ZhijiError]]:
    """Return an error class with all below it."""
    return [kind, *(below for child in kind.__subclasses__() for below in every_error(child))]
