"""The functions and aggregations of PromQL: what each takes, as letters, and what it gives.

`v` an instant vector, `m` a range vector, `s` a scalar, `t` a text. A `?` behind a letter: it may be left out; `*`: any number of it.
Of the reference of Prometheus 2 and 3; functions that a server offers behind a flag are left out.
"""

from workers.engines.promql.expressions import Type

LETTERS = {"v": Type.VECTOR, "m": Type.MATRIX, "s": Type.SCALAR, "t": Type.STRING}

_OF_VECTOR = (
    "abs absent acos acosh asin asinh atan atanh ceil cos cosh deg exp floor ln log10 log2 rad sgn sin sinh sort sort_desc sqrt tan tanh "
    "timestamp histogram_avg histogram_count histogram_sum histogram_stddev histogram_stdvar"
)
_OF_TIME = "day_of_month day_of_week day_of_year days_in_month hour minute month year"
_OF_RANGE = (
    "absent_over_time avg_over_time changes count_over_time delta deriv idelta increase irate last_over_time max_over_time min_over_time "
    "present_over_time rate resets stddev_over_time stdvar_over_time sum_over_time mad_over_time"
)
FUNCTIONS: dict[str, tuple[str, Type]] = {
    **dict.fromkeys(_OF_VECTOR.split(), ("v", Type.VECTOR)),
    **dict.fromkeys(_OF_TIME.split(), ("v?", Type.VECTOR)),
    **dict.fromkeys(_OF_RANGE.split(), ("m", Type.VECTOR)),
    "clamp": ("vss", Type.VECTOR),
    "clamp_max": ("vs", Type.VECTOR),
    "clamp_min": ("vs", Type.VECTOR),
    "histogram_fraction": ("ssv", Type.VECTOR),
    "histogram_quantile": ("sv", Type.VECTOR),
    "holt_winters": ("mss", Type.VECTOR),
    "double_exponential_smoothing": ("mss", Type.VECTOR),
    "label_join": ("vttt*", Type.VECTOR),
    "label_replace": ("vtttt", Type.VECTOR),
    "pi": ("", Type.SCALAR),
    "predict_linear": ("ms", Type.VECTOR),
    "quantile_over_time": ("sm", Type.VECTOR),
    "round": ("vs?", Type.VECTOR),
    "scalar": ("v", Type.SCALAR),
    "sort_by_label": ("vt*", Type.VECTOR),
    "sort_by_label_desc": ("vt*", Type.VECTOR),
    "time": ("", Type.SCALAR),
    "vector": ("s", Type.VECTOR),
}

AGGREGATIONS: dict[str, tuple[str, Type]] = {
    **dict.fromkeys(["avg", "count", "group", "max", "min", "stddev", "stdvar", "sum"], ("v", Type.VECTOR)),
    **dict.fromkeys(["bottomk", "topk", "quantile", "limitk", "limit_ratio"], ("sv", Type.VECTOR)),
    "count_values": ("tv", Type.VECTOR),
}


def takes(form: str, given: tuple[Type, ...]) -> bool:
    """Whether arguments of these types fit a form."""
    wanted = list[Type]()
    least, repeats = 0, False
    for letter in form:
        if letter in "?*":
            least -= 1
            repeats = letter == "*"
            continue
        wanted.append(LETTERS[letter])
        least += 1
    if len(given) < least or (len(given) > len(wanted) and not repeats):
        return False
    return all(kind is (wanted[at] if at < len(wanted) else wanted[-1]) for at, kind in enumerate(given))
