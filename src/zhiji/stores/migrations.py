"""What a migration is, and which are missing. The lists, and how a step is taken, are each database's own ``schema``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from zhiji.errors import SchemaTooNew, SchemaTooOld


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from version ``version - 1``. Released ones never change; a new one is appended."""

    version: int
    title: str
    """What it does, in one sentence for operators."""
    script: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What bringing a database up to date takes."""

    present: int
    """Version of its tables; 0: there are none."""
    target: int
    steps: Sequence[Migration]
    """Missing ones, in order."""


def plan(present: int, migrations: Sequence[Migration]) -> Plan:
    """Return the steps that a database with tables of version ``present`` lacks.

    Raises:
        SchemaTooNew: a newer zhiji wrote it.
    """
    if present > len(migrations):
        raise SchemaTooNew
    return Plan(present=present, target=len(migrations), steps=migrations[present:])


def require_current(found: Plan) -> None:
    """Nothing is missing.

    Raises:
        SchemaTooOld: something is.
    """
    if found.steps:
        raise SchemaTooOld
