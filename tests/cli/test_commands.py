"""Each command does what its verb does, and says so in words and in JSON."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from cli.terminal import USER, Run, opened
from zhiji.config import Settings
from zhiji.types import Memory


@pytest.fixture
def diet(database: Path) -> Memory:
    """One memory of the user."""
    with opened() as zj:
        memory: Memory = zj.remember(USER, "不吃香菜", type="preference", key="preference:diet", importance=4)
    return memory


@pytest.fixture
def session(database: Path) -> str:
    """A session of the user with one turn."""
    with opened() as zj, zj.turn(USER, "订单 OD20240415008 想退货") as turn:
        turn.reply = "好的"
    return str(turn.saved.session_id)


# --- memories -----------------------------------------------------------------------------------------------------------


def test_memories_are_listed(run: Run, diet: Memory) -> None:
    """The list shows content, key and id."""
    out = run("memories", "list", "--user", USER).out
    assert all(word in out for word in ("不吃香菜", "preference:diet", diet.id, "importance 4"))


def test_memories_of_others_are_not(run: Run, diet: Memory) -> None:
    """Another user has another list."""
    assert run("memories", "list", "--user", "user_002", "--json").json == []


def test_a_memory_is_shown(run: Run, diet: Memory) -> None:
    """`get` prints the whole memory as JSON."""
    shown = run("memories", "get", "--user", USER, diet.id, "--json").json
    assert (shown["id"], shown["content"], shown["status"], shown["importance"]) == (diet.id, "不吃香菜", "active", 4)


def test_a_correction_supersedes(run: Run, diet: Memory) -> None:
    """After `correct` the new memory is active and `history` shows both."""
    new = run("memories", "correct", "--user", USER, diet.id, "不吃葱", "--reason", "口误", "--json").json
    versions = run("memories", "history", "--user", USER, new["id"], "--json").json
    assert [(one["content"], one["status"]) for one in versions] == [("不吃香菜", "superseded"), ("不吃葱", "active")]
    assert [one["content"] for one in run("memories", "list", "--user", USER, "--json").json] == ["不吃葱"]


def test_a_superseded_memory_is_restored(run: Run, diet: Memory) -> None:
    """`restore` makes the old one active, and the new one gives way."""
    run("memories", "correct", "--user", USER, diet.id, "不吃葱")
    assert run("memories", "restore", "--user", USER, diet.id, "--json").json["status"] == "active"
    assert [one["id"] for one in run("memories", "list", "--user", USER, "--json").json] == [diet.id]


def test_deleted_is_deleted(run: Run, diet: Memory) -> None:
    """After `delete` the memory is found by nobody, whatever the status."""
    assert run("memories", "delete", "--user", USER, diet.id).out == f"Deleted {diet.id}.\n"
    assert run("memories", "list", "--user", USER, "--all", "--json").json == []
    assert run("memories", "restore", "--user", USER, diet.id).code == 3


def test_memories_are_filtered(run: Run, diet: Memory) -> None:
    """Type and status choose; an unknown type is refused."""
    assert len(run("memories", "list", "--user", USER, "--type", "preference", "--json").json) == 1
    assert run("memories", "list", "--user", USER, "--type", "order", "--json").json == []
    assert run("memories", "list", "--user", USER, "--status", "archived", "--json").json == []
    assert run("memories", "list", "--user", USER, "--type", "nonsense").code == 2
    assert run("memories", "list", "--user", USER, "--status", "nonsense").code == 2


# --- sessions and state ----------------------------------------------------------------------------------------------------


def test_sessions_are_listed_and_shown(run: Run, session: str) -> None:
    """A session is in the list, and shown with its transcript."""
    assert [one["id"] for one in run("sessions", "list", "--user", USER, "--json").json] == [session]
    shown = run("sessions", "show", "--user", USER, session).out
    assert "订单 OD20240415008 想退货" in shown
    assert "好的" in shown


def test_foreign_sessions_are_not_found(run: Run, session: str) -> None:
    """Somebody else's session is the same error as one that never was."""
    foreign = run("sessions", "show", "--user", "user_002", session)
    unknown = run("sessions", "show", "--user", "user_002", "ses_unknown")
    assert (foreign.code, foreign.err) == (3, unknown.err)


def test_a_session_is_ended(run: Run, session: str) -> None:
    """After `end` it is no longer live, but can still be shown, and what it said is remembered."""
    assert run("sessions", "end", "--user", USER, session).code == 0
    assert run("sessions", "list", "--user", USER, "--json").json == []
    assert [one["id"] for one in run("sessions", "list", "--user", USER, "--all", "--json").json] == [session]
    assert "order:OD20240415008" in run("memories", "list", "--user", USER).out


def test_the_state_is_patched(run: Run, session: str) -> None:
    """Texts stay texts, JSON values are given with :=, and an empty text removes."""
    run(
        "state",
        "patch",
        "--user",
        USER,
        "--session",
        session,
        "slots.phone=0123",
        "slots.pieces:=2",
        "slots.colour=red",
    )
    state = run("state", "patch", "--user", USER, "--session", session, "slots.colour=", "--json").json
    assert {name: state["slots"].get(name) for name in ("phone", "pieces", "colour")} == {
        "phone": "0123",
        "pieces": 2,
        "colour": None,
    }
    assert run("state", "show", "--user", USER, "--json").json == state


def test_a_stale_patch_is_refused(run: Run, session: str) -> None:
    """With `--expect` a change on an older version is a conflict and changes nothing."""
    before = run("state", "show", "--user", USER, "--session", session, "--json").json
    ran = run("state", "patch", "--user", USER, "--session", session, "--expect", "99", "slots.a=1")
    assert ran.code == 4
    assert run("state", "show", "--user", USER, "--session", session, "--json").json == before


@pytest.mark.parametrize("change", ["slots.a", "=1", "slots.a:=nonsense"])
def test_a_malformed_change_is_refused(run: Run, session: str, change: str) -> None:
    """A change that is none is a usage error."""
    assert run("state", "patch", "--user", USER, "--session", session, change).code == 2


def test_no_live_session_has_no_state(run: Run) -> None:
    """Without a session there is nothing to show."""
    assert run("state", "show", "--user", USER).code == 3


# --- recall, jobs, erase, config -------------------------------------------------------------------------------------------


def test_recall_explains(run: Run, diet: Memory) -> None:
    """`--explain` shows the terms; without it only the score."""
    (found,) = run("recall", "--user", USER, "香菜", "--explain", "--json").json
    assert (found["memory"]["id"], set(found["terms"])) == (diet.id, {"similarity", "decay", "confidence", "type"})
    assert "similarity" in run("recall", "--user", USER, "香菜", "--explain").out
    assert "similarity" not in run("recall", "--user", USER, "香菜").out


def test_recall_of_an_unknown_type_is_refused(run: Run) -> None:
    """A type that does not exist is named, not silently empty; that of past messages exists."""
    assert run("recall", "--user", USER, "x", "--type", "bogus").code == 2
    assert run("recall", "--user", USER, "x", "--type", "episode", "--json").json == []


def test_recall_as_of(run: Run, diet: Memory) -> None:
    """`--as-of` looks at a moment; one before the memory knows nothing, and nonsense is refused."""
    assert run("recall", "--user", USER, "香菜", "--as-of", "2020-01-01", "--json").json == []
    assert run("recall", "--user", USER, "香菜", "--as-of", "yesterday").code == 2


def test_jobs_are_listed(run: Run, session: str) -> None:
    """The job of a saved turn waits in the list, and only in its owner's."""
    (job,) = run("jobs", "list", "--user", USER, "--json").json
    assert (job["kind"], job["subject"], job["status"]) == ("sediment", session, "pending")
    assert run("jobs", "list", "--user", "user_002", "--json").json == []
    assert job["id"] in run("jobs", "list").out


def test_outcomes_of_extraction_are_rows(run: Run, session: str) -> None:
    """Each pass with who read what, what became of the facts and what it cost; by user, by session, newest first."""
    run("worker", "--once")
    (row,) = run("jobs", "outcomes", "--user", USER, "--json").json
    assert (row["user"], row["session"], row["first_seq"], row["last_seq"]) == (USER, session, 1, 2)
    assert (row["extractor"], row["model"], row["tokens"]) == ("rules", "", 0)
    assert {
        "outcome",
        "written",
        "reinforced",
        "superseded",
        "quarantined",
        "skipped",
        "duration_ms",
        "reasons",
        "time",
    } <= set(row)
    assert run("jobs", "outcomes", "--json").json == [row]
    assert run("jobs", "outcomes", "--session", "ses_other", "--json").json == []
    assert run("jobs", "outcomes", "--user", "user_002", "--json").json == []
    assert row["outcome"] in run("jobs", "outcomes").out
    assert run("jobs", "outcomes", "--user", "user_002").out.strip()


def test_only_dead_jobs_are_replayed(run: Run, session: str) -> None:
    """A job that is not dead, or not there, is not found."""
    (job,) = run("jobs", "list", "--json").json
    assert run("jobs", "replay", "--user", USER, job["id"]).code == 3
    assert run("jobs", "replay", "--user", USER, "job_unknown").code == 3


def test_erase_leaves_nothing(run: Run, diet: Memory, session: str) -> None:
    """After `erase` the user has no memories and no sessions; the answer counts what went."""
    certificate = run("erase", "--user", USER, "--json").json
    assert sum(certificate["removed"].values()) > 0
    assert run("memories", "list", "--user", USER, "--all", "--json").json == []
    assert run("sessions", "list", "--user", USER, "--all", "--json").json == []


def test_config_tells_where_a_value_comes_from(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The article's bare names count on the command line, ZHIJI_ wins over them, and an empty one is not set."""
    monkeypatch.setenv("ZHIJI_SESSION_TTL_SECONDS", "")
    monkeypatch.setenv("MEMORY_TOP_K", "7")
    monkeypatch.setenv("MAX_CONTEXT_TOKENS", "4000")
    monkeypatch.setenv("ZHIJI_MAX_CONTEXT_TOKENS", "5000")
    shown = run("config", "--json").json
    assert (shown["memory_top_k"]["value"], shown["memory_top_k"]["source"]) == (7, "MEMORY_TOP_K")
    assert (shown["max_context_tokens"]["value"], shown["max_context_tokens"]["source"]) == (
        5000,
        "ZHIJI_MAX_CONTEXT_TOKENS",
    )
    assert shown["session_ttl_seconds"]["source"] == "default"


def test_config_shows_types_of_the_host_as_they_are_set(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown for a setting in JSON can be set again: as an object with ``--json``, as JSON in the table."""
    types = {"vehicle": {"label_zh": "车辆", "words": ["车牌", "license plate"]}}
    monkeypatch.setenv("ZHIJI_MEMORY_TYPES", json.dumps(types))
    monkeypatch.setenv("ZHIJI_MEMORY_QUOTA", '{"order": 2}')
    shown = run("config", "--json").json
    for name in ("memory_types", "memory_quota"):
        again = Settings.load(**{name: shown[name]["value"]})
        assert getattr(again, name) == getattr(Settings.from_environment(), name)
    table = run("config").out
    assert '{"order": 2}' in table
    assert "MemoryType(" not in table


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_config_breaks_no_name(run: Run, monkeypatch: pytest.MonkeyPatch, lang: str) -> None:
    """Even on a narrow terminal a variable can be copied whole."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("ZHIJI_LANG", lang)
    shown = run("config").out.split()
    assert {f"ZHIJI_{name.upper()}" for name in Settings.model_fields} <= set(shown)


@pytest.mark.parametrize("name", ["llm_api_key", "token"])
def test_config_hides_secrets(run: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Keys are shown as set, never as they are, nor are they in the settings' text."""
    monkeypatch.setenv(f"ZHIJI_{name.upper()}", "sk-very-secret-0123456789")
    shown = run("config", "--json")
    assert shown.json[name]["value"] == "***"
    assert "very-secret" not in run("config").out + shown.out + repr(Settings())


@pytest.mark.parametrize(
    ("name", "url", "safe"),
    [
        ("ZHIJI_LLM_API_BASE", "https://me:very-secret@llm.example.com/v1", "https://***@llm.example.com/v1"),
        ("ZHIJI_DATABASE_URL", "postgresql://me:very-secret@db/zhiji", "postgresql://me:***@db/zhiji"),
        ("ZHIJI_DATABASE_URL", "postgresql://db/zhiji?password=very-secret", "postgresql://db/zhiji?password=***"),
        ("ZHIJI_REDIS_URL", "rediss://:very-secret@cache:6379/0", "rediss://:***@cache:6379/0"),
        ("REDIS_URL", "redis://very-secret@cache", "redis://***@cache"),
    ],
)
def test_config_hides_passwords_in_urls(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str, url: str, safe: str
) -> None:
    """A URL is shown without the password in it, in the table, as JSON, and in the settings' own text not at all."""
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv(name, url)
    shown, table = run("config", "--json"), run("config", "--verbose")
    assert shown.json[name.removeprefix("ZHIJI_").lower()]["value"] == safe
    assert safe in table.out
    loaded = Settings.from_environment()
    assert "very-secret" not in shown.out + table.out + table.err + repr(loaded) + str(loaded)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("postgresql://me:very-secret@127.0.0.1:1/zhiji", 6),
        ("postgresql://127.0.0.1:1/zhiji?user=me&password=very-secret", 6),
        ("postgresql://me:p@very-secret@127.0.0.1:1/zhiji", 2),
        ("postgresql://me:very-secret/x@127.0.0.1:1/zhiji", 2),
        ("postgresql://me:100%very-secret@127.0.0.1:1/zhiji", 2),
        ("postgresql://me:%00very-secret@127.0.0.1:1/zhiji", 2),
        ("postgresql://127.0.0.1:1/zhiji?very-secret=1", 2),
        ("mysql://me:very-secret@127.0.0.1/zhiji", 2),
        ("me:very-secret@127.0.0.1/zhiji", 2),
    ],
)
def test_no_command_tells_a_password(run: Run, monkeypatch: pytest.MonkeyPatch, lang: str, url: str, code: int) -> None:
    """A database that cannot be reached, or whose URL is wrong, is told without its password, by every cause as well."""
    monkeypatch.setenv("ZHIJI_LANG", lang)
    monkeypatch.setenv("ZHIJI_DATABASE_URL", url)
    ran = run("chat", "--user", USER, "你好", "--verbose")
    assert ran.code == code, ran.err
    assert "very-secret" not in ran.out + ran.err


# --- demo -----------------------------------------------------------------------------------------------------------------


def test_the_demo_passes(run: Run) -> None:
    """The built-in stories pass, in words and in JSON."""
    ran = run("demo", "--json")
    assert (ran.code, ran.json["passed"], [story["lang"] for story in ran.json["stories"]]) == (0, True, ["zh", "en"])


def test_the_control_fails(run: Run) -> None:
    """Without memory the story fails, and the exit code says so."""
    ran = run("demo", "--lang", "zh", "--no-memory")
    assert ran.code == 1
    assert ran.out


def test_another_story(run: Run, tmp_path: Path) -> None:
    """A story from a file is played; one that cannot be read is a usage error."""
    story = {"lang": "en", "steps": [{"say": "Hello", "expect": ["no assistant says this"]}]}
    file = tmp_path / "story.yaml"
    file.write_text(json.dumps(story), encoding="utf-8")
    assert run("demo", "--script", str(file)).code == 1
    assert run("demo", "--script", str(tmp_path / "absent.yaml")).code == 2


def test_upkeep_shows_then_does(run: Run, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dry run tells what would be done; the run does it, as a table and as JSON; then nothing is due."""
    assert run("upkeep", "--dry-run").out.strip() == "Nothing is due."
    monkeypatch.setenv("ZHIJI_REFLECT_AFTER", "0")
    with opened() as zj:
        for words in ("千岛湖很美", "千岛湖很远", "千岛湖的鱼好吃"):
            zj.remember(USER, words, type="event")
        zj.drain()
    monkeypatch.setenv("ZHIJI_REFLECT_AFTER", "3")
    told = run("upkeep", "--dry-run", "--by-owner").out
    assert all(word in told for word in ("would be reflected on", "reflection", USER))
    assert run("memories", "list", "--user", USER, "--type", "reflection", "--json").json == []
    done = run("upkeep", "--json").json
    assert done == {"dry_run": False, "archived": {}, "deleted": {}, "repeated": {}, "reflections": 1, "owners": []}
    (row,) = run("memories", "list", "--user", USER, "--type", "reflection", "--json").json
    assert "千岛湖" in row["content"]
    assert run("upkeep", "--user", USER, "--dry-run", "--json").json["reflections"] == 0


def test_upkeep_puts_old_memories_away(run: Run, diet: Memory, database: Path) -> None:
    """What nobody has used for its time is listed by type, archived, and shown as archived from then on."""
    with sqlite3.connect(database) as connection:  # two years pass
        connection.execute(
            "UPDATE zhiji_memories SET updated = updated - :past, created = created - :past, expires = expires - :past",
            {"past": 730 * 86_400_000_000},
        )
    shown = run("upkeep", "--dry-run").out
    assert all(word in shown for word in ("would be archived", "preference", "1", "all"))
    assert run("upkeep", "--json").json["archived"] == {"preference": 1}
    (row,) = run("memories", "list", "--user", USER, "--status", "archived", "--json").json
    assert (row["id"], row["reason"]) == (diet.id, "faded")
