"""What a database says of a statement that it refuses: the kind of error, the names it speaks of, the place, and what may be meant."""

from workers.engines.sql.errors.proposals import in_order_of_likeness, proposals_for, suggested
from workers.engines.sql.errors.reading import read_error

__all__ = ("in_order_of_likeness", "proposals_for", "read_error", "suggested")
