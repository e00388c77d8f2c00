"""What a database says of a statement that it refuses: the kind of error, the names it speaks of, and the place."""

from workers.engines.sql.errors.proposals import in_order_of_likeness
from workers.engines.sql.errors.reading import read_error

__all__ = ("in_order_of_likeness", "read_error")
