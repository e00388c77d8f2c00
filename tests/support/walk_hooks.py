"""Hooks of schemathesis for sequences of requests (`SCHEMATHESIS_HOOKS`): what would keep a sequence from its second request is left out.

A random filter finds nothing in a list, a random `reply_to` is not allowed, and a request that begins with an id begins with one that is
nowhere. The other tests of the description try all of that; here an answer has to name something for the next request.
"""

from typing import Any

import schemathesis

LISTS = ("/v1/jobs", "/v1/sessions", "/v1/quarantine")
"""Walked without their filters."""
SUBMITTED = ("job", "priority")
"""Fields of a submission that anybody may fill in."""


@schemathesis.hook
def before_load_schema(_context: Any, schema: dict[str, Any]) -> None:
    """Change the description before requests are made of it."""
    paths = schema["paths"]
    for path in LISTS:
        paths[path]["get"]["parameters"] = []
    paths["/v1/jobs"]["post"]["parameters"] = []
    models = schema["components"]["schemas"]
    submission = models["Submission"]
    submission["properties"] = {name: submission["properties"][name] for name in SUBMITTED}
    choice = submission["properties"]["job"]
    choice["oneOf"] = [option for option in choice["oneOf"] if not _names_files(models[option["$ref"].rpartition("/")[2]])]
    choice.pop("discriminator", None)
    for path, operations in paths.items():
        for method, operation in operations.items():
            if method == "post" and "{" in path:  # a request with links is taken for one to begin with
                for response in operation["responses"].values():
                    response.pop("links", None)


def _names_files(request: dict[str, Any]) -> bool:
    return "bundle" in request["required"]
