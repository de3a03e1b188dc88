"""Managing conversations: sessions and their state, for programs, operators and users (M1, M2, M5)."""

from __future__ import annotations

from collections.abc import Mapping

from zhiji import given, restore, session, upkeep
from zhiji.curate import Owner
from zhiji.errors import StaleState
from zhiji.parts import Parts
from zhiji.types import JsonValue, Message, Scope, Session, State


def named(session_or_id: str | Session) -> str:
    """Return the id of a session that may be given whole.

    Raises:
        InvalidInput: neither a session nor an id.
    """
    return session_or_id.id if isinstance(session_or_id, Session) else given.name("session", session_or_id)


class Sessions:
    """``zj.sessions``: conversations of a user."""

    def __init__(self, parts: Parts, owner: Owner) -> None:
        self._parts = parts
        self._owner = owner

    async def start(self, user: str | Scope) -> Session:
        """Return a new session; it carries on from the user's ended one of the last days, if there is one."""
        scope = self._owner(user)
        session_id, _ = await restore.open_session(self._parts, scope)
        return await self.get(scope, session_id)

    async def get(self, user: str | Scope, session_id: str | Session, *, archived: bool = False) -> Session:
        """Return a session without touching it.

        Raises:
            SessionNotFound: unknown, or another user's. SessionExpired: ended or expired, unless ``archived``.
        """
        found = await self._parts.store.load_session(self._owner(user), named(session_id))
        return session.require(found, self._parts.clock(), archived=archived)

    async def messages(
        self,
        user: str | Scope,
        session_id: str | Session,
        *,
        last: int | None = None,
        before: int | None = None,
        archived: bool = False,
    ) -> list[Message]:
        """Return the transcript by sequence number, failed turns included. Raises as ``get``.

        ``last``: only the newest N. ``before``: only messages before this sequence number.

        That of a session that is over is masked, whether or not it has been swept.
        """
        scope = self._owner(user)
        newest = None if last is None else given.count("last", last)
        upto = None if before is None else given.count("before", before) - 1
        found = await self.get(scope, session_id, archived=archived)
        messages = await self._parts.store.load_messages(scope, found.id, upto_seq=upto, last=newest)
        return upkeep.archived(messages) if session.is_expired(found, self._parts.clock()) else messages

    async def end(self, user: str | Scope, session_id: str | Session) -> None:
        """The session is ended and its transcript archived, masked; what is unread becomes memory. Raises as ``get``."""
        scope = self._owner(user)
        found = await self.get(scope, session_id, archived=True)
        await upkeep.end_session(self._parts, scope, found.id)

    async def list(
        self, user: str | Scope, *, archived: bool = False, limit: int = 100, offset: int = 0
    ) -> list[Session]:
        """Return live sessions, last touched first; with ``archived`` also ended and expired ones."""
        return await self._parts.store.list_sessions(
            self._owner(user),
            live_at=None if archived else self._parts.clock(),
            limit=given.count("limit", limit),
            offset=given.count("offset", offset),
        )


class States:
    """``zj.state``: where the task of a session stands."""

    def __init__(self, parts: Parts, owner: Owner) -> None:
        self._parts = parts
        self._owner = owner

    async def get(self, user: str | Scope, session_id: str | Session) -> State:
        """Return the state, with defaults of the host's schema filled in.

        Raises:
            SessionNotFound, SessionExpired: as in ``sessions.get``.
        """
        found = await self._parts.store.load_session(self._owner(user), named(session_id))
        return session.load_state(session.require(found, self._parts.clock()).state, schema=self._parts.slots)

    async def patch(
        self,
        user: str | Scope,
        session_id: str | Session,
        changes: Mapping[str, JsonValue],
        expected_version: int | None = None,
    ) -> State:
        """The named fields are changed and the new state returned; other fields stay.

        ``changes``: ``intent``, ``slots`` (merged name by name) or ``slots.<name>``; None removes. Compare-and-set on
        ``expected_version``; without it, on the version just read, retried.

        Raises:
            InvalidState: a value does not fit, the text names the field; the stored state is unchanged.
            StaleState: the state has another version than expected. SessionNotFound, SessionExpired: as in ``get``.
        """
        scope = self._owner(user)
        while True:
            old = await self.get(scope, session_id)
            if expected_version is not None and old.version != expected_version:
                raise StaleState
            new = session.patch(old, changes, schema=self._parts.slots)
            try:
                return await self._parts.store.write_state(scope, named(session_id), new, now=self._parts.clock())
            except StaleState:
                if expected_version is not None:
                    raise
