"""Logs: a Loki server or a folder of JSON lines. `Logs.search` is the one way to run a query on one."""

from workers.engines.catalogue import LOCALE
from workers.logs.registry import add_log, get_log, list_logs, remove_log
from workers.logs.searching import Logs, Window
from workers.saying import add_catalogue

add_catalogue(LOCALE)  # what is wrong with a query is said in the libraries' texts

__all__ = ["Logs", "Window", "add_log", "get_log", "list_logs", "remove_log"]
