"""What the kind `diagnose` adds to the language of the fleet."""
