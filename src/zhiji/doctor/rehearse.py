"""Steps 1 to 3 of the path without the model and without a trace: what a message would recall and send now.

Reads only: no turn is opened, nothing is touched or counted, and no summary is asked for, so rung 3 of
the ladder gives its place to more of rung 2; the memories' rung comes before both and is as in a real turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from zhiji import context, recall, session
from zhiji.errors import ContextTooLarge, DimensionMismatch
from zhiji.parts import Parts
from zhiji.recall import Fate, Ranked
from zhiji.stores.base import SessionLog, TurnRecord
from zhiji.types import Context, Memory, Message, Recalled, Scope, Session, SessionStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where a message is rehearsed: a session as it is, or a new one as it would begin."""

    session: Session
    log: SessionLog | None
    """None: a new session."""
    asked: TurnRecord | None = None
    """The turn in which this very message was sent, if it was: its history is what came before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What a message would recall and send now."""

    ranking: Sequence[Ranked]
    profile: Sequence[Memory]
    history: Sequence[Message]
    context: Context | None
    """None: refused, see ``refusal``."""
    refusal: ContextTooLarge | None
    keyword_only: bool
    """True: there is an embedder, and it gives no vectors."""
    unfit_vectors: bool
    """True: the stored vectors are those of another embedder of this name."""

    @property
    def recalled(self) -> list[Recalled]:
        """Best first."""
        return [one.recalled for one in self.ranking if one.fate is Fate.RECALLED]


def new_session(former: Session | None, parts: Parts) -> Session:
    """Return the session that would be opened now; ``former``, if over, is carried on as ``restore`` would."""
    now = parts.clock()
    fresh = Session(id="", created_at=now, touched_at=now, expires_at=parts.expiry(now))
    if former is None or not (session.is_expired(former, now) or former.status is SessionStatus.ENDED):
        return fresh
    if not parts.settings.resume_days or now - former.touched_at > timedelta(days=parts.settings.resume_days):
        return fresh
    return replace(fresh, state=session.carry_over(former), summary=former.summary, resumed_from=former.id)


async def rehearse(parts: Parts, scope: Scope, stage: Stage, words: str) -> Rehearsal:
    """Return what these words would recall and send, said now on this stage."""
    settings, now = parts.settings, parts.clock()
    history = await _history(parts, scope, stage)
    current = _current(stage, words, parts)
    first_seq = history[0].seq if history else current.seq
    ranking: list[Ranked] = []
    unfit = False
    if settings.memory_top_k:
        ask = partial(
            recall.ranking,
            scope=scope,
            query=words,
            k=settings.memory_top_k,
            state=stage.session.state,
            now=now,
            settings=settings,
            window=(stage.session.id, first_seq),
        )
        try:
            ranking = await ask(parts.store, parts.embedding.query)
        except DimensionMismatch:
            unfit, ranking = True, await ask(parts.store, None)
    seen = Rehearsal(
        ranking=ranking,
        profile=await parts.store.profile(scope, now=now) if settings.memory_top_k else [],
        history=history,
        context=None,
        refusal=None,
        keyword_only=await _is_keyword_only(parts, words),
        unfit_vectors=unfit,
    )
    try:
        return replace(seen, context=await _assembled(parts, stage, seen, current))
    except ContextTooLarge as refusal:
        return replace(seen, refusal=refusal)


async def _assembled(parts: Parts, stage: Stage, seen: Rehearsal, current: Message) -> Context:
    assembled = await context.assemble(
        prompt=parts.settings.system_prompt,
        profile=seen.profile,
        recalled=seen.recalled,
        session=stage.session,
        history=seen.history,
        current=[current],
        tools=parts.toolbox.specs(),
        settings=parts.settings,
        window=parts.window,
        counter=parts.counter,
        summarise=None,
        now=current.time,
    )
    return assembled.context


async def _history(parts: Parts, scope: Scope, stage: Stage) -> list[Message]:
    """Return the messages of the last closed turns before this one, as ``begin_turn`` gives them."""
    held, log = stage.session, stage.log
    if log is None:
        return []
    before = stage.asked.first_seq if stage.asked else held.last_seq + 1
    closed = [one for one in log.turns if one.status == "closed" and held.summary_upto < one.first_seq < before]
    kept = closed[-parts.settings.max_history_turns :]
    if not kept:
        return []
    return await parts.store.load_closed(scope, held.id, after_seq=kept[0].first_seq - 1, upto_seq=before - 1)


def _current(stage: Stage, words: str, parts: Parts) -> Message:
    held, asked = stage.session, stage.asked
    seq, turn = (asked.first_seq, asked.number) if asked else (held.last_seq + 1, held.turns + 1)
    return Message(role="user", content=words, time=parts.clock(), seq=seq, turn=turn)


async def _is_keyword_only(parts: Parts, words: str) -> bool:
    has_embedder = await parts.embedding.embedder() is not None
    return has_embedder and await parts.embedding.query(words) is None
