"""What a person's reply says of the items that were asked."""

from workers.kinds.diagnose.rules.answers.corrections import corrected, named_in_words, withdrawn, wrong_numbers
from workers.kinds.diagnose.rules.answers.grammar import is_plain, read_answer

__all__ = ["corrected", "is_plain", "named_in_words", "read_answer", "withdrawn", "wrong_numbers"]
