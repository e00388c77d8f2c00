"""The read side: what a job and the fleet look like, as typed values. The shells (terminal, HTTP, MCP) show them.

Nothing here prints, speaks a language, or changes anything. Each module holds one kind of value and the query that makes it;
no query scans a large table (`tests/bench/reading.py` measures them on 100,000 jobs).

| module | value |
|---|---|
| `jobs`, `lists`, `names` | a job's row; pages of jobs; ids as people type them |
| `facts` | everything about a job at one revision: stages, steps, questions, result, costs |
| `steps`, `stages`, `deliverables`, `questions`, `requests`, `decisions`, `costs` | its parts |
| `events`, `follow` | what happened after a revision, and what happens from now on |
| `words` | states and events as statements, which are in no language yet |
| `waiting` | what a job waits for |
| `fleet` | queues, leases, paused roles, quarantine |
"""
