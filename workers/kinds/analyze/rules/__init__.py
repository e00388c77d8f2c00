"""The rules of `analyze`: pure functions of messages, procedures and results."""
