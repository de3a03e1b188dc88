"""Searching one owner's memories in PostgreSQL: filter, both arms, their ranking and the hits' rows, in one statement.

Nothing is kept between searches, so a change shows at once in every process. The statement is put together from the parts
that a query needs, and planned once per connection, in a way that suits every owner (``_PLAN``). Scores are
those of ``scoring``, whose constants stand in the statement; they are rounded, because the order of the server's
additions is not fixed. An arm that is off is a table without rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from zhiji.errors import DimensionMismatch
from zhiji.scoring import COSINE_DECIMALS, K1, KEYWORD_DECIMALS, UNSEEN_ROWS, B
from zhiji.stores.base import Filter, Hit, Query
from zhiji.stores.instants import micros
from zhiji.stores.postgres.connection import Connection
from zhiji.stores.postgres.vectors import DIMENSION, HalfVector
from zhiji.stores.rows import FIELDS, memory_of

_PLAN = """SELECT set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true),
  set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)"""
"""For this transaction. Planning a search takes as long as a small owner's search, so its plan is kept, whoever was first:
an owner's rows are read by their index, though another owner may have nearly all there are. How many rows an owner has is not in the server's statistics, which may not even be there yet: it
would take two lists of thousands for lists of one, and compare each row of one with each of the other. Before PostgreSQL
18 the loops that are left make a plan look so dear that it would be compiled, which takes longer than to run it."""

_LENGTH = "number, length"
_PLACE = """number, length, episode_session AS session, episode_speaker AS speaker,
    hashtext(episode_session)::bigint + episode_seq AS place"""
"""``place`` stands for session and message, because it is compared faster; whoever joins by it compares the session, too."""
_ADMITTED = """admitted AS MATERIALIZED (
  SELECT {columns} FROM zhiji_memories WHERE owner = zhiji_owner() AND status = ANY(%(statuses)s)
    AND (expires IS NULL OR expires > %(now)s)"""
_OF_TYPES = " AND type = ANY(%(types)s)"
_AS_OF = " AND valid_from <= %(as_of)s AND (valid_to IS NULL OR valid_to > %(as_of)s)"

_OWN = f"""size AS MATERIALIZED (
  SELECT count(*) AS rows, greatest(sum(length)::float8 / count(*), 1) AS average FROM admitted),
listed AS MATERIALIZED (
  SELECT asked.nth, t.memory AS number, t.tf
  FROM unnest(%(terms)s::text[]) WITH ORDINALITY AS asked (term, nth)
  CROSS JOIN LATERAL (
    SELECT memory, tf FROM zhiji_terms WHERE owner = zhiji_owner() AND term = asked.term OFFSET 0) AS t),
posted AS MATERIALIZED (
  SELECT nth, number, tf, length FROM listed JOIN admitted USING (number)),
having_it AS (SELECT nth, count(*)::float8 AS rows FROM posted GROUP BY nth),
gains AS MATERIALIZED (
  SELECT array_agg(gain ORDER BY nth) AS by_term, sum(gain) AS ideal FROM (
    SELECT nth, weight * ln(
      1 + ({UNSEEN_ROWS} + size.rows - coalesce(h.rows, 0) + 0.5) / (coalesce(h.rows, 0) + 0.5)) AS gain
    FROM unnest(%(weights)s::float8[]) WITH ORDINALITY AS asked (weight, nth)
    CROSS JOIN size LEFT JOIN having_it h USING (nth)) AS each_term),
own AS MATERIALIZED (
  SELECT number, sum((SELECT by_term FROM gains)[nth] * {K1 + 1}
    * (tf / (tf + {K1} * (1 - {B} + {B} * (length / (SELECT average FROM size)))))) AS score
  FROM posted GROUP BY number)"""
_ALONE = "scored AS (SELECT number, score FROM own)"
_NEIGHBOUR = """SELECT a.number, %(window)s::float8 * said.score FROM admitted a JOIN said
    ON said.place = a.place {side} AND said.session = a.session AND said.speaker <> a.speaker"""
_WITH_NEIGHBOURS = f"""said AS MATERIALIZED (
  SELECT * FROM (
    SELECT DISTINCT ON (place, session) place, session, speaker, score
    FROM admitted LEFT JOIN own USING (number) WHERE session IS NOT NULL
    ORDER BY place, session, number DESC) AS last WHERE score > 0),
scored AS (
  SELECT number, sum(score) AS score FROM (
    SELECT number, score FROM own
    UNION ALL {_NEIGHBOUR.format(side="- 1")}
    UNION ALL {_NEIGHBOUR.format(side="+ 1")}) AS parts GROUP BY number)"""
_KEYWORD = f"""keyword AS (
  SELECT number, round(score / (SELECT ideal FROM gains) * 1e{KEYWORD_DECIMALS}) / 1e{KEYWORD_DECIMALS} AS share
  FROM scored WHERE score > 0)"""
_NO_KEYWORD = "keyword AS (SELECT 0::bigint AS number, 0::float8 AS share WHERE false)"

_VECTOR = f"""vector AS (
  SELECT memory AS number,
    round(least(greatest(- (data <#> %(vector)s::halfvec), -1), 1) * 1e{COSINE_DECIMALS}) / 1e{COSINE_DECIMALS} AS cosine
  FROM zhiji_vectors
  WHERE owner = zhiji_owner() AND model = %(model)s AND dim = %(dim)s AND data IS NOT NULL)"""
_NO_VECTOR = "vector AS (SELECT 0::bigint AS number, 0::float8 AS cosine WHERE false)"

_HITS = f"""found AS MATERIALIZED (
  SELECT number, share, cosine FROM admitted LEFT JOIN keyword USING (number) LEFT JOIN vector USING (number)),
best AS MATERIALIZED (
  (SELECT * FROM found WHERE share IS NOT NULL
   ORDER BY share DESC, cosine DESC NULLS LAST, number DESC LIMIT %(limit)s)
  UNION
  (SELECT * FROM found WHERE cosine IS NOT NULL
   ORDER BY cosine DESC, share DESC NULLS LAST, number DESC LIMIT %(limit)s))
SELECT coalesce(share, 0), cosine, {", ".join(f"m.{name}" for name in FIELDS)}
FROM best JOIN zhiji_memories m ON m.number = best.number
WHERE m.owner = zhiji_owner() AND m.number = ANY(ARRAY(SELECT number FROM best))
ORDER BY coalesce(share, 0) DESC, cosine DESC NULLS LAST, m.number DESC"""


async def search(connection: Connection, query: Query) -> list[Hit]:
    """See ``Store.search``."""
    dimension = await connection.execute(DIMENSION, (query.model,))
    await connection.execute(_PLAN)
    rows = await connection.execute(statement(query), parameters(query), prepare=True)
    stored = await dimension.fetchone()
    if query.vector is not None and stored is not None and stored[0] != len(query.vector):
        raise DimensionMismatch(stored=stored[0], given=len(query.vector))
    return [Hit(memory=memory_of(row[2:]), keyword=row[0], cosine=row[1]) for row in await rows.fetchall()]


def statement(query: Query) -> str:
    """Return the statement that answers ``query``; it names what ``parameters`` gives."""
    return "WITH " + ",\n".join(_parts(query))


def _parts(query: Query) -> Iterator[str]:
    is_wide = bool(query.terms and query.window)
    yield _ADMITTED.format(columns=_PLACE if is_wide else _LENGTH) + _conditions(query.filter) + ")"
    if query.terms:
        yield _OWN
        yield _WITH_NEIGHBOURS if is_wide else _ALONE
    yield _KEYWORD if query.terms else _NO_KEYWORD
    yield _VECTOR if query.vector is not None else _NO_VECTOR
    yield _HITS


def _conditions(wanted: Filter) -> str:
    return _OF_TYPES * (wanted.types is not None) + _AS_OF * (wanted.as_of is not None)


def parameters(query: Query) -> dict[str, object]:
    """Return the values of the statement's parameters; those that it does not name do no harm."""
    vector, types = query.vector, query.filter.types
    return {
        "statuses": [status.value for status in query.filter.statuses],
        "now": micros(query.filter.now),
        "types": None if types is None else list(types),
        "as_of": micros(query.filter.as_of),
        "terms": list(query.terms),
        "weights": [float(weight) for weight in query.terms.values()],
        "window": query.window,
        "vector": None if vector is None else HalfVector.of(vector),
        "model": query.model,
        "dim": None if vector is None else len(vector),
        "limit": query.limit,
    }
