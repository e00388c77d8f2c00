"""Questions that a skill guides: its procedure step by step, or its text."""
