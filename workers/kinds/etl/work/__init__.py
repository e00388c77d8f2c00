"""What the roles of `etl` do with the catalogue, the sources and the sandbox."""
