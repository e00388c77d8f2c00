"""What the review says of a set: defects caught by a counterexample, and right statements that it blocks."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.sql_review import Severity, SqlReview
from tests.evals.sql_review.cases import Case
from workers.engines.sql.review import review
from workers.engines.sql.sandbox import open_sandbox


@dataclass
class Score:
    """Of one set."""

    caught: list[str] = field(default_factory=list[str])
    missed: list[str] = field(default_factory=list[str])
    blocked: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Right statements with the defects that they are said to have."""
    families: Counter[str] = field(default_factory=Counter[str])
    right: int = 0
    seconds: float = 0.0
    """Of CPU."""

    @property
    def share(self) -> float:
        """Of the defects that are caught."""
        return len(self.caught) / max(1, len(self.caught) + len(self.missed))

    def text(self) -> str:
        """The figures with what is behind them."""
        lines = [
            f"caught {len(self.caught)} of {len(self.caught) + len(self.missed)} ({self.share:.2f}), "
            f"falsely blocked {len(self.blocked)} of {self.right}, CPU {self.seconds:.0f} s"
        ]
        missed = Counter(case.rpartition("-")[2] for case in self.missed)
        lines += [f"  {family}: {self.families[family] - missed[family]} of {self.families[family]}" for family in sorted(self.families)]
        lines += [f"  missed {case}" for case in self.missed]
        lines += [f"  blocked {case}: {', '.join(defects)}" for case, defects in self.blocked.items()]
        return "\n".join(lines)


def reviewed(case: Case) -> SqlReview:
    """The review of a case, with everything that is known of it."""
    with open_sandbox() as sandbox:
        return review(case.sql, case.tables, "postgres", sandbox, target=case.target, requirement=case.requirement)


def measured(cases: Sequence[Case]) -> Score:
    """A defect is caught when a counterexample is shown for something that the right statement is not blocked for."""
    score, started = Score(), time.process_time()
    of_right: dict[str, set[str]] = {}
    for case in cases:
        found = {
            finding.defect.value for finding in reviewed(case).findings if finding.severity is Severity.BLOCKER and finding.counterexample
        }
        if not case.family:
            score.right += 1
            of_right[case.id] = found
            if found:
                score.blocked[case.id] = sorted(found)
            continue
        score.families[case.family] += 1
        (score.caught if found - of_right[case.right] else score.missed).append(case.id)
    score.seconds = time.process_time() - started
    return score
