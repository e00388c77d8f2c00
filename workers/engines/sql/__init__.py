"""SQL: statements, and the operations in them."""
