"""Checks of systems: a shipped library of what can be looked up in a server's own statistics, run read-only on its source."""

from pathlib import Path

from workers.saying import add_catalogue

LOCALE = Path(__file__).with_name("locale")

add_catalogue(LOCALE)
