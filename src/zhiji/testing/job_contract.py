"""What every store promises about jobs: durable, at least once, never two of one owner and kind at a time."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from zhiji.errors import JobNotFound, StaleMemory
from zhiji.stores.base import MemoryChange, Store, Tombstone
from zhiji.testing.values import (
    ALICE,
    BOB,
    LEASE,
    at,
    end,
    ingested_session,
    job,
    lease,
    memory,
    open_session,
    put,
    run_turn,
    said,
    turn,
)
from zhiji.text import normalise
from zhiji.types import Extraction, Job, JobKind, JobStatus, Scope, Source, Status

OVER = LEASE.total_seconds()
ME = "host/1/a"


async def claim(store: Store, seconds: float = 0, holder: str = ME) -> Job:
    """Return the job that is due, now running."""
    claimed = await store.claim_job(lease(seconds, holder))
    assert claimed is not None
    return claimed


def outcome(first_seq: int, last_seq: int, seconds: float = 0) -> Extraction:
    """Return an outcome of a pass over these messages of ``ses_1``."""
    return Extraction(
        session="ses_1",
        first_seq=first_seq,
        last_seq=last_seq,
        outcome="nothing",
        extractor="rules",
        duration_ms=1.5,
        reasons=("寒暄",),
        time=at(seconds),
    )


class JobContract:
    """Jobs from their enqueuing to their end."""

    async def test_job_is_enqueued_once(self, store: Store) -> None:
        """A second job of one kind and subject merges into the pending one, which keeps the earlier time."""
        await store.enqueue(ALICE, job("ses_1", 50))
        await store.enqueue(ALICE, job("ses_1", 20))
        await store.enqueue(ALICE, job("ses_1", 90))
        await store.enqueue(ALICE, job("ses_1", 30, JobKind.COMPACT))
        await store.enqueue(ALICE, job("ses_2", 40))
        await store.enqueue(BOB, job("ses_1", 60))
        listed = [(each.scope, each.kind, each.subject, each.run_at) for each in await store.list_jobs()]
        assert listed == [
            (BOB, JobKind.SEDIMENT, "ses_1", at(60)),
            (ALICE, JobKind.SEDIMENT, "ses_2", at(40)),
            (ALICE, JobKind.COMPACT, "ses_1", at(30)),
            (ALICE, JobKind.SEDIMENT, "ses_1", at(20)),
        ]

    async def test_job_that_waits_for_silence_is_put_off(self, store: Store) -> None:
        """A job that waits puts the pending one off to its own time, and never forward; one that does not wait is the earlier."""
        await store.enqueue(ALICE, replace(job("ses_1", 50), waits=True))
        await store.enqueue(ALICE, replace(job("ses_1", 80), waits=True))
        await store.enqueue(ALICE, replace(job("ses_1", 70), waits=True))
        assert [each.run_at for each in await store.list_jobs()] == [at(80)]
        assert await store.count_due(scope=ALICE, now=at(79)) == 0
        await store.enqueue(ALICE, job("ses_1", 20))
        assert [each.run_at for each in await store.list_jobs()] == [at(20)]
        assert await store.count_due(scope=ALICE, now=at(20)) == 1

    async def test_job_that_has_been_due_longest_is_claimed(self, store: Store) -> None:
        """Jobs are claimed by the time they became due, then in the order of their enqueuing, never before their time."""
        for subject, seconds in (("ses_3", 9), ("ses_1", 5), ("ses_2", 5)):
            await store.enqueue(ALICE, job(subject, seconds))
        assert await store.claim_job(lease(4.9)) is None
        for subject in ("ses_1", "ses_2", "ses_3"):
            claimed = await claim(store, 10)
            assert claimed.subject == subject
            await store.finish_job(claimed, holder=ME, now=at(10))
        assert await store.claim_job(lease(10)) is None

    async def test_claimed_job_is_running(self, store: Store) -> None:
        """The claim is seen by everybody: status, attempt and lease."""
        await store.enqueue(ALICE, job("ses_1", 5))
        claimed = await claim(store, 7)
        assert claimed.id.startswith("job_")
        assert claimed == Job(
            id=claimed.id,
            scope=ALICE,
            kind=JobKind.SEDIMENT,
            subject="ses_1",
            status=JobStatus.RUNNING,
            attempts=1,
            run_at=at(5),
            created_at=at(5),
            lease_until=at(7) + LEASE,
        )
        assert await store.list_jobs() == [claimed]

    @pytest.mark.parametrize("subject", ["ses_1", "ses_2"])
    async def test_never_two_of_one_owner_and_kind(self, store: Store, subject: str) -> None:
        """Work that arrives while its owner's work of this kind is running waits until that is over; other work does not."""
        await store.enqueue(ALICE, job("ses_1"))
        first = await claim(store)
        await store.enqueue(ALICE, job(subject))
        assert await store.claim_job(lease(1)) is None
        assert await store.claim_job(lease(1), scope=ALICE) is None
        assert await store.claim_job(lease(1), after=[BOB]) is None
        await store.enqueue(ALICE, job("ses_1", kind=JobKind.COMPACT))
        await store.enqueue(BOB, job("ses_1"))
        others = [await claim(store, 1), await claim(store, 1)]
        assert {(each.scope, each.kind) for each in others} == {(ALICE, JobKind.COMPACT), (BOB, JobKind.SEDIMENT)}
        await store.finish_job(first, holder=ME, now=at(2))
        second = await claim(store, 2)
        assert (second.subject, second.id != first.id) == (subject, True)

    async def test_owners_take_turns(self, store: Store) -> None:
        """Who has queued much and long does not keep the others waiting; among one's own the oldest comes first."""
        owners = [Scope("shop", f"u{number}") for number in range(4)]
        for owner, subjects in zip(owners, ("abc", "d", "", "ef"), strict=True):
            await open_session(store, owner)
            for place, subject in enumerate(subjects):
                await store.enqueue(owner, job(subject, place))
        await store.enqueue(owners[2], job("later", 99))
        taken, last = [], owners[3]
        while (found := await store.claim_job(lease(9), after=[last])) is not None:
            await store.finish_job(found, holder=ME, now=at(9))
            taken.append(found.subject)
            last = found.scope
        assert taken == ["a", "d", "e", "b", "f", "c"]

    async def test_tenants_take_turns(self, store: Store) -> None:
        """A tenant of many users is served as often as one of a single user, and within each tenant users take turns."""
        many = [Scope("big", f"u{number}") for number in range(4)]
        only = Scope("small", "u0")
        for scope in (*many, only):
            for place in range(2):
                await store.enqueue(scope, job(f"{scope.user}.{place}", place))
        served: dict[str, Scope] = {}
        taken = []
        while (found := await store.claim_job(lease(9), after=list(served.values()))) is not None:
            await store.finish_job(found, holder=ME, now=at(9))
            taken.append((found.scope.tenant, found.subject))
            served.pop(found.scope.tenant, None)
            served[found.scope.tenant] = found.scope
        assert taken[:4] == [("big", "u0.0"), ("small", "u0.0"), ("big", "u1.0"), ("small", "u0.1")]
        assert taken[4:] == [("big", subject) for subject in ("u2.0", "u3.0", "u0.1", "u1.1", "u2.1", "u3.1")]

    async def test_turns_go_on_after_an_owner_who_is_gone(self, store: Store) -> None:
        """Turns begin anew after somebody who is not known, or not any more."""
        for scope in (ALICE, BOB):
            await store.enqueue(scope, job("ses_1"))
        assert (await claim(store)).scope == ALICE
        await store.erase(ALICE)
        claimed = await store.claim_job(lease(1), after=[ALICE])
        assert claimed is not None
        assert claimed.scope == BOB

    async def test_jobs_are_listed_by_tenant_and_subject(self, store: Store) -> None:
        """An operator sees the jobs of one tenant, or those that work on one session."""
        stranger = Scope("other", "alice")
        for scope, subject in ((ALICE, "ses_1"), (ALICE, "ses_2"), (BOB, "ses_1"), (stranger, "ses_1")):
            await store.enqueue(scope, job(subject))
        of_shop = [(each.scope, each.subject) for each in await store.list_jobs(tenant="shop")]
        assert of_shop == [(BOB, "ses_1"), (ALICE, "ses_2"), (ALICE, "ses_1")]
        assert [each.subject for each in await store.list_jobs(scope=ALICE, subject="ses_2")] == ["ses_2"]
        assert [each.scope for each in await store.list_jobs(subject="ses_1", limit=2)] == [stranger, BOB]

    async def test_job_of_a_dead_worker_is_taken_over(self, store: Store) -> None:
        """When a lease runs out the job runs again, and what the former worker says no longer counts."""
        await store.enqueue(ALICE, job("ses_1"))
        former = await claim(store, 0, "host/1/dead")
        assert await store.claim_job(lease(OVER - 0.1)) is None
        taken = await claim(store, OVER)
        assert (taken.id, taken.attempts) == (former.id, 2)
        assert not await store.renew_job(former, lease(OVER, "host/1/dead"))
        await store.finish_job(former, holder="host/1/dead", now=at(OVER))
        await store.fail_job(former, holder="host/1/dead", now=at(OVER), error="x", retry_at=at(OVER))
        assert await store.list_jobs() == [taken]
        await store.finish_job(taken, holder=ME, now=at(OVER + 1))
        assert [(each.status, each.finished_at) for each in await store.list_jobs()] == [(JobStatus.DONE, at(OVER + 1))]

    async def test_renewed_job_is_not_taken_over(self, store: Store) -> None:
        """A heartbeat keeps the job for as long as it says."""
        await store.enqueue(ALICE, job("ses_1"))
        running = await claim(store)
        assert await store.renew_job(running, lease(20))
        assert await store.claim_job(lease(20 + OVER - 0.1)) is None
        assert (await claim(store, 20 + OVER, "host/2/b")).id == running.id

    async def test_failed_job_is_retried_then_dead(self, store: Store) -> None:
        """A failed job waits for its next attempt, keeps its error, and is dead when nobody tries again."""
        await store.enqueue(ALICE, job("ses_1"))
        await store.fail_job(await claim(store), holder=ME, now=at(1), error="model_error: 429", retry_at=at(10))
        (waiting,) = await store.list_jobs()
        assert (waiting.status, waiting.run_at, waiting.error) == (JobStatus.PENDING, at(10), "model_error: 429")
        assert waiting.lease_until is None
        assert await store.claim_job(lease(9)) is None
        again = await claim(store, 10)
        assert again.attempts == 2
        await store.fail_job(again, holder=ME, now=at(11), error="model_error: 500", retry_at=None)
        (dead,) = await store.list_jobs(statuses=frozenset({JobStatus.DEAD}))
        assert (dead.finished_at, dead.error, dead.attempts) == (at(11), "model_error: 500", 2)
        assert await store.claim_job(lease(999)) is None

    async def test_released_job_is_as_before_its_claim(self, store: Store) -> None:
        """A job that is given back is due at once and has not used an attempt up; only its holder can give it back."""
        await store.enqueue(ALICE, job("ses_1", 5))
        await store.fail_job(await claim(store, 5), holder=ME, now=at(6), error="x", retry_at=at(7))
        running = await claim(store, 8)
        await store.enqueue(ALICE, job("ses_1", 8))
        await store.release_job(running, holder="host/2/b")
        assert (await store.list_jobs(scope=ALICE))[-1] == running
        await store.release_job(running, holder=ME)
        (pending,) = await store.list_jobs()
        assert pending == replace(running, status=JobStatus.PENDING, attempts=1, lease_until=None)
        assert (await claim(store, 8)).attempts == 2

    async def test_dead_job_is_discarded(self, store: Store) -> None:
        """A dead job goes on request of its owner, and only a dead one; work on the same subject goes on."""
        await store.enqueue(ALICE, job("ses_1"))
        running = await claim(store)
        with pytest.raises(JobNotFound):
            await store.discard_job(ALICE, running.id)
        await store.fail_job(running, holder=ME, now=at(1), error="x", retry_at=None)
        await store.enqueue(ALICE, job("ses_1", 2))
        for scope, id in ((BOB, running.id), (ALICE, "job_unknown")):
            with pytest.raises(JobNotFound):
                await store.discard_job(scope, id)
        await store.discard_job(ALICE, running.id)
        with pytest.raises(JobNotFound):
            await store.discard_job(ALICE, running.id)
        assert await store.load_job(running.id) is None
        assert [each.run_at for each in await store.list_jobs()] == [at(2)]

    async def test_job_is_found_by_its_id_alone(self, store: Store) -> None:
        """An operator names a job, not its owner."""
        await store.enqueue(ALICE, job("ses_1"))
        await store.enqueue(BOB, job("ses_1"))
        for listed in await store.list_jobs():
            assert await store.load_job(listed.id) == listed
        assert await store.load_job("job_unknown") is None

    async def test_dead_job_is_replayed(self, store: Store) -> None:
        """A dead job starts over on request of its owner, and only a dead one."""
        await store.enqueue(ALICE, job("ses_1"))
        running = await claim(store)
        with pytest.raises(JobNotFound):
            await store.replay_job(ALICE, running.id, now=at(1))
        await store.fail_job(running, holder=ME, now=at(1), error="x", retry_at=None)
        await store.enqueue(ALICE, job("ses_1", 2))
        for scope, id in ((BOB, running.id), (ALICE, "job_unknown")):
            with pytest.raises(JobNotFound):
                await store.replay_job(scope, id, now=at(3))
        replayed = await store.replay_job(ALICE, running.id, now=at(3))
        assert replayed == replace(running, status=JobStatus.PENDING, attempts=0, run_at=at(3), lease_until=None)
        assert await store.list_jobs() == [replayed]

    async def test_retry_takes_the_new_work_along(self, store: Store) -> None:
        """What was enqueued during a failed attempt is done by the retry: one pending job, with its attempts."""
        await store.enqueue(ALICE, job("ses_1"))
        running = await claim(store)
        await store.enqueue(ALICE, job("ses_1", 1))
        await store.fail_job(running, holder=ME, now=at(2), error="x", retry_at=at(5))
        (pending,) = await store.list_jobs()
        assert (pending.id, pending.attempts, pending.run_at) == (running.id, 1, at(5))

    async def test_new_work_survives_a_dead_job(self, store: Store) -> None:
        """What was enqueued during a last attempt stays pending on its own."""
        await store.enqueue(ALICE, job("ses_1"))
        running = await claim(store)
        await store.enqueue(ALICE, job("ses_1", 1))
        await store.fail_job(running, holder=ME, now=at(2), error="x", retry_at=None)
        assert [each.status for each in await store.list_jobs()] == [JobStatus.PENDING, JobStatus.DEAD]
        assert (await claim(store, 2)).attempts == 1

    async def test_one_done_job_is_kept(self, store: Store) -> None:
        """A session's jobs do not pile up: of the done ones of a kind the last is kept."""
        for seconds in (1, 2, 3):
            await store.enqueue(ALICE, job("ses_1", seconds))
            await store.finish_job(await claim(store, seconds), holder=ME, now=at(seconds))
        assert [(each.status, each.finished_at) for each in await store.list_jobs()] == [(JobStatus.DONE, at(3))]

    async def test_work_of_one_owner(self, store: Store) -> None:
        """A scope limits claims, lists and counts to its owner."""
        await store.enqueue(ALICE, job("ses_a"))
        await store.enqueue(BOB, job("ses_b"))
        await store.enqueue(BOB, job("ses_later", 99))
        assert await store.count_due(scope=None, now=at()) == 2
        assert await store.count_due(scope=BOB, now=at()) == 1
        assert [each.subject for each in await store.list_jobs(scope=BOB)] == ["ses_later", "ses_b"]
        assert [each.subject for each in await store.list_jobs(limit=1)] == ["ses_later"]
        claimed = await store.claim_job(lease(), scope=BOB)
        assert claimed is not None
        assert claimed.subject == "ses_b"
        assert await store.claim_job(lease(), scope=BOB) is None
        assert await store.count_due(scope=BOB, now=at()) == 1
        assert await store.count_due(scope=BOB, now=at(-1)) == 0
        await store.finish_job(claimed, holder=ME, now=at())
        assert await store.count_due(scope=BOB, now=at()) == 0
        assert await store.list_jobs(statuses=frozenset()) == []

    async def test_leases_of_dead_holders_run_out_at_once(self, store: Store) -> None:
        """After a crash its turns and jobs are free without waiting; those of the living are not."""
        kinds = (JobKind.SEDIMENT, JobKind.COMPACT)
        for number, holder in ((1, "host/1/dead"), (2, "host/2/alive")):
            await open_session(store, id=f"ses_{number}")
            await store.begin_turn(ALICE, f"ses_{number}", turn(number, holder=holder), history_turns=20)
            await store.enqueue(ALICE, job(f"ses_{number}", kind=kinds[number - 1]))
            await claim(store, 0, holder)
        assert await store.holders() == ["host/1/dead", "host/2/alive"]
        assert await store.recover(["host/1/dead", "host/9/unknown"]) == 2
        assert await store.recover(["host/1/dead"]) == 0
        assert await store.holders() == ["host/2/alive"]
        assert (await claim(store, 1)).subject == "ses_1"
        assert await store.claim_job(lease(1)) is None
        assert not await store.renew_lease(ALICE, "ses_1", lease(1, "host/1/dead"))
        assert (await store.begin_turn(ALICE, "ses_1", turn(3, seconds=1), history_turns=20)).number == 2

    async def test_every_job_is_claimed_by_one(self, store: Store) -> None:
        """Workers that claim at the same time never get the same job."""
        owners = [Scope("shop", f"u{number:02}") for number in range(20)]
        for owner in owners:
            await store.enqueue(owner, job("ses_1"))

        async def work(holder: str) -> list[str]:
            claimed = []
            while (found := await store.claim_job(lease(1, holder))) is not None:
                claimed.append(found.scope.user)
            return claimed

        shares = await asyncio.gather(*(work(f"host/{number}/w") for number in range(4)))
        assert sorted(user for share in shares for user in share) == [owner.user for owner in owners]

    async def test_oldest_due(self, store: Store) -> None:
        """It tells since when work has waited: also while it runs, not before it is due, nor when it is dead."""
        assert await store.oldest_due(now=at(9)) is None
        await store.enqueue(BOB, job("ses_1", 3))
        await store.enqueue(ALICE, job("ses_1", 5))
        assert await store.oldest_due(now=at(2)) is None
        assert await store.oldest_due(now=at(9)) == at(3)
        running = await claim(store, 9)
        assert (running.scope, await store.oldest_due(now=at(9))) == (BOB, at(3))
        await store.fail_job(running, holder=ME, now=at(9), error="x", retry_at=None)
        assert await store.oldest_due(now=at(9)) == at(5)
        await store.finish_job(await claim(store, 9), holder=ME, now=at(9))
        assert await store.oldest_due(now=at(9)) is None

    # -- where extraction ends --

    async def test_sediment_is_committed_once(self, store: Store) -> None:
        """The outcome and the watermark move together; a second pass over the same messages is refused whole."""
        await open_session(store)
        await run_turn(store, 1)
        done = outcome(1, 2, 3)
        for attempt in (1, 2):
            try:
                await store.commit_sediment(
                    ALICE,
                    "ses_1",
                    change=MemoryChange(),
                    outcome=done,
                    expected_watermark=0,
                    watermark=2,
                    jobs=[job("ses_1", 3, JobKind.EMBED)],
                )
            except StaleMemory:
                assert attempt == 2
            else:
                assert attempt == 1
        session = await store.load_session(ALICE, "ses_1")
        assert session is not None
        assert session.extracted_upto == 2
        assert await store.extractions(ALICE) == [done]
        assert [each.kind for each in await store.list_jobs(scope=ALICE)] == [JobKind.EMBED]

    @pytest.mark.parametrize(("deleted", "left"), [(2, ["用户住在杭州"]), (3, []), (4, [])])
    async def test_only_words_after_the_deletion_bring_a_fact_back(
        self, store: Store, deleted: float, left: list[str]
    ) -> None:
        """What was said before a deletion, or at its very instant, is not written by a pass that commits after it."""
        await ingested_session(store)
        await store.append_turns(ALICE, "ses_1", [said("我住在杭州", 3)], jobs=[], now=at(3))
        found = replace(memory("mem_1", "用户住在杭州", 3), sources=(Source(session="ses_1", seqs=(1,)),))
        buried = Tombstone(
            key=None, content_digest=await store.digest(normalise(found.content)), deleted_at=at(deleted)
        )
        await store.change_memories(ALICE, MemoryChange(tombstones=[buried]))
        await store.commit_sediment(
            ALICE,
            "ses_1",
            change=MemoryChange(puts=[put(found)]),
            outcome=outcome(1, 1, 5),
            expected_watermark=0,
            watermark=1,
        )
        kept = await store.list_memories(ALICE, statuses=frozenset(Status))
        assert [one.content for one in kept] == left

    async def test_sediment_of_a_session_that_is_gone_is_refused(self, store: Store) -> None:
        """A pass that outlives its session writes nothing."""
        with pytest.raises(StaleMemory):
            await store.commit_sediment(
                ALICE,
                "ses_1",
                change=MemoryChange(),
                outcome=outcome(1, 2),
                expected_watermark=0,
                watermark=2,
            )
        assert await store.extractions(ALICE) == []

    async def test_outcomes_are_listed_newest_first(self, store: Store) -> None:
        """Outcomes are kept whole, by session or for the owner, the last stored first."""
        for id in ("ses_1", "ses_2"):
            await open_session(store, id=id)
        stored = [outcome(1, 2), outcome(3, 4), replace(outcome(1, 2), session="ses_2")]
        for each, (before, after) in zip(stored, ((0, 2), (2, 4), (0, 2)), strict=True):
            await store.commit_sediment(
                ALICE,
                each.session,
                change=MemoryChange(),
                outcome=each,
                expected_watermark=before,
                watermark=after,
            )
        assert await store.extractions(ALICE) == stored[::-1]
        assert await store.extractions(ALICE, limit=1) == stored[2:]
        assert await store.extractions(ALICE, session_id="ses_1") == [stored[1], stored[0]]
        assert await store.extractions(BOB) == []

    async def test_turn_and_its_jobs_are_one(self, store: Store) -> None:
        """The jobs of a turn are there as soon as, and only if, the turn is."""
        await open_session(store)
        opened = await store.begin_turn(ALICE, "ses_1", turn(1), history_turns=20)
        assert await store.count_due(scope=ALICE, now=at(9)) == 0
        await store.finish_turn(ALICE, end(opened, 1, jobs=[job("ses_1", 1), job("ses_1", 2, JobKind.COMPACT)]))
        assert await store.count_due(scope=ALICE, now=at(9)) == 2
        (first, second) = (await store.list_jobs(scope=ALICE))[::-1]
        assert (first.created_at, second.created_at, second.run_at) == (at(1), at(1), at(2))
