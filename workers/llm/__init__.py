"""Calls of models: a question gives a validated contract and its cost; a text gives a vector. Importing this loads no model or client."""

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
