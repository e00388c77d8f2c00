"""What the reviewer says, by language and rule."""

EN: dict[str, str] = {
    "no_verdict": "It names no finding that exists ({places}).",
    "no_figure": "It rests on no number.",
    "other_figure": "The figure `{name}` is not that of its findings.",
    "claim": "It claims {claim}, which none of its findings' figures says.",
    "not_spark": "It sets Spark settings for a job that does not run on Spark.",
    "version": "`{name}` does not exist in this version of Spark.",
    "setting_name": "`{name}` is no Spark setting.",
    "setting_unknown": "`{name}` is not among the settings that can be checked.",
    "setting_value": "`{value}` is no value for `{name}`.",
    "setting_was": "`{name}` was not `{value}` in this run.",
    "setting_already": "`{name}` is `{value}` already.",
    "diff": "Its diff does not apply to `{name}`.",
    "diff_breaks": "With its diff `{name}` is no Python any more.",
    "gain": "It promises {gain} where the problem takes {share} of the run.",
    "class": "A remedy of the kind `{kind}` does not answer a finding of the kind `{verdict}` here.",
    "duplicate": "{other} says the same.",
    "contradiction": "It contradicts {other}.",
    "not_excluded": "{other} solves the same problem in another way, and neither says that one of them is enough.",
}
ZH: dict[str, str] = {
    "no_verdict": "没有指向任何存在的发现（{places}）。",
    "no_figure": "没有任何数字作为依据。",
    "other_figure": "数字 `{name}` 与它依据的发现不符。",
    "claim": "它声称 {claim}，但依据的发现里没有这个数字。",
    "not_spark": "作业不在 Spark 上运行，却给出了 Spark 配置。",
    "version": "这个版本的 Spark 没有 `{name}`。",
    "setting_name": "`{name}` 不是 Spark 配置项。",
    "setting_unknown": "`{name}` 不在可以核对的配置项之内。",
    "setting_value": "`{value}` 不是 `{name}` 的合法取值。",
    "setting_was": "这次运行里 `{name}` 并不是 `{value}`。",
    "setting_already": "`{name}` 已经是 `{value}`。",
    "diff": "diff 无法应用到 `{name}`。",
    "diff_breaks": "应用 diff 之后，`{name}` 不再是合法的 Python。",
    "gain": "它承诺节省 {gain}，而该问题只占运行时间的 {share}。",
    "class": "`{kind}` 类的措施不能解决这里 `{verdict}` 类的发现。",
    "duplicate": "与 {other} 相同。",
    "contradiction": "与 {other} 矛盾。",
    "not_excluded": "{other} 用另一种办法解决同一个问题，而两者都没有说明只需其一。",
}
TEXTS: dict[str, dict[str, str]] = {"en": EN, "zh": ZH}
"""Language → rule → text."""
