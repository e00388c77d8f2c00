"""Replies to numbered questions, and alarms of metrics, whose meaning and cause are known."""
