"""Where searches find the words and vectors of experience: one text for each language of a piece."""

from workers.retrieval.words import Corpus

EXPERIENCE = Corpus(kind="experience", table="experience", key="experience_id || '/' || language")
