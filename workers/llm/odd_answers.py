"""Answers of servers that follow the OpenAI protocol loosely, made such that LangChain reads them. Loaded with the first call of a model.

Choices without an index or a role, null content, counts that are texts or missing, an error in an answer of status 200, and the answer
in the place of the reasoning: what they mean is plain, and the client would end at them.
"""

# LangChain's models have no types:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from typing import Any

from langchain_openai import ChatOpenAI

from workers.llm.replies import REASONING

_REASONING_FIELDS = ("reasoning_content", "reasoning")
_COUNTS = ("prompt_tokens", "completion_tokens")
_BROKEN_OFF = frozenset({"error", "network_error", "insufficient_system_resource", "abort"})
"""What servers call the end of an answer that the model did not end: what there is of it is no answer."""


class ErrorInAnswer(Exception):
    """An answer of status 200 that holds an error."""

    def __init__(self, body: Any) -> None:
        super().__init__("an error in an answer")
        self.body = body


class InPieces(Exception):
    """A stream of events in the place of the answer that was asked for whole."""


class NoChoices(Exception):
    """An answer of status 200 in the protocol's form that holds no choice."""


class LooseChatOpenAI(ChatOpenAI):
    """LangChain's client, which reads such answers too."""

    def _create_chat_result(self, response: Any, generation_info: Any = None) -> Any:
        whole = response if isinstance(response, dict) else response.model_dump(warnings=False) if hasattr(response, "model_dump") else None
        if isinstance(response, str) and response.lstrip().startswith("data:"):
            raise InPieces
        if not isinstance(whole, dict):
            raise TypeError("the answer is not a JSON object")
        if whole.get("error"):
            raise ErrorInAnswer(whole["error"])
        choices = [choice for choice in whole.get("choices") or () if isinstance(choice, dict)]
        if not choices:
            raise NoChoices if isinstance(whole.get("choices"), list) else ValueError("an answer without choices")
        _check_ended(choices[0])
        messages = [{"role": "assistant", **_known(choice.get("message"))} for choice in choices]
        tidy = [{**choice, "message": message} for choice, message in zip(choices, messages, strict=True)]
        result = super()._create_chat_result({**whole, "choices": tidy, "usage": _usage(whole.get("usage"))}, generation_info)
        for generation, message in zip(result.generations, messages, strict=True):
            generation.message.additional_kwargs["refusal"] = message.get("refusal")
            generation.message.additional_kwargs[REASONING] = _reasoning(message)
        return result

    def _convert_chunk_to_generation_chunk(self, chunk: Any, default_chunk_class: Any, base_generation_info: Any) -> Any:
        if chunk.get("error"):
            raise ErrorInAnswer(chunk["error"])
        choices = [{**choice, "delta": _known(choice.get("delta"))} for choice in chunk.get("choices") or () if isinstance(choice, dict)]
        if choices:
            _check_ended(choices[0])
        tidy = {**chunk, "choices": choices, "usage": _usage(chunk.get("usage"))}
        made = super()._convert_chunk_to_generation_chunk(tidy, default_chunk_class, base_generation_info)
        if made is not None and choices and (thought := _reasoning(choices[0]["delta"])):
            made.message.additional_kwargs[REASONING] = thought
        return made


def _check_ended(choice: dict[str, Any]) -> None:
    """Raises `ErrorInAnswer` for a choice that says that it failed, or was broken off."""
    reason = str(choice.get("finish_reason"))
    if error := choice.get("error") or (f"the answer was broken off ({reason})" if reason in _BROKEN_OFF else None):
        raise ErrorInAnswer(error)


def _known(part: Any) -> dict[str, Any]:
    """A message or a part of one without the fields that are null."""
    fields = part if isinstance(part, dict) else {}
    return {name: value for name, value in fields.items() if value is not None}


def _reasoning(message: dict[str, Any]) -> str:
    return next((message[field] for field in _REASONING_FIELDS if isinstance(message.get(field), str)), "")


def _usage(usage: Any) -> dict[str, Any] | None:
    """The counts that can be read. None: there are none."""
    if not isinstance(usage, dict):
        return None
    counts = {name: _count(usage.get(name)) for name in _COUNTS}
    if not any(counts.values()):
        return None
    details = {name: value for name, value in usage.items() if name.endswith("_details") and isinstance(value, dict)}
    return {**counts, "total_tokens": sum(counts.values()), **details}


def _count(value: Any) -> int:
    try:
        return max(0, int(value)) if not isinstance(value, bool) else 0
    except (TypeError, ValueError, OverflowError):
        return 0
