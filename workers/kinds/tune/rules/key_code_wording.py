"""Why a place in the code matters, in English and Chinese."""

from workers.engines.language import Lang

SENTENCES: dict[Lang, dict[str, str]] = {
    "en": {
        "rule": "It may lead to {titles}; no number says so yet.",
        "rule_measured": "It may lead to {titles}; no verdict on the run is traced to it.",
        "no_run": "No run was read, so the places are by what such code often leads to, and their shares are not known.",
        "not_traced": "No verdict on the run is traced to a line; the places are by what such code often leads to.",
        "no_script": "No script was read, so no line can be named.",
        "unreadable": "{name}: {problem}",
    },
    "zh": {
        "rule": "可能导致{titles}，目前还没有数据佐证。",
        "rule_measured": "可能导致{titles}，但运行数据中没有追溯到这里的结论。",
        "no_run": "没有读到运行数据：以下位置按此类代码的常见问题排序，所占时间未知。",
        "not_traced": "运行数据中的结论都没有追溯到具体行：以下位置按此类代码的常见问题排序。",
        "no_script": "没有读到脚本，无法指出具体行。",
        "unreadable": "{name}：{problem}",
    },
}
