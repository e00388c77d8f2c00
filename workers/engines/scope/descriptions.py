"""What each artefact of a SCOPE job is called, and what it holds."""

from contracts.statements import Statement, say

DESCRIPTIONS: dict[str, Statement] = {
    "scope_script": say("scope.description.scope_script"),
    "scope_job_statistics": say("scope.description.scope_job_statistics"),
    "scope_runtime_statistics": say("scope.description.scope_runtime_statistics"),
    "scope_job_info": say("scope.description.scope_job_info"),
    "scope_algebra": say("scope.description.scope_algebra"),
    "scope_vertex_definition": say("scope.description.scope_vertex_definition"),
    "scope_error": say("scope.description.scope_error"),
    "scope_warnings": say("scope.description.scope_warnings"),
    "scope_diagnostics": say("scope.description.scope_diagnostics"),
    "scope_data_flow": say("scope.description.scope_data_flow"),
    "scope_compile_output": say("scope.description.scope_compile_output"),
    "scope_compiler_timers": say("scope.description.scope_compiler_timers"),
    "scope_generated_code": say("scope.description.scope_generated_code"),
    "scope_stream_info": say("scope.description.scope_stream_info"),
    "scope_profile": say("scope.description.scope_profile"),
    "scope_internal_info": say("scope.description.scope_internal_info"),
    "scope_command_line": say("scope.description.scope_command_line"),
}
"""By kind. A sentence or two; the recommender shows it."""

NAMES: dict[str, Statement] = {
    "scope_script": say("scope.kind.scope_script"),
    "scope_job_statistics": say("scope.kind.scope_job_statistics"),
    "scope_runtime_statistics": say("scope.kind.scope_runtime_statistics"),
    "scope_job_info": say("scope.kind.scope_job_info"),
    "scope_algebra": say("scope.kind.scope_algebra"),
    "scope_vertex_definition": say("scope.kind.scope_vertex_definition"),
    "scope_error": say("scope.kind.scope_error"),
    "scope_warnings": say("scope.kind.scope_warnings"),
    "scope_diagnostics": say("scope.kind.scope_diagnostics"),
    "scope_data_flow": say("scope.kind.scope_data_flow"),
    "scope_compile_output": say("scope.kind.scope_compile_output"),
    "scope_compiler_timers": say("scope.kind.scope_compiler_timers"),
    "scope_generated_code": say("scope.kind.scope_generated_code"),
    "scope_stream_info": say("scope.kind.scope_stream_info"),
    "scope_profile": say("scope.kind.scope_profile"),
    "scope_internal_info": say("scope.kind.scope_internal_info"),
    "scope_command_line": say("scope.kind.scope_command_line"),
}
"""By kind: what it is called within a sentence."""
