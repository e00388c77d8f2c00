"""Sessions: the memory of a conversation, and what a message to it is."""

from workers.sessions.keeping import clear_session, compress_session, read_memory
from workers.sessions.messages import send_message

__all__ = ["clear_session", "compress_session", "read_memory", "send_message"]
