"""How far two prompts are the same."""


def common_beginning(first: str, second: str) -> str:
    """The text with which both begin."""
    length = next((at for at, (left, right) in enumerate(zip(first, second, strict=False)) if left != right), min(len(first), len(second)))
    return first[:length]
