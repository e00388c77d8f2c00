"""The parts of the `seed` profile that need a person: the text by which files are chosen, and the history of what was read.

The product keeps its own history, so it only uses the profile's scores; the tests hold that the formulas fit the document's rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from contracts.tune.steps import InformationCheck
from workers.kinds.tune.seed.choosing import DescribedFile
from workers.kinds.tune.seed.feedback import judge

SUMMARY_CHARS = 100
NOTHING_READ = "尚未读取任何文件"

GUIDANCE: dict[str, str] = {
    "数据倾斜": "与数据处理、Join 操作相关的文件",
    "过多Shuffle": "与算子使用、数据流转相关的文件",
}
OTHER_GUIDANCE = "与问题描述相符的文件"

CHECK_POINTS = ("数据处理的核心逻辑是否在内？", "性能的关键路径是否在内？", "配置或参数是否在内？")

_TEMPLATE = """【问题背景】
问题类型：{problem_type}
用户输入：{user_input}

【目前的分析】
{analysis}

【选择文件】
优先选择：{guidance}

【检查要点】
{points}"""


def context_for_choosing(problem_type: str, user_input: str, analysis: str) -> str:
    """The text; the user's words are only ever put in as data."""
    return _TEMPLATE.format(
        problem_type=problem_type,
        user_input=user_input,
        analysis=analysis,
        guidance=GUIDANCE.get(problem_type, OTHER_GUIDANCE),
        points="\n".join(f"- {point}" for point in CHECK_POINTS),
    )


@dataclass(frozen=True, slots=True)
class FileRead:
    """An entry of the history."""

    name: str
    summary: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Feedback:
    """What came of reading a file."""

    history: tuple[FileRead, ...]
    analysis: str
    check: InformationCheck


def after_reading(
    history: Sequence[FileRead],
    file: FileRead,
    content: str,
    *,
    problem_type: str,
    analysis: str,
    files: Sequence[DescribedFile],
) -> Feedback:
    """The history and the analysis with this file in them, and what follows."""
    grown = (*history, file)
    text = f"{analysis}\n\n【{file.name}】\n{content}"
    return Feedback(grown, text, judge(problem_type, text, files, [file.name for file in grown], content))


def summary_of(content: str) -> str:
    """The first line that is not blank, cut to 100 characters; the document leaves open what a summary is."""
    line = next((line.strip() for line in content.splitlines() if line.strip()), "")
    return line[:SUMMARY_CHARS]


def reading_summary(history: Sequence[FileRead]) -> str:
    """What was read so far, a line each."""
    if not history:
        return NOTHING_READ
    return f"已读取{len(history)}个文件：\n" + "".join(f"- {file.name}: {file.summary}\n" for file in history)
