"""The pointer that gives the keys of the network tools. It is light, since every step asks for it; the tools are loaded when called."""

from collections.abc import Iterator

from contracts.pointers import ServicePointer
from workers.tools.tool import ToolServices

SERVICE = "network"
"""The place of the service's pointer."""

KEYS = (
    "search_terminology", "search_design_doc", "match_scenario", "query_root_cause_analysis", "query_simulation_results",
    "compare_simulation_data", "get_network_rows", "find_drive_test_cause",
)  # fmt: skip


def network_pointers(_services: ToolServices, _owner: str) -> Iterator[ServicePointer]:
    """The service that every owner may use: networks belong to the deployment, not to an owner. A task's allow-list decides which of the
    tools it may call."""
    yield ServicePointer(
        place=SERVICE, line="network optimisation: terms, digital twins, root causes, simulation, drive tests", score=1.0, keys=KEYS
    )
