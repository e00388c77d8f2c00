"""The fleet's language: values two components agree on. Pydantic models, no I/O, nothing of ours imported."""
