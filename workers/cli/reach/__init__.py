"""How commands reach a fleet: through the database and broker of this machine, or through a gateway (`BULLPEN_URL`).

`doing.do` does an operation of `workers.operations` either way; a command prints the same. Beside it is only what is no single request:

| module | what |
|---|---|
| `remote` | the gateway, its errors as ours |
| `jobs`, `lists` | submitting and following a job; short readings of one; lists of them |
| `files` | files of requests and imports, rows of results |
| `talks` | what an owner has of their own |
| `quarantine` | a bulk replay at a rate |
| `tickets` | importing tickets, and reading them by a model |
"""
