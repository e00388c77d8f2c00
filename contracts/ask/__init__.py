"""What `ask` adds to the fleet's language."""
