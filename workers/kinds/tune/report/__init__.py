"""The parts of a tuning report as blocks of a document: what to do, what was found, and what it rests on."""
