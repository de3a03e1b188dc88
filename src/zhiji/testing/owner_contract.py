"""What every store promises about owners: kept apart by equality alone, removed without a trace."""

from __future__ import annotations

from dataclasses import replace

import pytest

from zhiji.errors import JobNotFound, LeaseLost, SessionNotFound, StaleMemory, StoreClosed
from zhiji.stores.base import MemoryChange, Store
from zhiji.testing.job_contract import ME, claim, outcome
from zhiji.testing.values import ALICE, BOB, at, contents, end, job, lease, open_session, run_turn, said, turn
from zhiji.types import Scope, State

ODD = (
    "a",
    "a:b",
    "a/b",
    "a|b",
    "a*",
    "?",
    "[ab]",
    "a%",
    "_",
    "a\nb",
    "{x}",
    "用户１",
    "用户1",
    "A",
    "a ",
    "x" * 300,
)
"""Ids that were delimiters, patterns or look-alikes somewhere."""


class OwnerContract:
    """Owners next to each other."""

    async def test_session_id_is_not_a_capability(self, store: Store) -> None:
        """Who presents another owner's session id finds nothing and changes nothing, by any method."""
        await open_session(store, ALICE, "shared-1")
        opened = await store.begin_turn(ALICE, "shared-1", turn(1, "我叫王晴，最爱吃辣", key="k"), history_turns=20)
        await store.journal_start(ALICE, "trn_1", "a", "refund")
        assert await store.load_session(BOB, "shared-1") is None
        assert await store.list_sessions(BOB) == []
        assert await store.load_messages(BOB, "shared-1") == []
        assert await store.keyed_session(BOB, "k", now=at()) is None
        assert not await store.renew_lease(BOB, "shared-1", lease(1))
        await store.fail_turn(BOB, "shared-1", "trn_1", holder=ME, code="x")
        await store.journal_finish(BOB, "trn_1", "a", "x", failed=True)
        for attempt in (
            store.begin_turn(BOB, "shared-1", turn(2), history_turns=20),
            store.append_turns(BOB, "shared-1", [said("在吗")], jobs=[], now=at()),
            store.write_state(BOB, "shared-1", State(), now=at()),
            store.end_session(BOB, "shared-1", masked=[], jobs=[], now=at()),
        ):
            with pytest.raises(SessionNotFound):
                await attempt
        with pytest.raises(LeaseLost):
            await store.finish_turn(BOB, end(opened))
        with pytest.raises(LeaseLost):
            await store.journal_start(BOB, "trn_1", "a", "refund")
        await store.finish_turn(ALICE, end(opened))
        assert await store.load_recipe(BOB, "req_1") is None
        assert await store.recalled_in(BOB, "shared-1", first_turn=1, last_turn=9) == []

    async def test_one_session_id_of_two_owners_is_two_sessions(self, store: Store) -> None:
        """The same ids and keys under two owners are different things."""
        for scope, word in ((ALICE, "甲"), (BOB, "乙")):
            await open_session(store, scope, "shared-1")
            opened = await store.begin_turn(scope, "shared-1", turn(1, word, key="k", digest=word), history_turns=20)
            assert opened.replay is None
            await store.finish_turn(scope, replace(end(opened), reply={"text": word}))
        for scope, word in ((ALICE, "甲"), (BOB, "乙")):
            assert contents(await store.load_messages(scope, "shared-1"))[0] == word
            again = await store.begin_turn(scope, "shared-1", turn(2, word, key="k", digest=word), history_turns=20)
            assert again.replay == {"text": word}

    async def test_odd_ids_never_collide(self, store: Store) -> None:
        """Every pair of different ids is two users, two tenants and two sessions."""
        scopes = [Scope(tenant, user) for tenant in ("t", *ODD[1:4]) for user in ODD]
        for scope in scopes:
            await open_session(store, scope, ODD[1])
        for scope in scopes:
            word = f"{scope.tenant}—{scope.user}"
            await store.append_turns(scope, ODD[1], [said(word)], jobs=[], now=at())
        for scope in scopes:
            assert contents(await store.load_messages(scope, ODD[1])) == [f"{scope.tenant}—{scope.user}"]
        for id in ODD:
            assert (await store.load_session(scopes[0], id) is not None) == (id == ODD[1])

    async def test_patterns_are_not_expanded(self, store: Store) -> None:
        """Ids with wildcards are not found, and nothing else is ended or erased in their name."""
        for scope, id in ((ALICE, "a1"), (ALICE, "a2"), (BOB, "b1")):
            await open_session(store, scope, id)
        for pattern in ("*", "a?", "[ab]1", "a%", "a_", "%"):
            with pytest.raises(SessionNotFound):
                await store.end_session(ALICE, pattern, masked=[], jobs=[], now=at())
            assert sum((await store.erase(Scope("shop", pattern))).values()) == 0
        assert {session.id for session in await store.list_sessions(ALICE)} == {"a1", "a2"}
        assert [session.id for session in await store.list_sessions(BOB)] == ["b1"]

    async def test_erased_owner_leaves_nothing(self, store: Store) -> None:
        """Every read is empty afterwards, another owner loses nothing, and the owner may come back as a stranger."""
        for scope in (ALICE, BOB):
            await open_session(store, scope)
            await run_turn(store, 1, scope=scope)
            await store.write_summary(scope, "ses_1", "摘要", upto_seq=2, expected_upto=0)
            await store.enqueue(scope, job("ses_1"))
            await store.commit_sediment(
                scope, "ses_1", change=MemoryChange(), outcome=outcome(1, 2), expected_watermark=0, watermark=2
            )
        removed = await store.erase(ALICE)
        assert (removed["sessions"], removed["messages"], removed["turns"], removed["jobs"]) == (1, 2, 1, 1)
        assert removed["memories"] == 0
        assert await store.load_session(ALICE, "ses_1") is None
        assert await store.load_messages(ALICE, "ses_1") == []
        assert await store.load_summary(ALICE, "ses_1", 2) is None
        assert await store.load_recipe(ALICE, "req_1") is None
        assert await store.extractions(ALICE) == []
        assert await store.list_jobs(scope=ALICE) == []
        assert [each.scope for each in await store.list_jobs()] == [BOB]
        assert sum((await store.erase(ALICE)).values()) == 0
        assert len(await store.load_messages(BOB, "ses_1")) == 2
        assert len(await store.extractions(BOB)) == 1
        await open_session(store, ALICE)
        assert await store.load_messages(ALICE, "ses_1") == []

    async def test_work_under_way_does_not_survive_erasure(self, store: Store) -> None:
        """A turn and a job that were running when their owner was erased fail at their commit and leave nothing."""
        await open_session(store)
        await run_turn(store, 1)
        await store.enqueue(ALICE, job("ses_1"))
        running = await claim(store)
        opened = await store.begin_turn(ALICE, "ses_1", turn(2), history_turns=20)
        await store.erase(ALICE)
        with pytest.raises(LeaseLost):
            await store.journal_start(ALICE, "trn_2", "refund", "refund")
        with pytest.raises(LeaseLost):
            await store.finish_turn(ALICE, end(opened, jobs=[job("ses_1")]))
        with pytest.raises(StaleMemory):
            await store.commit_sediment(
                ALICE, "ses_1", change=MemoryChange(), outcome=outcome(1, 2), expected_watermark=0, watermark=2
            )
        assert not await store.renew_job(running, lease(1))
        await store.finish_job(running, holder=ME, now=at(1))
        await store.fail_job(running, holder=ME, now=at(1), error="x", retry_at=at(2))
        await store.release_job(running, holder=ME)
        for attempt in (store.replay_job(ALICE, running.id, now=at(1)), store.discard_job(ALICE, running.id)):
            with pytest.raises(JobNotFound):
                await attempt
        assert sum((await store.erase(ALICE)).values()) == 0
        assert await store.holders() == []

    async def test_uses_are_counted_by_owner_and_window(self, store: Store) -> None:
        """Each owner, each thing and each window counts by itself; a tenant counts beside its users."""
        tenant = Scope("shop", "")
        for scope in (ALICE, BOB, tenant, Scope("other", "alice")):
            assert [await store.count_use(scope, "turns", now=at(), until=at(60)) for _ in range(2)] == [1, 2]
        assert await store.count_use(ALICE, "tokens", now=at(), until=at(120)) == 1
        assert await store.count_use(ALICE, "turns", now=at(), until=at(86_400)) == 1
        assert await store.count_use(ALICE, "turns", now=at(60), until=at(120)) == 1
        assert await store.count_use(ALICE, "turns", now=at(60), until=at(86_400)) == 2
        assert (await store.erase(ALICE))["uses"] == 3
        assert await store.count_use(ALICE, "turns", now=at(60), until=at(86_400)) == 1
        assert await store.count_use(BOB, "turns", now=at(60), until=at(120)) == 1

    async def test_owners_are_listed_in_pages(self, store: Store) -> None:
        """Who has anything stored is listed by name, once; who was erased is not."""
        scopes = [Scope(tenant, user) for tenant in ("a", "b%", "店") for user in ("1", "10", "2", "用户")]
        for scope in reversed(scopes):
            await open_session(store, scope)
        assert await store.list_owners() == scopes
        assert await store.list_owners(limit=5) == scopes[:5]
        assert await store.list_owners(after=scopes[4], limit=5) == scopes[5:10]
        assert await store.list_owners(after=Scope("b", "")) == scopes[4:]
        await store.erase(scopes[5])
        assert await store.list_owners(after=scopes[4], limit=1) == [scopes[6]]

    async def test_closed_store_refuses(self, store: Store) -> None:
        """Closing twice is fine; every method afterwards says that the store is closed, and writes nothing."""
        await open_session(store)
        opened = await store.begin_turn(ALICE, "ses_1", turn(1), history_turns=20)
        await store.close()
        await store.close()
        for attempt in (
            store.load_session(ALICE, "ses_1"),
            store.load_messages(ALICE, "ses_1"),
            store.finish_turn(ALICE, end(opened)),
            store.append_turns(ALICE, "ses_1", [said("在吗")], jobs=[], now=at()),
            store.change_memories(ALICE, MemoryChange()),
            store.digest("x"),
            store.claim_job(lease()),
            store.list_jobs(),
            store.load_job("job_1"),
            store.count_due(scope=ALICE, now=at()),
            store.oldest_due(now=at()),
            store.memory_version(ALICE),
            store.workers(now=at()),
            store.drop_worker("host/1/a"),
            store.expired_sessions(at()),
            store.purge_transcripts(at()),
            store.holders(),
            store.recover(["host/1/a"]),
            store.list_owners(),
            store.count_use(ALICE, "turns", now=at(), until=at(1)),
            store.erase(ALICE),
        ):
            with pytest.raises(StoreClosed):
                await attempt
