"""What is kept of the requests of turns: the journal of write calls, the recipe of the context, the reply."""

from __future__ import annotations

from zhiji.errors import LeaseLost
from zhiji.stores.base import JournalEntry, TurnEnd
from zhiji.stores.documents import read_recipe, recipe_text, reply_text
from zhiji.stores.postgres.connection import Connection
from zhiji.types import Recipe


async def insert(connection: Connection, end: TurnEnd) -> None:
    """Recipe and reply of an answered turn are stored."""
    await connection.execute(
        """INSERT INTO zhiji_requests (owner, session, turn, id, recipe, reply)
        SELECT owner, session, number, request, %s, %s FROM zhiji_turns WHERE owner = zhiji_owner() AND id = %s""",
        (recipe_text(end.recipe), reply_text(end.reply), end.turn_id),
    )


async def load_recipe(connection: Connection, request_id: str) -> Recipe | None:
    """See ``Store.load_recipe``."""
    found = await connection.execute(
        "SELECT recipe FROM zhiji_requests WHERE owner = zhiji_owner() AND id = %s", (request_id,)
    )
    row = await found.fetchone()
    return None if row is None else read_recipe(row[0])


async def recalled_in(connection: Connection, session_id: str, first_turn: int, last_turn: int) -> list[str]:
    """See ``Store.recalled_in``."""
    rows = await connection.execute(
        """SELECT recipe FROM zhiji_requests
        WHERE owner = zhiji_owner() AND session = %s AND turn BETWEEN %s AND %s ORDER BY turn""",
        (session_id, first_turn, last_turn),
    )
    recipes = [read_recipe(row[0]) for row in await rows.fetchall()]
    return list(dict.fromkeys(id for recipe in recipes for id in recipe.memories))


async def journal_start(connection: Connection, turn_id: str, key: str, tool: str) -> JournalEntry | None:
    """See ``Store.journal_start``."""
    running = await connection.execute(
        "SELECT 1 FROM zhiji_turns WHERE owner = zhiji_owner() AND id = %s AND status = 'open'", (turn_id,)
    )
    former = await connection.execute(
        "SELECT tool, result, failed FROM zhiji_journal WHERE owner = zhiji_owner() AND turn = %s AND key = %s",
        (turn_id, key),
    )
    if await running.fetchone() is None:
        raise LeaseLost
    row = await former.fetchone()
    if row is not None:
        return JournalEntry(key=key, tool=row[0], result=row[1], failed=bool(row[2]))
    await connection.execute(
        "INSERT INTO zhiji_journal (owner, turn, key, tool) VALUES (zhiji_owner(), %s, %s, %s)", (turn_id, key, tool)
    )
    return None


async def journal_finish(connection: Connection, turn_id: str, key: str, result: str, failed: bool) -> None:
    """See ``Store.journal_finish``."""
    await connection.execute(
        """UPDATE zhiji_journal SET result = %s, failed = %s
        WHERE owner = zhiji_owner() AND turn = %s AND key = %s""",
        (result, int(failed), turn_id, key),
    )
