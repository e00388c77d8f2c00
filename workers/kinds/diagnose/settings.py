"""Settings of `diagnose`."""

from pydantic import Field

from contracts.diagnose.request import DiagnosisMethod
from workers.settings import FromEnvironment


class DiagnoseSettings(FromEnvironment):
    """How a deployment diagnoses if a job does not specify it."""

    diagnose_method: DiagnosisMethod = Field(
        default=DiagnosisMethod.DIFFERENTIAL,
        description="How `diagnose` reasons when a job does not say: `differential`, `gar`, `rar` or `hybrid`.",
    )
    rar_rerank: bool = Field(
        default=False,
        description="Whether a model orders the retrieved tickets before RAR reads the best of them: one more call each turn.",
    )
