"""Another embedder: recall goes on by keyword and says so, everything works, and `reindex` makes the vectors anew (C092)."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from zhiji import Settings, Zhiji
from zhiji.errors import ConfigError, EmbedderError
from zhiji.testing import FrozenClock, HashEmbedder
from zhiji.types import JobStatus, Scope, Status, Via

REINDEXER = Path(__file__).with_name("reindexer.py")
FACTS = ("对花生过敏", "住在杭州市西湖区", "likes green tea", "养了一只猫 🐱", "walks every morning")
USERS = tuple(f"用户{number}" for number in range(4))


def embedder(dim: int, name: str = "same") -> HashEmbedder:
    """Return an embedder of this dimension and name."""
    made = HashEmbedder(dim)
    made.name = name
    return made


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'zhiji.db'}"
    found: str = request.getfixturevalue("postgres_url")
    return found


def settings(url: str) -> Settings:
    """Return settings without a worker of its own and without an embedder but the one that a test gives."""
    return Settings(database_url=url, worker=False, embedder="off")


async def filled(url: str, *, users: Sequence[str] = ("u1",)) -> None:
    """Each user has five memories with vectors of the former embedder."""
    async with Zhiji.open(settings(url), clock=FrozenClock(), embedder=embedder(1536)) as zj:
        for user in users:
            for fact in FACTS:
                await zj.remember(user, fact, type="event")
            await zj.remember(user, "地址是文三路 18 号", type="identity", key="identity:address.default")
        await zj.drain()


async def kept(zj: Zhiji, user: str = "u1") -> set[str]:
    """Return what is remembered."""
    return {one.content for one in await zj.memories.list(user)}


@pytest.mark.parametrize("name", ["same", "another"])
async def test_another_embedder_of_another_dimension(url: str, name: str, caplog: pytest.LogCaptureFixture) -> None:
    """Recall, add, update, supersede and delete work by keyword, which is told once; reindex rebuilds, nothing is lost (C092)."""
    await filled(url)
    with caplog.at_level(logging.WARNING, "zhiji"):
        async with Zhiji.open(settings(url), clock=FrozenClock(), embedder=embedder(768, name)) as zj:
            for _ in range(2):
                found = await zj.recall("u1", "花生 过敏")
                assert (found[0].memory.content, found[0].via) == ("对花生过敏", Via.KEYWORD)
            assert [record.message.split(":")[0] for record in caplog.records] == ["vectors_unfit"]
            diagnosis = await zj.doctor("u1", None, "猫", expect="猫")
            named = {step.finding for step in diagnosis.steps}
            named |= {other.finding for step in diagnosis.steps for other in step.others}
            assert named & {"vectors_unfit", "vector_missing"}
            added = await zj.remember("u1", "收藏黑胶唱片", type="event")
            await zj.memories.correct("u1", added.id, "收藏黑胶唱片和磁带", "more")
            await zj.remember("u1", "地址是延安路 1 号", type="identity", key="identity:address.default")
            gone = next(one for one in await zj.memories.list("u1") if one.content == FACTS[4])
            await zj.memories.delete("u1", gone.id)
            await zj.drain()
            assert await zj.jobs.list(statuses=[JobStatus.DEAD, JobStatus.PENDING]) == []
            expected = {*FACTS[:4], "收藏黑胶唱片和磁带", "地址是延安路 1 号"}
            assert await kept(zj) == expected
            assert (await zj.recall("u1", "黑胶唱片"))[0].memory.content == "收藏黑胶唱片和磁带"
            done = await zj.reindex()
            assert (done.model, done.dim, done.owners) == (name, 768, 1)
            assert done.dropped > 0
            assert await kept(zj) == expected
            assert {one.memory.content: one.via for one in await zj.recall("u1", "花生过敏")}["对花生过敏"] is Via.BOTH
            superseded = await zj.memories.list("u1", statuses=[Status.SUPERSEDED])
            assert "地址是文三路 18 号" in {one.content for one in superseded}
            again = await zj.reindex()
            assert (again.embedded, again.dropped) == (0, 0)


async def test_reindexing_one_user_leaves_the_others(url: str) -> None:
    """Only this user's vectors are made anew; progress names the owner and counts."""
    await filled(url, users=USERS)
    async with Zhiji.open(settings(url), clock=FrozenClock(), embedder=embedder(768)) as zj:
        told: list[tuple[Scope, int]] = []
        done = await zj.reindex(USERS[1], progress=lambda scope, embedded: told.append((scope, embedded)))
        assert (done.owners, done.embedded, done.dropped) == (1, 6, 6)
        assert {scope.user for scope, _ in told} == {USERS[1]}
        assert (told[0][1], told[-1][1]) == (0, 6)
        assert (await zj.recall(USERS[1], "花生过敏"))[0].via is Via.BOTH
        assert (await zj.recall(USERS[2], "花生过敏"))[0].via is Via.KEYWORD
        rest = await zj.reindex()
        assert (rest.owners, rest.embedded, rest.dropped) == (4, 18, 18)


async def test_every_page_of_owners_is_reindexed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many owners there are: those behind the first page are no others."""
    await filled(url, users=USERS)
    async with Zhiji.open(settings(url), clock=FrozenClock(), embedder=embedder(768)) as zj:
        store = zj._parts.store
        monkeypatch.setattr(store, "list_owners", partial(store.list_owners, limit=3))
        done = await zj.reindex()
    assert (done.owners, done.embedded) == (4, 24)


@pytest.mark.parametrize("call", [1, 2, 4])
async def test_a_killed_reindexing_is_completed(url: str, call: int) -> None:
    """After kill -9 every memory is there and found by keyword; run again it goes on with what is left (C092)."""
    await filled(url, users=USERS)
    died = subprocess.run(
        [sys.executable, str(REINDEXER), url, str(call)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    assert died.returncode == -9
    async with Zhiji.open(settings(url), clock=FrozenClock(), embedder=embedder(768)) as zj:
        for user in USERS:
            assert {*FACTS} < await kept(zj, user)
            assert (await zj.recall(user, "花生过敏"))[0].memory.content == "对花生过敏"
        done = await zj.reindex()
        assert done.embedded == 6 * (len(USERS) - max(0, call - 2))
        for user in USERS:
            assert (await zj.recall(user, "花生过敏"))[0].via is Via.BOTH


async def test_an_embedder_is_needed_and_must_work(url: str) -> None:
    """Without one, or while it fails, nothing is dropped, and the error says what to do."""
    await filled(url)
    async with Zhiji.open(settings(url), clock=FrozenClock()) as zj:
        with pytest.raises(ConfigError, match="ZHIJI_EMBEDDER"):
            await zj.reindex()
    async with Zhiji.open(settings(url), clock=FrozenClock(), embedder=HashEmbedder(768, failures=None)) as zj:
        with pytest.raises(EmbedderError):
            await zj.reindex()
    async with Zhiji.open(settings(url), clock=FrozenClock(), embedder=embedder(1536)) as zj:
        assert (await zj.recall("u1", "花生过敏"))[0].via is Via.BOTH
