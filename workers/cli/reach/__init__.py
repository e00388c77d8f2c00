"""How commands reach a fleet: through the database and broker of this machine, or through a gateway (`BULLPEN_URL`).

Each function here is one thing that a command wants to know or to do, with both ways beside each other. What it returns is the same value
either way, so a command prints the same. `remote.gateway()` says which way it is.

| module | what |
|---|---|
| `remote` | the gateway, its errors as ours |
| `jobs`, `actions` | jobs to read; what is said to them |
| `files` | files of requests, rows of results |
| `talks` | conversations |
| `fleet`, `quarantine` | roles, keys, purge; what could not be processed |
| `tickets` | the history of solved incidents |
| `sources`, `catalogue`, `logs` | the users' data |
"""
