"""Alerts of monitoring become jobs."""
