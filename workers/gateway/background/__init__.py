"""Long work that an operator asks the gateway for: begun at once, done in the background, looked at by its id."""

from workers.gateway.background.running import Operation, State, begin, read_operation, wait_for_end

__all__ = ["Operation", "State", "begin", "read_operation", "wait_for_end"]
