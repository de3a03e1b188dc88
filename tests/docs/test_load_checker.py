"""The load run's checker finds a clean ledger clean, and every kind of guilt that it is there for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest
from benchmarks.load.checker import RULES, check
from benchmarks.load.ledger import Call, Evidence, Found, Kind, Outcome, Sent
from benchmarks.load.marks import after, mark, marks, name, owners, secret, seen_before
from hypothesis import given
from hypothesis import strategies as st

from zhiji.types import Job, JobKind, JobStatus, Message, Scope, ToolCall

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)


@dataclass
class Run:
    """A whole run that can be tampered with: two users, three sessions."""

    ledger: dict[str, Sent]
    transcripts: dict[int, dict[str, list[Message]]]
    memories: dict[int, list[str]]
    facts: dict[int, list[str]]
    recalled: dict[int, list[str]]
    contexts: dict[int, list[str]]
    jobs: list[Job]
    calls: list[Call]

    def complaints(self) -> dict[str, list[str]]:
        """Return the checker's complaints, of the rules that have any."""
        users = {
            user: Found(
                transcripts=self.transcripts[user],
                memories=self.memories[user],
                facts=self.facts[user],
                recalled=self.recalled[user],
                contexts=self.contexts[user],
            )
            for user in self.transcripts
        }
        found = check(list(self.ledger.values()), Evidence(users=users, jobs=self.jobs, calls=self.calls))
        return {rule: told for rule, told in found.items() if told}


ASKED = mark(1, 1)
RETRIED = mark(1, 2)
REFUSED = mark(1, 3)
WRITTEN = mark(1, 4)
OTHER = mark(2, 5)
LEFT = mark(2, 6)
BEFORE = {ASKED: None, RETRIED: ASKED, OTHER: None}
"""What the model says that it saw before a turn."""


def answer(turn: str) -> str:
    """Return what the model answers to a turn."""
    before = f" {after(BEFORE[turn])}" if turn in BEFORE else ""
    return f"{turn} 好的 🙂 {secret(min(owners(turn)))}{before}"


def turn(number: int, seq: int, mark: str, *, answered: str | None = None) -> list[Message]:
    """Return a turn's messages as they stand in a transcript."""
    said = Message(role="user", content=f"订单怎么样了 {mark}", time=NOON, seq=seq, turn=number)
    told = Message(role="assistant", content=answered or answer(mark), time=NOON, seq=seq + 1, turn=number)
    return [said, told]


def reply(at: float, session: str, mark: str, text: str | None = None) -> Outcome:
    """Return an accepted attempt."""
    text = text or answer(mark)
    return Outcome(status="accepted", at=at, session=session, turn=f"trn_{mark}", text=text, body=text)


def sent(mark: str, at: float, *outcomes: Outcome, kind: Kind = Kind.PLAIN, left: bool = False) -> tuple[str, Sent]:
    """Return an entry of the ledger."""
    user = min(owners(mark))
    return mark, Sent(mark=mark, user=user, kind=kind, keyed=True, at=at, left=left, outcomes=list(outcomes))


def lost(at: float) -> Outcome:
    """Return an attempt whose client gave up."""
    return Outcome(status="lost", at=at, code="time_out")


def job(user: int, status: JobStatus, error: str = "") -> Job:
    """Return a job."""
    scope = Scope("default", name(user))
    return Job(
        id=f"job_{user}",
        scope=scope,
        kind=JobKind.SEDIMENT,
        subject="s",
        status=status,
        run_at=NOON,
        created_at=NOON,
        error=error,
    )


@pytest.fixture
def run() -> Run:
    """A clean run: a plain turn, a retried one, a refused one that left its message, a write, a foreign user, a leaver."""
    refused = Message(role="user", content=f"在吗 {REFUSED}", time=NOON, seq=5, turn=3)
    call = ToolCall(id="c", name="refund", arguments=f'{{"mark": "{WRITTEN}"}}')
    written = [
        Message(role="user", content=f"退款 {WRITTEN}", time=NOON, seq=6, turn=4),
        Message(role="assistant", content="", tool_calls=(call,), time=NOON, seq=7, turn=4),
        Message(role="tool", content=f"done {WRITTEN}", tool_call_id="c", time=NOON, seq=8, turn=4),
        Message(role="assistant", content=f"{WRITTEN} done", time=NOON, seq=9, turn=4),
    ]
    return Run(
        ledger=dict(
            [
                sent(ASKED, 1.0, reply(1.5, "ses_1", ASKED)),
                sent(RETRIED, 2.0, lost(2.1), reply(2.5, "ses_1", RETRIED), reply(2.6, "ses_1", RETRIED)),
                sent(REFUSED, 3.0, Outcome(status="refused", at=3.1, code="session_busy")),
                sent(WRITTEN, 4.0, reply(4.5, "ses_1", WRITTEN, f"{WRITTEN} done"), kind=Kind.WRITE),
                sent(OTHER, 1.0, reply(1.2, "ses_2", OTHER)),
                sent(LEFT, 2.0, lost(2.2), reply(2.4, "ses_3", LEFT, LEFT[:7]), kind=Kind.STREAM, left=True),
            ]
        ),
        transcripts={
            1: {"ses_1": [*turn(1, 1, ASKED), *turn(2, 3, RETRIED), refused, *written], "ses_empty": []},
            2: {"ses_2": turn(1, 1, OTHER), "ses_3": turn(1, 1, LEFT, answered=LEFT[:7])},
        },
        memories={1: [f"订单 {secret(1)} {ASKED.upper()}"], 2: [f"订单 {secret(2)}"]},
        facts={1: [f"order:{secret(1)}", f"after_sale:{secret(1)}"], 2: [f"order:{secret(2)}"]},
        recalled={1: [f"订单 {secret(1)}"], 2: []},
        contexts={1: [f"{ASKED} {RETRIED}"], 2: [OTHER]},
        jobs=[job(1, JobStatus.DONE), job(2, JobStatus.DEAD, "model_error: …")],
        calls=[Call(key="k1", mark=WRITTEN, user=1)],
    )


def test_a_clean_run_is_clean(run: Run) -> None:
    """Nothing is said against a run in which everything is in its place."""
    assert run.complaints() == {}


# --- tampering: each of these must be found, by the rule that is there for it ----------------------------------------------


def lose(run: Run) -> None:
    """An accepted turn is gone."""
    run.transcripts[2]["ses_2"] = []


def fail(run: Run) -> None:
    """An accepted turn has lost its answer."""
    del run.transcripts[2]["ses_2"][1]


def double(run: Run) -> None:
    """An accepted turn is there twice."""
    run.transcripts[1]["ses_1"] += turn(5, 10, ASKED)


def double_elsewhere(run: Run) -> None:
    """A retry was answered in a second session."""
    run.transcripts[1]["ses_empty"] = turn(1, 1, RETRIED)


def double_refused(run: Run) -> None:
    """What was refused is there twice."""
    run.transcripts[1]["ses_1"] += [*turn(5, 10, REFUSED), *turn(6, 12, REFUSED)]


def invent(run: Run) -> None:
    """A turn is there that nobody sent."""
    run.transcripts[1]["ses_1"] += turn(5, 10, mark(1, 99))


def swap(run: Run) -> None:
    """Two turns of a session stand in the wrong order."""
    run.transcripts[1]["ses_1"][:4] = [*turn(1, 1, RETRIED), *turn(2, 3, ASKED)]


def swap_answers(run: Run) -> None:
    """Two turns have each other's answers, in the transcript and in the replies."""
    run.transcripts[1]["ses_1"][:4] = [
        *turn(1, 1, ASKED, answered=answer(RETRIED)),
        *turn(2, 3, RETRIED, answered=answer(ASKED)),
    ]
    run.ledger[ASKED].outcomes[0] = reply(1.5, "ses_1", ASKED, answer(RETRIED))
    run.ledger[RETRIED].outcomes[1:] = [reply(2.5, "ses_1", RETRIED, answer(ASKED))]


def change_answer(run: Run) -> None:
    """The transcript holds other words than the client got."""
    run.transcripts[2]["ses_2"][1] = replace(run.transcripts[2]["ses_2"][1], content=f"{OTHER} something else")


def cut_answer(run: Run) -> None:
    """A turn whose client stayed has only a piece of its answer."""
    run.ledger[LEFT].left = False


def answer_twice(run: Run) -> None:
    """A retry got another turn."""
    run.ledger[RETRIED].outcomes[-1] = replace(run.ledger[RETRIED].outcomes[-1], turn="trn_other")


def forget_a_turn(run: Run) -> None:
    """The model was not shown the turn before."""
    kept = run.transcripts[1]["ses_1"]
    kept[3] = replace(kept[3], content=kept[3].content.replace(after(ASKED), after(None)))


def show_a_failed_turn(run: Run) -> None:
    """The model was shown a turn that had failed."""
    kept = run.transcripts[1]["ses_1"]
    kept[-1] = replace(kept[-1], content=f"{kept[-1].content} {after(REFUSED)}")


def gap(run: Run) -> None:
    """A message is missing in the middle."""
    del run.transcripts[1]["ses_1"][4]


def interleave(run: Run) -> None:
    """Two turns ran into each other."""
    kept = run.transcripts[1]["ses_1"]
    kept[1], kept[2] = replace(kept[2], seq=2), replace(kept[1], seq=3)


def foreign_reply(run: Run) -> None:
    """A reply quotes another user's secret."""
    run.ledger[ASKED].outcomes[0] = replace(run.ledger[ASKED].outcomes[0], body=secret(2))


def foreign_turn(run: Run) -> None:
    """A turn stands in another user's session."""
    run.transcripts[2]["ses_2"] += turn(2, 3, ASKED)


def foreign_arguments(run: Run) -> None:
    """A tool was called with another user's secret."""
    call = ToolCall(id="d", name="look_up", arguments=secret(2))
    run.transcripts[1]["ses_1"][6] = replace(run.transcripts[1]["ses_1"][6], tool_calls=(call,))


def foreign_memory(run: Run) -> None:
    """A memory was written for the wrong user."""
    run.memories[2].append(f"订单 {secret(1)}")


def foreign_recall(run: Run) -> None:
    """Recall brings up another user's memory."""
    run.recalled[1].append(ASKED.replace("aaab", "aaac"))


def foreign_context(run: Run) -> None:
    """The model saw another user's words."""
    run.contexts[2].append(RETRIED.upper())


def write_twice(run: Run) -> None:
    """The writing tool ran again, under another key."""
    run.calls.append(Call(key="k2", mark=WRITTEN, user=1))


def reuse_key(run: Run) -> None:
    """Two calls had one key."""
    run.calls.append(Call(key="k1", mark=OTHER, user=2))


def write_for_another(run: Run) -> None:
    """The writing tool ran in the name of another user."""
    run.calls[0] = replace(run.calls[0], user=2)


def write_unasked(run: Run) -> None:
    """The writing tool ran for a turn that asked for nothing."""
    run.calls.append(Call(key="k2", mark=ASKED, user=1))


def claim_a_write(run: Run) -> None:
    """The answer tells of a call that nobody made."""
    run.calls.clear()


def leave_a_job(run: Run) -> None:
    """A job still waits."""
    run.jobs[0] = job(1, JobStatus.PENDING)


def bury_a_job(run: Run) -> None:
    """A job is dead and nobody knows why."""
    run.jobs[1] = job(2, JobStatus.DEAD)


def forget(run: Run) -> None:
    """A fact that was told is not remembered."""
    run.facts[1] = []


def remember_twice(run: Run) -> None:
    """A fact is remembered twice."""
    run.facts[2] *= 2


GUILTY: tuple[tuple[Callable[[Run], None], str], ...] = (
    (lose, "every_accepted_turn_once"),
    (fail, "every_accepted_turn_once"),
    (double, "every_accepted_turn_once"),
    (double_elsewhere, "every_accepted_turn_once"),
    (foreign_turn, "every_accepted_turn_once"),
    (double_refused, "nothing_else_twice"),
    (invent, "nothing_else_twice"),
    (swap_answers, "own_answers"),
    (change_answer, "own_answers"),
    (cut_answer, "own_answers"),
    (answer_twice, "same_reply_again"),
    (swap, "in_order"),
    (gap, "in_order"),
    (interleave, "in_order"),
    (forget_a_turn, "nothing_forgotten"),
    (show_a_failed_turn, "nothing_forgotten"),
    (foreign_reply, "no_cross_talk"),
    (foreign_turn, "no_cross_talk"),
    (foreign_arguments, "no_cross_talk"),
    (foreign_memory, "no_cross_talk"),
    (foreign_recall, "no_cross_talk"),
    (foreign_context, "no_cross_talk"),
    (write_twice, "writes_once"),
    (reuse_key, "writes_once"),
    (write_for_another, "writes_once"),
    (write_unasked, "writes_once"),
    (claim_a_write, "writes_once"),
    (leave_a_job, "jobs_settled"),
    (bury_a_job, "jobs_settled"),
    (forget, "facts_once"),
    (remember_twice, "facts_once"),
)


@pytest.mark.parametrize(("tamper", "rule"), GUILTY)
def test_guilt_is_found(run: Run, tamper: Callable[[Run], None], rule: str) -> None:
    """Each way of tampering with a clean run is found by the rule that is there for it."""
    tamper(run)
    assert run.complaints().get(rule)


def test_every_rule_is_tested() -> None:
    """No rule of the checker is without a run that breaks it."""
    assert {rule for _, rule in GUILTY} == set(RULES)


def test_a_dead_job_excuses_its_users_memories(run: Run) -> None:
    """A user whose job died, with a reason, may lack the memory; another may not."""
    run.facts[2] = []
    assert run.complaints() == {}


def test_order_is_asked_of_known_order_only(run: Run) -> None:
    """Turns that were under way at the same time may stand in either order."""
    run.ledger[RETRIED].at = 1.1
    swap(run)
    assert "in_order" not in run.complaints()


@given(st.integers(0, 9999), st.integers(0, 10**6), st.booleans())
def test_marks_name_their_user(user: int, number: int, upper: bool) -> None:
    """A mark and a secret are found in any text, in any case, and tell their user."""
    made = mark(user, number)
    text = f"用户：{made}，{secret(user)}。🙂"
    text = text.upper() if upper else text
    assert marks(text) == [made]
    assert owners(text) == {user}


def test_an_answer_tells_what_was_before() -> None:
    """The turn before is told in words that are no mark; cut words tell nothing."""
    assert seen_before(f"好的 {after(ASKED)}") == ASKED
    assert seen_before(f"{after(None)} 🙂") == ""
    assert seen_before(after(ASKED)[:-1]) is None
    assert marks(after(ASKED)) == []


def test_marks_differ() -> None:
    """No two turns have one mark."""
    assert len({mark(user, number) for user in range(30) for number in range(60)}) == 30 * 60
