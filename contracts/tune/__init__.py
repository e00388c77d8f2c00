"""What the kind `tune` adds to the language of the fleet."""
