"""What the steps of `analyze` do with tools, models and skills."""
