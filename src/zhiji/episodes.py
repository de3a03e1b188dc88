"""Episodes: past messages as a search arm of their own, below the facts (ADR 0005).

An episode is a row of type ``episode`` that holds one masked message of a user or an assistant. It lives 30 days, is not
listed as a memory, and goes when a fact that came from its message is quarantined, superseded or deleted, so that no
stale wording outlives its fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

from zhiji import policies, text
from zhiji.types import Memory, Message, Source, Trust

TYPE = "episode"
MAX_CHARS = 2000
"""Longer messages are kept by their beginning; a fact in the rest is the extractor's business."""


def key(session_id: str, seq: int) -> str:
    """Return the key of the episode of one message."""
    return f"{TYPE}:{session_id}:{seq}"


def keys(memories: Iterable[Memory]) -> list[str]:
    """Return the keys of the episodes that these memories came from."""
    return [key(source.session, seq) for memory in memories for source in memory.sources for seq in source.seqs]


ECHO_MESSAGES = 8
"""Messages after a source among which the assistant's answer to it is looked for."""


def near(memories: Iterable[Memory]) -> list[str]:
    """Return the keys of the episodes that may be a source of these memories or the answer to one."""
    places = {
        (source.session, seq + step)
        for memory in memories
        for source in memory.sources
        for seq in source.seqs
        for step in range(ECHO_MESSAGES + 1)
    }
    return [key(session, seq) for session, seq in sorted(places)]


def traces(gone: Iterable[Memory], episodes: Iterable[Memory]) -> list[Memory]:
    """Return the episodes that must not outlive deleted memories: their sources, and the answers to these."""
    there = {episode.key: episode for episode in episodes}
    found: dict[str, Memory] = {}
    for session, seq in {(source.session, seq) for one in gone for source in one.sources for seq in source.seqs}:
        for step in range(ECHO_MESSAGES + 1):
            episode = there.get(key(session, seq + step))
            if step and episode is not None and episode.trust is Trust.USER:
                break
            if episode is not None:
                found[episode.id] = episode
    return list(found.values())


def build(session_id: str, messages: Sequence[Message], *, make_id: str, retention: bool) -> list[Memory]:
    """Return one episode per spoken message. ``messages`` are masked; ``make_id`` is a prefix unique to this pass."""
    spoken = [message for message in messages if message.role in ("user", "assistant") and message.content.strip()]
    return [_episode(session_id, message, f"{make_id}{message.seq}", retention) for message in spoken]


def _episode(session_id: str, message: Message, id_: str, retention: bool) -> Memory:
    days = policies.policy(TYPE).retention_days if retention else None
    return Memory(
        id=id_,
        type=TYPE,
        key=key(session_id, message.seq),
        content=text.truncate(message.content, MAX_CHARS),
        value={"session": session_id, "seq": message.seq, "speaker": message.name or message.role},
        importance=2,
        confidence=1.0,
        trust=Trust.USER if message.role == "user" else Trust.ASSISTANT,
        sources=(Source(session=session_id, seqs=(message.seq,)),),
        lang=text.language(message.content),
        valid_from=message.time,
        created_at=message.time,
        updated_at=message.time,
        expires_at=None if days is None else message.time + timedelta(days=days),
    )
