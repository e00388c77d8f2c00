"""How `etl` is measured."""
