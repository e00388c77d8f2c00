"""`python -m workers.local.model`: fetch the model and its server, then serve it."""

import argparse
import sys
from pathlib import Path

from workers.errors import BullpenError
from workers.local.model.fetching import FILE, fetch_model, install_server
from workers.local.model.serving import PORT, serve_model
from workers.settings import load_settings


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m workers.local.model", description=__doc__)
    parser.add_argument("--folder", type=Path, help="where the model's file is kept; default: in the data folder of `bullpen up`")
    parser.add_argument("--fetch-only", action="store_true", help="do not serve")
    parser.add_argument("--serve-only", action="store_true", help="fetch and install nothing")
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--threads", type=int, default=1)
    chosen = parser.parse_args()
    try:
        folder: Path = chosen.folder or load_settings().data_dir / "model"
        path = folder / FILE
        if not chosen.serve_only:
            print(f"The model's file (1.1 GB) is kept in {folder}.", flush=True)  # noqa: T201  the program's own output
            path = fetch_model(folder)
            install_server()
        if not chosen.fetch_only:
            serve_model(path, port=chosen.port, threads=chosen.threads)
    except BullpenError as error:
        print(f"Error: {error}", file=sys.stderr)  # noqa: T201  the program's own output
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
