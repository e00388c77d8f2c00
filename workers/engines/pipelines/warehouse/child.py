"""The process in which statements run. It is started by path and imports nothing of ours: only the standard library and DuckDB.

A statement can take more memory than the engine's own limit: `repeat('x', 2000000000)` and `unnest(range(100000000))` allocate
beside it and cannot be interrupted while they do. So the operating system holds the limits here, and the parent ends the process
when an answer is late. Lines of JSON come in, a line of JSON goes out for each.
"""

import json
import resource
import sys
from decimal import Decimal
from threading import Timer
from typing import Any

Json = dict[str, Any]


def limit(memory_bytes: int, cpu_s: int) -> None:
    """No file may grow, no core is written, and memory and processor time are bounded."""
    for name, most in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, cpu_s),
    ):
        resource.setrlimit(name, (most, most))


def plain(cell: Any) -> Any:
    """A value as JSON; what JSON does not have is text."""
    if cell is None or isinstance(cell, bool | int | str):
        return cell
    if isinstance(cell, float):
        return cell if cell == cell and abs(cell) != float("inf") else str(cell)
    if isinstance(cell, Decimal):
        return f"{cell.normalize():f}"
    if isinstance(cell, bytes):
        return cell.hex()
    return str(cell)


def serve() -> None:
    """Answer until there are no more requests."""
    opening = json.loads(sys.stdin.readline())
    import duckdb  # before the limits: loading it maps more than it will use

    limit(opening["memory_bytes"], opening["cpu_s"])
    connection = duckdb.connect(":memory:", config=opening["config"])
    print(json.dumps({"engine": f"duckdb {duckdb.__version__}"}), flush=True)  # noqa: T201 the answer
    for line in sys.stdin:
        print(json.dumps(answered(connection, json.loads(line))), flush=True)  # noqa: T201 the answer


def answered(connection: Any, request: Json) -> Json:
    """What a request gives, or the engine's refusal."""
    timer = Timer(request["timeout_s"], connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        if request.get("rows") is not None:
            connection.executemany(request["sql"], request["rows"])
            return {"columns": [], "types": [], "rows": []}
        found = connection.execute(request["sql"])
        described: list[Any] = found.description or []
        rows: list[Any] = found.fetchmany(request["most"] + 1) if described else []
        return {
            "columns": [str(column[0]) for column in described],
            "types": [str(column[1]) for column in described],
            "rows": [[plain(cell) for cell in row] for row in rows[: request["most"]]],
            "is_cut": len(rows) > request["most"],
        }
    except MemoryError:
        return {"error": "MemoryError", "message": "It needs more memory than a trial may use."}
    except Exception as error:
        return {"error": type(error).__name__, "message": (str(error).strip().splitlines() or [""])[0][:500]}
    finally:
        timer.cancel()


if __name__ == "__main__":
    serve()
