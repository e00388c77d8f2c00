"""Whose turn it is to let jobs of an owner run: who counts those that run and adds some to them has a lock until the commit, so that
nobody else counts in between. What a statement sees is from its beginning; so the lock is taken by a statement before it."""

from typing import LiteralString

OF_OWNERS: LiteralString = """
SELECT pg_advisory_xact_lock(823649210, turn)
  FROM (SELECT DISTINCT hashtext(owner) & 255 AS turn FROM unnest(%(owners)s::text[]) AS o(owner) ORDER BY turn) turns
"""
"""Locks of these owners, always in the same order. Owners share 256 locks, since Postgres has room for some thousand in all."""

OF_JOB: LiteralString = """
SELECT pg_advisory_xact_lock(823649210, hashtext(owner) & 255) FROM jobs WHERE id = %(job_id)s
"""
"""The lock of a job's owner."""

OF_WAITING: LiteralString = """
WITH RECURSIVE owners AS (
  (SELECT owner FROM jobs WHERE NOT admitted ORDER BY owner LIMIT 1)
  UNION ALL
  SELECT (SELECT owner FROM jobs WHERE NOT admitted AND owner > o.owner ORDER BY owner LIMIT 1) FROM owners o WHERE o.owner IS NOT NULL)
SELECT pg_advisory_xact_lock(823649210, turn)
  FROM (SELECT DISTINCT hashtext(owner) & 255 AS turn FROM owners WHERE owner IS NOT NULL ORDER BY turn) turns
"""
"""The locks of all owners who have waiting jobs."""
