"""A client of a Bullpen gateway: typed, synchronous and asynchronous, over httpx2.

```python
from bullpen_client import Client

with Client("http://127.0.0.1:8420", key="bp_...") as fleet:
    job = fleet.submit({"kind": "diagnose", "description": "replication lag grows every night"})
    for event in fleet.events(job.job_id, until="question"):
        print(event.kind, event.stage)
    print(fleet.report(job.job_id))
```

It needs httpx2 and pydantic, and imports nothing of the fleet. README.md in this folder shows the rest.
"""

from bullpen_client.async_client import AsyncClient
from bullpen_client.call import Call
from bullpen_client.client import Client
from bullpen_client.errors import (
    Conflict,
    GatewayError,
    GatewayFailed,
    InvalidRequest,
    NotAllowed,
    NotFound,
    NotSignedIn,
    TooManyRequests,
    Unavailable,
    Unreachable,
)
from bullpen_client.events import Event

__all__ = [
    "AsyncClient",
    "Call",
    "Client",
    "Conflict",
    "Event",
    "GatewayError",
    "GatewayFailed",
    "InvalidRequest",
    "NotAllowed",
    "NotFound",
    "NotSignedIn",
    "TooManyRequests",
    "Unavailable",
    "Unreachable",
]
