"""A made-up wholesaler's handbook, and what is asked of it."""
