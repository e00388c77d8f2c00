"""What each artefact of a SCOPE job is called, and what it holds."""

from enum import StrEnum

from contracts.statements import Statement, say_member


class ScopeKind(StrEnum):
    """The kinds of artefact that a SCOPE or U-SQL job leaves behind."""

    SCRIPT = "scope_script"
    JOB_STATISTICS = "scope_job_statistics"
    RUNTIME_STATISTICS = "scope_runtime_statistics"
    JOB_INFO = "scope_job_info"
    ALGEBRA = "scope_algebra"
    VERTEX_DEFINITION = "scope_vertex_definition"
    ERROR = "scope_error"
    WARNINGS = "scope_warnings"
    DIAGNOSTICS = "scope_diagnostics"
    DATA_FLOW = "scope_data_flow"
    COMPILE_OUTPUT = "scope_compile_output"
    COMPILER_TIMERS = "scope_compiler_timers"
    GENERATED_CODE = "scope_generated_code"
    STREAM_INFO = "scope_stream_info"
    PROFILE = "scope_profile"
    INTERNAL_INFO = "scope_internal_info"
    COMMAND_LINE = "scope_command_line"


DESCRIPTIONS: dict[str, Statement] = {kind.value: say_member("scope.description", kind) for kind in ScopeKind}
"""By kind. A sentence or two; the recommender shows it."""

NAMES: dict[str, Statement] = {kind.value: say_member("scope.kind", kind) for kind in ScopeKind}
"""By kind: what it is called within a sentence."""
