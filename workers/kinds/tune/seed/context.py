"""The `seed` profile's context for choosing files: what is known, which files suit the type of problem, and three points to check."""

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
