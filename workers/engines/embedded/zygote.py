"""The process whose forks run statements: `python -m workers.engines.embedded.zygote FD`.

It has imported the engines and never opened one, because an engine's threads would not survive a fork. Everything goes through sockets:

- by the control socket FD comes one byte for each child that is wanted, with two sockets: the child's data socket, and its leash;
- the leash of a child stays here. When its other end is closed, or its owner has died, the child is killed; when the child has ended,
  its wait status is written to it;
- when the control socket is closed, all children are killed and this process ends.
"""

import gc
import os
import selectors
import signal
import socket
import struct
import sys
from contextlib import suppress
from importlib import import_module

STATUS = struct.Struct(">i")
"""The wait status of a child, as `os.waitpid` gives it."""


class Zygote:
    """Forks children and reaps them. One thread."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._leashes: dict[int, socket.socket] = {}
        self._ended, self._woken = socket.socketpair()
        for end in (self._ended, self._woken):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, _wake)
        signal.set_wakeup_fd(self._woken.fileno(), warn_on_full_buffer=False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._selector.register(self._ended, selectors.EVENT_READ)

    def serve(self) -> None:
        """Until the control socket is closed."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._control:
                    if not self._fork():
                        self._kill_all()
                        return
                elif key.fileobj is self._ended:
                    with suppress(BlockingIOError):
                        self._ended.recv(4096)
                    self._reap()
                else:
                    self._kill(int(key.data))

    def _fork(self) -> bool:
        """Whether the control socket is still open."""
        try:
            wanted, fds, _, _ = socket.recv_fds(self._control, 1, 2)
        except OSError:
            return False
        if not wanted or len(fds) != 2:
            return bool(wanted)
        data, leash = (socket.socket(fileno=fd) for fd in fds)
        pid = os.fork()
        if pid == 0:
            self._become_child(data, leash)
        data.close()
        self._leashes[pid] = leash
        self._selector.register(leash, selectors.EVENT_READ, pid)
        return True

    def _become_child(self, data: socket.socket, leash: socket.socket) -> None:
        """In the child: keep its data socket alone, and serve."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._selector.close()
            for other in (self._control, self._ended, self._woken, leash, *self._leashes.values()):
                other.close()
            from workers.engines.embedded.serving import serve

            serve(data)
            code = 0
        except BaseException:  # noqa: S110 the process ends here, and its status says how
            pass
        finally:
            os._exit(code)

    def _kill(self, pid: int) -> None:
        """Its leash was closed."""
        self._selector.unregister(self._leashes[pid])
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)  # not reaped yet, so the number is still the child's

    def _reap(self) -> None:
        while self._leashes:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            leash = self._leashes.pop(pid, None)
            if leash is not None:
                with suppress(KeyError):
                    self._selector.unregister(leash)
                with suppress(OSError):
                    leash.sendall(STATUS.pack(status))
                leash.close()

    def _kill_all(self) -> None:
        for pid in self._leashes:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _wake(number: int, frame: object) -> None:
    """The signal wakes the selector by the wakeup socket."""


def main() -> None:
    """Import what the children need, and serve."""
    for module in ("duckdb", "workers.engines.embedded.serving"):
        import_module(module)
    gc.collect()
    gc.freeze()  # a collection in a child would copy the pages of all objects
    Zygote(socket.socket(fileno=int(sys.argv[1]))).serve()


if __name__ == "__main__":
    main()
