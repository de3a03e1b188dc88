"""From one database to another and back: every row arrives, whatever happens on the way, and the story goes on there."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

from stores.data import make
from stores.story import dropped, goes_on, lost, undone
from zhiji import compose
from zhiji.errors import Conflict, CopyDiffers
from zhiji.move import Moved, move
from zhiji.stores.base import Portable
from zhiji.stores.columns import COLUMNS, ORDER
from zhiji.stores.sqlite.schema import prepare
from zhiji.testing.portable_contract import dumped, sample, told
from zhiji.testing.values import ALICE, BOB
from zhiji.types import Scope

MOVER = Path(__file__).with_name("mover.py")


@dataclass(frozen=True)
class Story:
    """A file in which the story was played, and what is seen of it."""

    url: str
    seen: dict[str, Any]


@pytest.fixture
async def story(tmp_path: Path) -> Story:
    """Return a file with the story: four owners, live sessions, a running job."""
    url = f"sqlite:///{tmp_path / 'story.db'}"
    async with make.story(url) as (_, seen):
        return Story(url, seen)


@asynccontextmanager
async def opened(*urls: str) -> AsyncIterator[list[Portable]]:
    """Give the stores at these URLs."""
    async with compose.database(make.settings(urls[0])) as first:
        if len(urls) == 1:
            yield [first]
        else:
            async with opened(*urls[1:]) as others:
                yield [first, *others]


async def moved(source: str, target: str) -> Moved:
    """Return what moving came to."""
    async with opened(source, target) as (one, other):
        return await move(one, other)


async def all_rows(url: str) -> dict[Scope, Any]:
    """Return every row of every owner."""
    async with opened(url) as (store,):
        return {scope: await dumped(store, scope) for scope in await store.list_owners()}


async def test_there_and_back_again(story: Story, postgres_url: str, tmp_path: Path) -> None:
    """SQLite to PostgreSQL to SQLite: row by row the same in all tables, with a running job and live sessions."""
    back = f"sqlite:///{tmp_path / 'back.db'}"
    there = await moved(story.url, postgres_url)
    again = await moved(postgres_url, back)
    assert (there.owners, there.copied, again.copied) == (4, 4, 4)
    assert there.rows == again.rows
    assert there.rows.keys() == {"owners", *COLUMNS}
    before = await all_rows(story.url)
    assert list(before) == sorted(make.OWNERS, key=lambda scope: (scope.tenant, scope.user))
    assert before == await all_rows(postgres_url) == await all_rows(back)
    async with opened(story.url, postgres_url, back) as stores:
        for owner in story.seen["owners"].values():
            del owner["version"]  # raised by the move, so that caches notice
        for store in stores:
            assert list(lost(story.seen, await make.seen(store, story.seen["answered"]))) == []


async def test_moving_again_copies_nothing(story: Story, postgres_url: str) -> None:
    """What is there already is compared, not copied; what differs is copied anew."""
    await moved(story.url, postgres_url)
    assert (await moved(story.url, postgres_url)).copied == 0
    async with opened(postgres_url) as (store,):
        await store.erase(make.REX)
    assert (await moved(story.url, postgres_url)).copied == 1


async def test_every_page_of_owners_is_moved(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many owners there are: those behind the first page are copied and compared like the others."""
    async with opened(story.url, f"sqlite:///{tmp_path / 'target.db'}") as (one, other):
        monkeypatch.setattr(one, "list_owners", partial(one.list_owners, limit=3))
        done = await move(one, other)
        assert (done.owners, done.copied) == (4, 4)
        assert await other.list_owners() == await one.list_owners(limit=100)


@pytest.mark.parametrize("piece", [1, 4, 17, 40])
@pytest.mark.parametrize("to", ["postgres", "sqlite"])
async def test_a_killed_move_is_completed(story: Story, postgres_url: str, tmp_path: Path, to: str, piece: int) -> None:
    """After kill -9 in the middle no owner is there by half, and running it again completes it."""
    target = postgres_url if to == "postgres" else f"sqlite:///{tmp_path / 'target.db'}"
    died = subprocess.run(
        [sys.executable, str(MOVER), story.url, target, str(piece)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    assert died.returncode == -9
    before = await all_rows(story.url)
    half = await all_rows(target)
    assert len(half) < len(before) or piece == 40  # killed while comparing
    assert all(rows == before[scope] for scope, rows in half.items())
    assert (await moved(story.url, target)).copied == len(before) - len(half)
    assert await all_rows(target) == before


@pytest.mark.parametrize("to", ["postgres", "sqlite"])
async def test_the_story_goes_on_in_the_target(story: Story, postgres_url: str, tmp_path: Path, to: str) -> None:
    """A chat continues the session, a retry is answered again, a dead job is replayed, a deleted fact stays away."""
    target = f"sqlite:///{tmp_path / 'target.db'}"
    await moved(story.url, postgres_url)
    await moved(postgres_url, target)
    before, url = await all_rows(story.url), postgres_url if to == "postgres" else target
    await goes_on(url, story.seen)
    async with opened(url) as (store,):
        after = await make.seen(store, story.seen["answered"])
    assert (undone(after), dropped(story.seen, after)) == ([], [])
    assert await all_rows(story.url) == before  # nothing of it went on where it came from


async def test_a_target_with_other_data_is_refused(story: Story, postgres_url: str) -> None:
    """What somebody else stored there is not touched, and nothing is added to it."""
    async with opened(postgres_url) as (store,):
        await store.replace_owner(ALICE, told(sample()))
    before = await all_rows(postgres_url)
    with pytest.raises(Conflict, match="other data"):
        await moved(story.url, postgres_url)
    assert await all_rows(postgres_url) == before


async def test_who_is_only_in_the_target_is_told(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An owner that the target has besides stays, and is named; of very many only the first."""
    target = f"sqlite:///{tmp_path / 'target.db'}"
    await moved(story.url, target)
    async with opened(target) as (store,):
        for scope, name in ((BOB, "b"), (Scope("zz", "用户"), "z")):
            await store.replace_owner(scope, told(sample(name)))
    assert (await moved(story.url, target)).others == [BOB, Scope("zz", "用户")]
    monkeypatch.setattr("zhiji.move.OTHERS_TOLD", 1)
    assert (await moved(story.url, target)).others == [BOB]


async def test_writing_meanwhile_is_noticed(story: Story, postgres_url: str) -> None:
    """If somebody writes to the source between copy and comparison, or to the target, the move says so; run again it is fine."""
    async with opened(story.url, postgres_url) as (one, other):
        for store in (one, other):

            def interfere(phase: str, done: int, total: int, store: Portable = store) -> None:
                if (phase, done) == ("copy", total):
                    _execute(story.url if store is one else postgres_url)

            with pytest.raises(CopyDiffers, match="zhiji move"):
                await move(one, other, progress=interfere)
            assert (await move(one, other)).copied == 1


def _execute(url: str) -> None:
    """Somebody's message is another one."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection, connection:
            connection.execute("UPDATE zhiji_journal SET result = 'another'")
    else:
        with psycopg.connect(url) as connection_:
            connection_.execute("UPDATE zhiji_journal SET tool = 'another'")


async def test_the_source_is_only_read(story: Story, tmp_path: Path) -> None:
    """Its file has the same bytes afterwards."""
    file = Path(story.url.removeprefix("sqlite:///"))
    before = file.read_bytes()
    await moved(story.url, f"sqlite:///{tmp_path / 'target.db'}")
    assert file.read_bytes() == before


def test_every_column_is_moved(tmp_path: Path, postgres_url: str) -> None:
    """Both databases have exactly the tables and columns that are moved, besides what each makes or derives itself."""
    own = {"owner", "seq", "expires_day", "has_form", "episode_session", "episode_seq", "episode_speaker"}
    left = {"meta", "owners", "workers", "uses"}
    assert COLUMNS.keys() == ORDER.keys()
    expected = {table: set(columns) - own for table, columns in COLUMNS.items()}
    with psycopg.connect(postgres_url) as connection:
        found = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_name LIKE 'zhiji%'"
        ).fetchall()
    assert _by_table(found, own, left) == expected
    with closing(sqlite3.connect(tmp_path / "new.db", isolation_level=None)) as file:
        prepare(file)
        rows = file.execute(
            "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.name LIKE 'zhiji%' "
            "AND m.type = 'table'"
        ).fetchall()
    assert _by_table(rows, own, left) == expected


def _by_table(rows: list[Any], own: set[str], left: set[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for table, column in rows:
        name = table.removeprefix("zhiji_")
        if name not in left:
            found.setdefault(name, set()).add(column)
    return {name: columns - own for name, columns in found.items()}
