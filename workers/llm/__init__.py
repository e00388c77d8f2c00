"""A question in, a contract and its cost out; a text in, a vector out. Importing this loads no model and no client of one."""

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
