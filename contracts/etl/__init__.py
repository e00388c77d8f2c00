"""What the kind `etl` adds to the fleet's language."""
