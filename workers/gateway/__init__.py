"""The gateway: HTTP over the blackboard. Stateless: any number of processes serve the same fleet.

| module | does |
|---|---|
| `context` | what the routes of a process share |
| `access` | keys, browser logins, who calls and what they may |
| `problems` | errors as problem+json, with the next move |
| `feed` | wakes readers of a job when it changed: one LISTEN connection a process |
| `routes` | the routes of `/v1`, a module for each resource |
| `app` | puts them together |
"""
