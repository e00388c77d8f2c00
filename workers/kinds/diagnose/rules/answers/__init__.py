"""What a person's reply says of the items that were asked."""

from workers.kinds.diagnose.rules.answers.corrections import corrected, names_numbers, withdrawn
from workers.kinds.diagnose.rules.answers.grammar import is_plain, read_answer

__all__ = ["corrected", "is_plain", "names_numbers", "read_answer", "withdrawn"]
