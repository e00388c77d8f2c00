"""What `analyze` adds to the fleet's language."""
