"""The values that components exchange: pydantic models without I/O. This package imports no other package of Bullpen."""
