"""What a person or a program may ask of the fleet: each operation once, under the command line and the gateway alike.

An operation is a plain function `(here, asker, ...)`: it takes values, returns a value of a contract, and raises the product's own
refusals. The gateway's routes wrap it: they read the request, check the key's scopes, and answer in the language of the request. The
command line calls it in this process where it has the database, and else sends it to a gateway (`workers/cli/reach`): `operation` names
the call of `bullpen_client` with the same arguments, whose method and path are declared there.

| module | what |
|---|---|
| `base` | who asks, on which servers, and how an operation is declared |
| `lists`, `jobs`, `actions` | jobs to list and to read; what is said to them |
| `sessions` | conversations |
| `tickets` | the history of solved incidents |
| `fleet`, `quarantine` | roles, tools, purge; what could not be processed |
| `systems`, `own_checks` | systems that incidents are about, and what is looked up in them |
| `logs`, `metrics`, `sources`, `catalogue` | the users' data, and what is known of it |

The operations on keys are beside the keys: `workers/gateway/access/key_operations.py`.
"""
