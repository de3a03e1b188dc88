"""What is kept of the requests of turns: the journal of write calls, the recipe of the context, the reply."""

from __future__ import annotations

import sqlite3

from zhiji.errors import LeaseLost
from zhiji.stores.base import JournalEntry, TurnEnd
from zhiji.stores.documents import read_recipe, read_reply, recipe_text, reply_text
from zhiji.types import JsonValue, Recipe


def insert(connection: sqlite3.Connection, owner: int, end: TurnEnd) -> None:
    """Recipe and reply of an answered turn are stored."""
    connection.execute(
        """INSERT INTO zhiji_requests (owner, session, turn, id, recipe, reply)
        SELECT owner, session, number, request, ?, ? FROM zhiji_turns WHERE owner = ? AND id = ?""",
        (recipe_text(end.recipe), reply_text(end.reply), owner, end.turn_id),
    )


def load_reply(connection: sqlite3.Connection, owner: int, request_id: str) -> dict[str, JsonValue]:
    """Return the reply of an answered request, which exists."""
    row = connection.execute("SELECT reply FROM zhiji_requests WHERE owner = ? AND id = ?", (owner, request_id))
    return read_reply(row.fetchone()[0])


def load_recipe(connection: sqlite3.Connection, owner: int, request_id: str) -> Recipe | None:
    """See ``Store.load_recipe``."""
    row = connection.execute(
        "SELECT recipe FROM zhiji_requests WHERE owner = ? AND id = ?", (owner, request_id)
    ).fetchone()
    return None if row is None else read_recipe(row[0])


def recalled_in(
    connection: sqlite3.Connection, owner: int, session_id: str, first_turn: int, last_turn: int
) -> list[str]:
    """See ``Store.recalled_in``."""
    rows = connection.execute(
        """SELECT recipe FROM zhiji_requests WHERE owner = ? AND session = ? AND turn BETWEEN ? AND ? ORDER BY turn""",
        (owner, session_id, first_turn, last_turn),
    )
    recipes = [read_recipe(row[0]) for row in rows]
    return list(dict.fromkeys(id for recipe in recipes for id in recipe.memories))


def journal_start(connection: sqlite3.Connection, owner: int, turn_id: str, key: str, tool: str) -> JournalEntry | None:
    """See ``Store.journal_start``."""
    running = connection.execute(
        "SELECT 1 FROM zhiji_turns WHERE owner = ? AND id = ? AND status = 'open'", (owner, turn_id)
    ).fetchone()
    if running is None:
        raise LeaseLost
    row = connection.execute(
        "SELECT tool, result, failed FROM zhiji_journal WHERE owner = ? AND turn = ? AND key = ?", (owner, turn_id, key)
    ).fetchone()
    if row is not None:
        return JournalEntry(key=key, tool=row[0], result=row[1], failed=bool(row[2]))
    connection.execute(
        "INSERT INTO zhiji_journal (owner, turn, key, tool) VALUES (?, ?, ?, ?)", (owner, turn_id, key, tool)
    )
    return None


def journal_finish(
    connection: sqlite3.Connection, owner: int, turn_id: str, key: str, result: str, failed: bool
) -> None:
    """See ``Store.journal_finish``."""
    connection.execute(
        "UPDATE zhiji_journal SET result = ?, failed = ? WHERE owner = ? AND turn = ? AND key = ?",
        (result, failed, owner, turn_id, key),
    )
