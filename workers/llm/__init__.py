"""Calls of models: a question gives a validated contract and its cost; a text gives a vector. Importing this loads no model or client.

The names below are loaded when they are first used: a command that only registers prompts does not load the code for chats.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workers.llm.client import Answer, ChatClient
    from workers.llm.embedder import Embedder
    from workers.llm.embeddings import load_embedder
    from workers.llm.models import ForStep, Models
    from workers.llm.prompts import add_prompts, fenced, render_prompt
    from workers.llm.scripted import ScriptedChat

__all__ = [
    "Answer",
    "ChatClient",
    "Embedder",
    "ForStep",
    "Models",
    "ScriptedChat",
    "add_prompts",
    "fenced",
    "load_embedder",
    "render_prompt",
]

_MODULES = {
    "client": ("Answer", "ChatClient"),
    "embedder": ("Embedder",),
    "embeddings": ("load_embedder",),
    "models": ("ForStep", "Models"),
    "prompts": ("add_prompts", "fenced", "render_prompt"),
    "scripted": ("ScriptedChat",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import the module of a name on its first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
