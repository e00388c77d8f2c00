"""Base of the embedded servers: one owner, one data folder, one loopback port, a start and a stop."""

import atexit
import os
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from workers.local.errors import ServerStartFailed
from workers.local.orphans import stop_orphan
from workers.local.process import Child, FolderLock, free_port, port_is_free
from workers.loggers import get_logger

log = get_logger(__name__)


class EmbeddedServer(ABC):
    """A server on 127.0.0.1 that lives as long as its owner. Its data folder lives longer."""

    name: ClassVar[str]
    programs: ClassVar[tuple[str, ...]]
    """Possible file names of its program."""
    stop_signal: ClassVar[signal.Signals]

    def __init__(
        self,
        data_dir: Path | str,
        *,
        port: int | None = None,
        durable: bool = True,
        options: Mapping[str, str] | None = None,
        start_timeout_s: float = 60.0,
    ) -> None:
        """Nothing is written before `start`.

        Without `port`, a free port is picked; later starts on the same folder keep it unless another process took it.
        `durable=False` trades safety for speed and is meant for tests. `options` are settings of the server, and
        override ours.
        """
        self.data_dir = Path(data_dir).absolute()
        self.store = self.data_dir / "data"
        self.log_path = self.data_dir / "server.log"
        self.durable = durable
        self.options = dict(options or {})
        self._wanted_port = port
        self._port = port
        self._start_timeout_s = start_timeout_s
        self._lock = FolderLock(self.data_dir)
        self._child: Child | None = None
        self._owner_pid = 0

    @property
    @abstractmethod
    def url(self) -> str:
        """The URL for clients. Raises `ServerStartFailed` before the first start."""

    @property
    def port(self) -> int:
        """The port of 127.0.0.1 on which it listens. Raises `ServerStartFailed` before the first start."""
        if self._port is None:
            raise ServerStartFailed(f"{self.name} has no port yet. Call start() first.")
        return self._port

    @property
    def running(self) -> bool:
        """Whether the server's process is alive."""
        return self._child is not None and self._child.running

    @property
    def pid(self) -> int | None:
        """Process id of the server. None if it was not started, or was stopped."""
        return self._child.pid if self._child else None

    def start(self) -> None:
        """Start the server and return when it answers. Does nothing if it runs; after a crash it starts again on the same data.

        Call this from the main thread. Raises `DataFolderInUse`, `BinariesMissing` or `ServerStartFailed`.
        """
        if self.running:
            return
        self.stop()
        self._child = None  # a forked copy of this object does not own the server
        began = time.monotonic()
        self._owner_pid = os.getpid()
        try:
            self.data_dir.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            stop_orphan(self.data_dir / "server.pid", self.programs, self.store, self.stop_signal)
            self._prepare()
            self._launch(deadline=began + self._start_timeout_s)
        except OSError as error:
            self.stop()
            raise ServerStartFailed(
                f"{self.name} cannot use its data folder {self.data_dir}: {error}. Run Bullpen as the user that owns "
                "it (as root if root ran it before), or choose another data folder."
            ) from error
        except BaseException:
            self.stop()
            raise
        atexit.register(self.stop)
        log.info(
            "server_started",
            server=self.name,
            pid=self.pid,
            port=self.port,
            duration_s=round(time.monotonic() - began, 3),
        )

    def stop(self) -> None:
        """Stop the server in order and release the folder. Safe to call again. Does nothing in a forked child."""
        if os.getpid() != self._owner_pid:
            return
        if self._child is not None:
            crashed = not self._child.running
            self._child.stop()
            (self.data_dir / "server.pid").unlink(missing_ok=True)
            log.info("server_stopped", server=self.name, pid=self._child.pid, crashed=crashed)
            self._child = None
        self._lock.release()
        atexit.unregister(self.stop)

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Stop."""
        self.stop()

    @abstractmethod
    def _prepare(self) -> None:
        """Prepare the data folder for a start. Runs under the folder's lock."""

    @abstractmethod
    def _spawn(self, port: int) -> Child:
        """Start the server's process."""

    @abstractmethod
    def _why_not_ready(self) -> str | None:
        """None when our own server answers, not another that took its port. Else the reason."""

    def _launch(self, deadline: float) -> None:
        """Start the server. If another process took the picked port in between, start again on another port."""
        while True:
            port = self._wanted_port or self._port or self._port_of_last_run() or free_port()
            if self._wanted_port and not port_is_free(port):
                raise ServerStartFailed(
                    f"Port {port} of 127.0.0.1, configured for {self.name}, is in use. Stop the process that listens there, or "
                    "leave out the port to use a free port."
                )
            self._port = port
            self._child = self._spawn(port)
            (self.data_dir / "server.pid").write_text(f"{self._child.pid}\n")
            try:
                self._child.wait_ready(self._why_not_ready, deadline - time.monotonic())
            except ServerStartFailed as failure:
                if time.monotonic() > deadline or not self._may_retry(failure):
                    raise
                log.warning("server_start_retried", server=self.name, port=port)
            else:
                self._keep_port(port)
                return

    def _port_of_last_run(self) -> int | None:
        """The port that the server of this folder had, so that programs find it again. None if it is not free."""
        try:
            port = int((self.data_dir / "port").read_text())
        except (OSError, ValueError):
            return None
        if 0 < port < 65_536 and port_is_free(port):
            return port
        log.warning("port_in_use", server=self.name, port=port, next_move="Programs that connect must use the new port.")
        return None

    def _keep_port(self, port: int) -> None:
        if self._wanted_port is None:
            (self.data_dir / "port").write_text(f"{port}\n")

    def _may_retry(self, failure: ServerStartFailed) -> bool:
        """Whether a failed start may succeed on a second try."""
        del failure
        if self._wanted_port or self._port is None or port_is_free(self._port):
            return False
        self._port = None
        return True
