"""The tables, on a page, and the ordered list of migrations that makes them.

Every table is named ``zhiji_*``; every key and join starts with ``owner``, the number that stands for a scope and is
never reused, so that nothing of one owner slows down or leaks to another. Tables that are read by range are clustered
by owner (``WITHOUT ROWID``). Times are integer microseconds since 1970 UTC; documents are JSON with a version ``v``.
The few indexes that do not start with ``owner`` serve upkeep, which looks for what is due whoever owns it.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from zhiji.stores.migrations import Migration, Plan, plan, require_current
from zhiji.stores.sqlite import beats, memories, uses
from zhiji.stores.sqlite.connection import transaction, translated

META = """
CREATE TABLE IF NOT EXISTS zhiji_meta (
  name TEXT NOT NULL PRIMARY KEY,  -- schema_version; digest_key: secret of this file's keyed hashes, hex
  value TEXT NOT NULL
) WITHOUT ROWID;
"""

TABLES = """
CREATE TABLE zhiji_owners (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  user TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 0,  -- raised by every change of the owner's memories: caches compare it
  UNIQUE (tenant, user)
);

CREATE TABLE zhiji_sessions (
  owner INTEGER NOT NULL REFERENCES zhiji_owners (id),
  id TEXT NOT NULL,
  created INTEGER NOT NULL,
  touched INTEGER NOT NULL,
  tie INTEGER NOT NULL,                -- order of the sessions touched in the same microsecond
  expires INTEGER,
  ended INTEGER,                       -- not null: its status is ended
  state_version INTEGER NOT NULL,
  state TEXT NOT NULL,
  summary_upto INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  resumed_from TEXT,
  extracted_upto INTEGER NOT NULL,
  open_turn INTEGER,                   -- number of the turn that is open, if any
  holder TEXT,                         -- who leased it, until when
  lease_until INTEGER,
  PRIMARY KEY (owner, id)
) WITHOUT ROWID;
CREATE INDEX zhiji_sessions_touched ON zhiji_sessions (owner, touched, tie);
CREATE INDEX zhiji_sessions_expires ON zhiji_sessions (expires) WHERE ended IS NULL AND expires IS NOT NULL;
CREATE INDEX zhiji_sessions_forms ON zhiji_sessions (touched)
  WHERE ended IS NOT NULL AND json_extract(state, '$.slots') <> '{}';
CREATE INDEX zhiji_sessions_ended ON zhiji_sessions (ended) WHERE ended IS NOT NULL;
CREATE INDEX zhiji_sessions_holder ON zhiji_sessions (holder) WHERE holder IS NOT NULL;

CREATE TABLE zhiji_summaries (         -- the present summary of a session and its former ones
  owner INTEGER NOT NULL,
  session TEXT NOT NULL,
  upto INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (owner, session, upto),
  FOREIGN KEY (owner, session) REFERENCES zhiji_sessions (owner, id)
) WITHOUT ROWID;

CREATE TABLE zhiji_turns (
  owner INTEGER NOT NULL,
  session TEXT NOT NULL,
  number INTEGER NOT NULL,
  status TEXT NOT NULL,                -- open, closed, failed
  first_seq INTEGER NOT NULL,
  time INTEGER,                        -- when it was opened, then when it was answered
  id TEXT,                             -- null: happened elsewhere, or a failed attempt that was opened again
  request TEXT,
  key TEXT,                            -- idempotency key
  digest TEXT,
  error TEXT,
  PRIMARY KEY (owner, session, number),
  FOREIGN KEY (owner, session) REFERENCES zhiji_sessions (owner, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX zhiji_turns_id ON zhiji_turns (owner, id) WHERE id IS NOT NULL;
CREATE UNIQUE INDEX zhiji_turns_key ON zhiji_turns (owner, key) WHERE key IS NOT NULL;

CREATE TABLE zhiji_messages (
  owner INTEGER NOT NULL,
  session TEXT NOT NULL,
  seq INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  time INTEGER NOT NULL,
  name TEXT,
  calls TEXT,
  call_id TEXT,
  tokens INTEGER NOT NULL,
  orphan INTEGER NOT NULL,
  PRIMARY KEY (owner, session, seq),
  FOREIGN KEY (owner, session) REFERENCES zhiji_sessions (owner, id)
) WITHOUT ROWID;

CREATE TABLE zhiji_requests (          -- what a finished turn was made of, and what it answered
  owner INTEGER NOT NULL,
  session TEXT NOT NULL,
  turn INTEGER NOT NULL,
  id TEXT NOT NULL,
  recipe TEXT NOT NULL,
  reply TEXT NOT NULL,
  FOREIGN KEY (owner, session) REFERENCES zhiji_sessions (owner, id)
);
CREATE UNIQUE INDEX zhiji_requests_id ON zhiji_requests (owner, id);
CREATE INDEX zhiji_requests_turn ON zhiji_requests (owner, session, turn);

CREATE TABLE zhiji_journal (           -- write calls of tools
  owner INTEGER NOT NULL REFERENCES zhiji_owners (id),
  turn TEXT NOT NULL,
  key TEXT NOT NULL,
  tool TEXT NOT NULL,
  result TEXT,                         -- null while the outcome is unknown
  failed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, turn, key)
) WITHOUT ROWID;

CREATE TABLE zhiji_extractions (       -- outcomes of extraction passes
  seq INTEGER PRIMARY KEY,
  owner INTEGER NOT NULL,
  session TEXT NOT NULL,
  time INTEGER NOT NULL,
  outcome TEXT NOT NULL,               -- the whole value, JSON
  FOREIGN KEY (owner, session) REFERENCES zhiji_sessions (owner, id)
);
CREATE INDEX zhiji_extractions_session ON zhiji_extractions (owner, session, seq);
CREATE INDEX zhiji_extractions_owner ON zhiji_extractions (owner, seq);

CREATE TABLE zhiji_jobs (
  seq INTEGER PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES zhiji_owners (id),
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  status TEXT NOT NULL,
  due INTEGER,                         -- pending: run_at; running: end of the lease; else null
  attempts INTEGER NOT NULL DEFAULT 0,
  run_at INTEGER NOT NULL,
  created INTEGER NOT NULL,
  finished INTEGER,
  holder TEXT,
  error TEXT NOT NULL DEFAULT '',
  UNIQUE (owner, id)
);
CREATE INDEX zhiji_jobs_due ON zhiji_jobs (due) WHERE due IS NOT NULL;
CREATE INDEX zhiji_jobs_owner_due ON zhiji_jobs (owner, due) WHERE due IS NOT NULL;
CREATE INDEX zhiji_jobs_subject ON zhiji_jobs (owner, subject, kind);
CREATE UNIQUE INDEX zhiji_jobs_pending ON zhiji_jobs (owner, kind, subject) WHERE status = 'pending';
CREATE UNIQUE INDEX zhiji_jobs_running ON zhiji_jobs (owner, kind, subject) WHERE status = 'running';
"""


JOBS_OF_ALL = """
CREATE UNIQUE INDEX zhiji_jobs_id ON zhiji_jobs (id);  -- an operator names a job, not its owner
CREATE INDEX zhiji_jobs_dead ON zhiji_jobs (seq) WHERE status = 'dead';  -- and asks which are dead
"""

TENANTS_OF_JOBS = """
ALTER TABLE zhiji_jobs ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
UPDATE zhiji_jobs SET tenant = (SELECT tenant FROM zhiji_owners WHERE id = owner);
CREATE INDEX zhiji_jobs_tenant ON zhiji_jobs (tenant, owner) WHERE due IS NOT NULL;
CREATE INDEX zhiji_jobs_tenant_due ON zhiji_jobs (tenant, due) WHERE due IS NOT NULL;
"""

MIGRATIONS: Sequence[Migration] = (
    Migration(1, "Make the tables of sessions, memories and jobs.", TABLES + memories.TABLES),
    Migration(2, "Keep signs of life of workers; find a job by its id alone.", beats.TABLES + JOBS_OF_ALL),
    Migration(3, "Count what is limited; let tenants take turns at jobs.", uses.TABLES + TENANTS_OF_JOBS),
    Migration(4, "Find the memories whose time is over, whoever owns them.", memories.DEADLINES),
)
"""Every step, in order, without gaps."""


def prepare(
    connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS, *, migrate: bool = True
) -> None:
    """The file is in WAL mode and has the tables of the last migration. Several processes may call it at once.

    Raises:
        SchemaTooNew: a newer zhiji wrote it. SchemaTooOld: an older one did, and ``migrate`` is off. Nothing was changed.
    """
    found = plan(_version(connection), migrations)
    if not migrate:
        require_current(found)
    connection.execute("PRAGMA journal_mode = WAL")
    with transaction(connection, "IMMEDIATE"):
        for migration in plan(_version(connection), migrations).steps:  # another process may have been faster
            _apply(connection, migration)
    _try_writing(connection)


def missing(path: str | Path) -> Plan:
    """Return what opening the file at ``path`` would do to its tables. Nothing is changed; no file is made.

    Raises:
        SchemaTooNew: a newer zhiji wrote it. StoreError: its leaves, for what SQLite says.
    """
    if not Path(path).exists():
        return plan(0, MIGRATIONS)
    name = f"{Path(path).absolute().as_uri()}?mode=rw"  # "ro" leaves the log's files behind
    with translated(), closing(sqlite3.connect(name, uri=True)) as connection:
        return plan(_version(connection), MIGRATIONS)


def _try_writing(connection: sqlite3.Connection) -> None:
    # SQLite opens a read-only file without a word; better to fail now than at somebody's first message.
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute("UPDATE zhiji_meta SET value = value")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _version(connection: sqlite3.Connection) -> int:
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'zhiji_meta'").fetchone()
    if known is None:
        return 0
    return int(connection.execute("SELECT value FROM zhiji_meta WHERE name = 'schema_version'").fetchone()[0])


def digest_key(connection: sqlite3.Connection) -> bytes:
    """Return the secret of this file's keyed hashes."""
    row = connection.execute("SELECT value FROM zhiji_meta WHERE name = 'digest_key'").fetchone()
    return bytes.fromhex(row[0])


def _apply(connection: sqlite3.Connection, migration: Migration) -> None:
    for statement in statements(META + migration.script):
        connection.execute(statement)
    values = [("schema_version", str(migration.version)), ("digest_key", secrets.token_hex(32))]
    connection.executemany("INSERT OR IGNORE INTO zhiji_meta (name, value) VALUES (?, ?)", values)
    connection.execute("UPDATE zhiji_meta SET value = ? WHERE name = 'schema_version'", (str(migration.version),))


def statements(script: str) -> Iterator[str]:
    """Yield the statements of a script. (``executescript`` would commit the migration's transaction.)"""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
