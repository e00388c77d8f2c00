"""Terms and design documents of network optimisation: reading them from Markdown or JSON lines, and finding the right ones."""

from workers.engines.network.knowledge.finding import Knowledge, find_documents, find_terms
from workers.engines.network.knowledge.reading import Entry, read_folder, read_references

__all__ = ["Entry", "Knowledge", "find_documents", "find_terms", "read_folder", "read_references"]
