"""What the roles of `etl` decide, as plain functions."""
