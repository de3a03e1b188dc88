"""Turns: opened with the user's message, then closed with everything else, or failed. One at a time per session.

Functions run inside the caller's transaction, under the lock on the owner, so what they check still holds when they
write. Each first sends all that it may have to read, then decides, then sends all that it writes: two round trips. An
idempotency key finds the turn that it was first used for: answered, it is replayed; failed, its ids pass on to the new
attempt, so that journaled tool results are found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from zhiji.errors import IdempotencyMismatch, LeaseLost
from zhiji.stores import turns as rules
from zhiji.stores.base import Lease, NewJob, Once, OpenTurn, SessionLog, TurnEnd, TurnStart
from zhiji.stores.documents import read_reply
from zhiji.stores.instants import micros
from zhiji.stores.postgres import jobs as job_table
from zhiji.stores.postgres import memories, requests, sessions, transcript
from zhiji.stores.postgres.connection import Connection
from zhiji.stores.postgres.sessions import Asked
from zhiji.stores.rows import log_of
from zhiji.stores.turns import IDEMPOTENCY, Held
from zhiji.types import Message, Session

_KEYED = "(SELECT session FROM zhiji_turns WHERE owner = zhiji_owner() AND key = %s)"

_INSERT = """
INSERT INTO zhiji_turns (owner, session, number, status, first_seq, time, id, request, key, digest)
VALUES (zhiji_owner(), %s, %s, 'open', %s, %s, %s, %s, %s, %s)
"""


@dataclass(frozen=True, slots=True)
class _Former:
    """The turn that an idempotency key belongs to."""

    row: Held
    """Its session."""
    number: int
    status: str
    id: str
    request: str
    message: Message
    reply: str | None
    """None unless it is closed."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The former turn of a key is asked for, with its session and its message."""

    once: Once
    turn: Asked
    session: Asked
    message: Asked

    async def answer(self, connection: Connection, now: datetime) -> _Former | None:
        """Return it, or None if there is none; a key that has run out is forgotten.

        Raises:
            IdempotencyMismatch: the key stands for something else.
        """
        found = await self.turn.fetchone()
        if found is None:
            return None
        time, digest, number, status, id, request, reply = found
        if time <= micros(now - IDEMPOTENCY):
            await connection.execute(
                "UPDATE zhiji_turns SET key = NULL WHERE owner = zhiji_owner() AND key = %s", (self.once.key,)
            )
            return None
        if digest != self.once.digest:
            raise IdempotencyMismatch
        message = await transcript.answer(self.message)
        return _Former(await sessions.require(self.session), number, status, id, request, message[0], reply)


# --- begin ----------------------------------------------------------------------------------------------------------


async def begin(connection: Connection, session_id: str, start: TurnStart, history_turns: int) -> OpenTurn:
    """See ``Store.begin_turn``."""
    now = start.lease.now
    once = None if start.idempotency_key is None else Once(key=start.idempotency_key, digest=start.body_digest)
    asked = await sessions.ask(connection, session_id)
    asked_former = await _ask_former(connection, once)
    history = await transcript.ask_history(connection, session_id, None, history_turns)
    row = await sessions.require(asked)
    former = None if asked_former is None else await asked_former.answer(connection, now)
    if former is not None and former.status == "closed":
        return _replay(former)
    row.refuse_over(now)
    row.refuse_busy(now)
    if former is not None and former.status == "open" and former.row.session.id != session_id:
        former.row.refuse_busy(now)
        await sessions.fail_open(connection, former.row)
    await sessions.fail_open(connection, row)
    opened = await _open(connection, row.session, start, former)
    return replace(opened, history=await transcript.answer(history))


async def _ask_former(connection: Connection, once: Once | None) -> _Asked | None:
    if once is None:
        return None
    return _Asked(
        once=once,
        turn=await connection.execute(
            """SELECT t.time, t.digest, t.number, t.status, t.id, t.request, r.reply
            FROM zhiji_turns t LEFT JOIN zhiji_requests r ON r.owner = t.owner AND r.id = t.request
            WHERE t.owner = zhiji_owner() AND t.key = %s""",
            (once.key,),
        ),
        session=await connection.execute(f"{sessions.SELECT} AND s.id = {_KEYED}", (once.key,)),
        message=await connection.execute(
            f"""SELECT {transcript.COLUMNS} FROM zhiji_turns t
            JOIN zhiji_messages m ON m.owner = t.owner AND m.session = t.session AND m.seq = t.first_seq
            WHERE t.owner = zhiji_owner() AND t.key = %s""",
            (once.key,),
        ),
    )


def _replay(former: _Former) -> OpenTurn:
    assert former.reply is not None
    return OpenTurn(
        session=former.row.session,
        turn_id=former.id,
        request_id=former.request,
        number=former.number,
        message=former.message,
        history=(),
        replay=read_reply(former.reply),
    )


async def _open(connection: Connection, session: Session, start: TurnStart, former: _Former | None) -> OpenTurn:
    if former is None:
        opened = await _open_new(connection, session, start)
    elif (former.row.session.id, former.number) == (session.id, session.turns):
        opened = await _open_again(connection, session, start, former)
    else:
        await _pass_on(connection, former)
        ids = replace(start, turn_id=former.id, request_id=former.request)
        opened = await _open_new(connection, session, ids)
    lease, held = start.lease, opened.session
    await connection.execute(
        """UPDATE zhiji_sessions SET turns = %s, last_seq = %s, open_turn = %s, holder = %s, lease_until = %s
        WHERE owner = zhiji_owner() AND id = %s""",
        (held.turns, held.last_seq, opened.number, lease.holder, micros(lease.until), held.id),
    )
    return opened


async def _open_new(connection: Connection, session: Session, start: TurnStart) -> OpenTurn:
    turn = rules.opened(session, start)
    message = turn.message
    asked = (start.turn_id, start.request_id, start.idempotency_key, start.body_digest)
    await connection.execute(_INSERT, (session.id, message.turn, message.seq, micros(start.lease.now), *asked))
    await transcript.insert(connection, session.id, [message])
    return turn


async def _open_again(connection: Connection, session: Session, start: TurnStart, former: _Former) -> OpenTurn:
    await connection.execute(
        "UPDATE zhiji_turns SET status = 'open', time = %s, error = NULL WHERE owner = zhiji_owner() AND id = %s",
        (micros(start.lease.now), former.id),
    )
    return OpenTurn(
        session=session,
        turn_id=former.id,
        request_id=former.request,
        number=former.number,
        message=former.message,
        history=(),
    )


async def _pass_on(connection: Connection, former: _Former) -> None:
    # Other turns followed, or it was in another session: reopened in place, its answer would not follow its question.
    await connection.execute(
        "UPDATE zhiji_turns SET id = NULL, request = NULL, key = NULL WHERE owner = zhiji_owner() AND id = %s",
        (former.id,),
    )


async def keyed_session(connection: Connection, key: str, now: datetime) -> str | None:
    """See ``Store.keyed_session``."""
    found = await connection.execute(
        "SELECT session FROM zhiji_turns WHERE owner = zhiji_owner() AND key = %s AND time > %s",
        (key, micros(now - IDEMPOTENCY)),
    )
    row = await found.fetchone()
    return None if row is None else str(row[0])


# --- what became of them ---------------------------------------------------------------------------------------------


async def session_log(connection: Connection, session_id: str, last: int) -> SessionLog | None:
    """See ``Store.session_log``."""
    found = await connection.execute(
        "SELECT ended, lease_until FROM zhiji_sessions WHERE owner = zhiji_owner() AND id = %s", (session_id,)
    )
    turns = await connection.execute(
        """SELECT number, status, first_seq, time, request, error FROM zhiji_turns
        WHERE owner = zhiji_owner() AND session = %s ORDER BY number DESC LIMIT %s""",
        (session_id, last),
    )
    row = await found.fetchone()
    if row is None:
        return None
    ended, lease_until = row
    return log_of(ended, lease_until, await turns.fetchall())


# --- finish ---------------------------------------------------------------------------------------------------------


async def finish(connection: Connection, end: TurnEnd) -> Session:
    """See ``Store.finish_turn``."""
    row = await _opened(connection, end.session_id, end.turn_id, end.holder)
    if row is None:
        raise LeaseLost
    session, numbered = rules.closed(row, end)
    await transcript.insert(connection, session.id, numbered)
    await connection.execute(
        "UPDATE zhiji_turns SET status = 'closed', time = %s WHERE owner = zhiji_owner() AND id = %s",
        (micros(end.now), end.turn_id),
    )
    await requests.insert(connection, end)
    await sessions.touch(connection, session)
    await memories.touch_recalled(connection, end.recalled, end.now)
    await job_table.enqueue(connection, end.jobs, end.now)
    return session


async def _opened(connection: Connection, session_id: str, turn_id: str, holder: str) -> Held | None:
    """Return the session if this turn is its open one, and this holder's."""
    asked = await sessions.ask(connection, session_id)
    turn = await connection.execute(
        "SELECT session, number FROM zhiji_turns WHERE owner = zhiji_owner() AND id = %s", (turn_id,)
    )
    row = await sessions.answer(asked)
    found = await turn.fetchone()
    if row is None or row.holder != holder or found != (row.session.id, row.open_turn):
        return None
    return row


async def fail(connection: Connection, session_id: str, turn_id: str, holder: str, code: str) -> None:
    """See ``Store.fail_turn``."""
    row = await _opened(connection, session_id, turn_id, holder)
    if row is not None:
        await sessions.fail_open(connection, row, code)


async def renew(connection: Connection, session_id: str, lease: Lease) -> bool:
    """See ``Store.renew_lease``."""
    renewed = await connection.execute(
        """UPDATE zhiji_sessions SET lease_until = %s WHERE owner = zhiji_owner() AND id = %s AND holder = %s
        RETURNING 1""",
        (micros(lease.until), session_id, lease.holder),
    )
    return await renewed.fetchone() is not None


# --- turns that happened elsewhere ----------------------------------------------------------------------------------


async def append(
    connection: Connection,
    session_id: str,
    messages: Sequence[Message],
    jobs: Sequence[NewJob],
    now: datetime,
    create: Session | None,
    once: Once | None,
) -> Session:
    """See ``Store.append_turns``."""
    asked_former = await _ask_former(connection, once)
    asked = await sessions.ask(connection, session_id)
    last = await connection.execute(
        """SELECT t.status FROM zhiji_sessions s
        JOIN zhiji_turns t ON t.owner = s.owner AND t.session = s.id AND t.number = s.turns
        WHERE s.owner = zhiji_owner() AND s.id = %s""",
        (session_id,),
    )
    former = None if asked_former is None else await asked_former.answer(connection, now)
    if former is not None:
        return former.row.session
    if create is not None:
        await sessions.create(connection, create)
        row = Held(create)
    else:
        row = await sessions.require(asked)
    row.refuse_over(now)
    row.refuse_busy(now)
    await sessions.fail_open(connection, row)
    before = row.session
    goes_on = await last.fetchone() == ("closed",)  # more of its messages may follow
    session, numbered, starts = rules.appended(before, messages, now=now, goes_on=goes_on)
    await connection.execute(
        """INSERT INTO zhiji_turns (owner, session, number, status, first_seq, time)
        SELECT zhiji_owner(), %s, number, 'closed', first_seq, %s
        FROM unnest(%s::bigint[], %s::bigint[]) AS g (number, first_seq)""",
        (session_id, micros(now), list(starts), list(starts.values())),
    )
    if once is not None:
        await connection.execute(
            """UPDATE zhiji_turns SET key = %s, digest = %s
            WHERE owner = zhiji_owner() AND session = %s AND number = %s""",
            (once.key, once.digest, session_id, before.turns + 1),
        )
    await transcript.insert(connection, session_id, numbered)
    await sessions.touch(connection, session)
    await job_table.enqueue(connection, jobs, now)
    return session
