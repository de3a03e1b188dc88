"""A turn is held while it runs, and closed at its end, also if the store fails for a moment."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from talk import Open, said
from zhiji.errors import ModelTimeout, StoreBusy, StoreError, StoreFull
from zhiji.models.base import ChatMessages
from zhiji.stores.base import Lease
from zhiji.types import Completion, Scope, ToolSpec


class Waiting:
    """A model that answers once it is told to; it says that it was asked."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()

    async def __call__(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> Completion:
        """Return the answer."""
        self.asked.set()
        await self.go_on.wait()
        return Completion(text="ok")


@pytest.mark.parametrize("failure", [StoreBusy, StoreFull])
async def test_a_store_that_fails_for_a_moment_ends_no_lease(
    open_zhiji: Open, monkeypatch: pytest.MonkeyPatch, failure: type[StoreError]
) -> None:
    """The lease is renewed again once the store takes it."""
    model, failures = Waiting(), [failure()]
    async with open_zhiji(model=model, lease_seconds=1) as zj:
        store = zj._parts.store
        renew = store.renew_lease

        async def failing(scope: Scope, session_id: str, lease: Lease) -> bool:
            if failures:
                raise failures.pop()
            model.go_on.set()
            return await renew(scope, session_id, lease)

        monkeypatch.setattr(store, "renew_lease", failing)
        async with asyncio.timeout(30):
            reply = await zj.chat("u1", "hi")
        assert (reply.text, failures) == ("ok", [])


async def _busy(*_: object, **__: object) -> None:
    raise StoreBusy


async def test_the_first_failure_is_told(open_zhiji: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that cannot mark the turn failed hides neither why it failed nor that it was cancelled; the lease runs out."""
    waiting = Waiting()
    async with open_zhiji(ModelTimeout(), "ok") as zj, open_zhiji(model=waiting) as other:
        session = (await zj.sessions.start("u1")).id
        for one in (zj, other):
            monkeypatch.setattr(one._parts.store, "fail_turn", _busy)
        with pytest.raises(ModelTimeout):
            await zj.chat("u1", "hi", session=session)
        await zj._parts.store.recover([zj._parts.holder])
        turn = asyncio.create_task(other.chat("u1", "again", session=session))
        await waiting.asked.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        await zj._parts.store.recover([other._parts.holder])
        await zj.chat("u1", "then", session=session)
        assert await said(zj, session) == [("user", "hi"), ("user", "again"), ("user", "then"), ("assistant", "ok")]
