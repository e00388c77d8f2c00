"""The functions that a query may call. An allow-list: what is not in it is refused, also a function of the user's own.

A function belongs here when its result depends on its arguments (and the day) alone, when it reads no table, file, setting or
account, and when it costs about what its arguments cost. Functions that make long texts are checked for their length, as far as it can be
read: a user learns at once what the engine would refuse. What holds in every case is the child process (`workers.engines.embedded`), or the
server's own limits.
"""

import re

from sqlglot import exp

from contracts.sources import SourceKind
from contracts.statements import Join, Name, Statement, count, listing, say
from workers.sources.schema import nearest

MADE_MAX = 10_000
"""Characters or rows that a function may make out of nothing (`repeat`, `lpad`, `generate_series`); given as a plain number."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_AGGREGATES = _words("""
    any_value approx_count_distinct approx_distinct approx_quantile arbitrary arg_max arg_min argmax argmin array_agg avg bit_and
    bit_or bit_xor bool_and bool_or corr count count_if countif covar_pop covar_samp entropy every first first_value geometric_mean
    group_concat grouping histogram json_agg json_group_array json_group_object json_object_agg jsonb_agg jsonb_object_agg
    json_arrayagg json_objectagg kurtosis last last_value list listagg logical_and logical_or mad max max_by median min min_by mode
    nth_value percentile_cont percentile_disc product quantile quantile_cont quantile_disc regr_avgx regr_avgy regr_count
    regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy skewness std stddev stddev_pop stddev_samp string_agg sum total
    uniq uniq_exact var_pop var_samp variance variance_pop quantileexact sumif avgif xor favg fsum
""")

_WINDOWS = _words("cume_dist dense_rank lag lead ntile percent_rank rank row_number")

_CONDITIONS = _words("""
    case if iff ifnull iif coalesce nullif nvl nvl2 greatest least and or xor not isnull exists cast try_cast convert typeof is_nan
    isnan is_inf isinf isfinite decode columns
""")

_NUMBERS = _words("""
    abs acos acosh asin asinh atan atan2 atanh cbrt ceil ceiling cos cosh cot degrees div exp factorial floor gcd lcm ln log log10
    log2 mod pi pow power radians round scale sign sin sinh sqrt square tan tanh trunc truncate width_bucket safe_divide int_div
    even fdiv bit_count bit_length conv bin hex unhex to_hex is_finite try_divide
""")

_TEXTS = _words("""
    ascii btrim char char_length character_length chr concat concat_ws contains edit_distance elt ends_with field find_in_set format
    format_number hamming hash initcap instr jaccard jaro_similarity jaro_winkler_similarity lcase left length len levenshtein
    locate lower lpad ltrim md5 mid octet_length overlay position prefix printf quote_literal regexp_count regexp_extract
    regexp_extract_all regexp_full_match regexp_i_like regexp_ilike regexp_instr regexp_like regexp_match regexp_matches
    regexp_replace regexp_split regexp_split_to_array regexp_substr repeat replace reverse right rlike rpad rtrim sha sha1 sha2
    sha256 soundex space split split_part starts_with str_position str_split string_split string_split_regex string_to_array
    strip_accents strpos substr substring substring_index suffix to_char to_number translate trim ucase unicode upper unaccent
    similar glob like ilike str_to_map to_utf8 nfc_normalize
""")

_TIMES = _words("""
    add_months addtime age century current_date current_time current_timestamp curdate curtime date date_add date_bin date_diff
    date_format date_from_parts date_part date_sub date_trunc dateadd datediff datepart datesub datetime datetime_add datetime_diff
    datetime_sub datetime_trunc day day_of_month day_of_week day_of_week_iso day_of_year dayname dayofmonth dayofweek dayofweek_iso
    dayofyear epoch epoch_ms extract from_days from_unixtime getdate hour isodow isoyear julian julianday last_day localtime
    localtimestamp make_date make_interval make_time make_timestamp makedate maketime microsecond millisecond minute month monthname
    months_between now parse_date quarter sec_to_time second str_to_date str_to_time str_to_unix strftime strptime subtime time
    time_add time_bucket time_diff time_format time_from_parts time_str_to_date time_str_to_time time_str_to_unix time_sub
    time_to_sec time_to_str time_to_time_str time_to_unix time_trunc timediff timestamp timestamp_add timestamp_diff
    timestamp_from_parts timestamp_sub timestamp_trunc timestampadd timestampdiff timezone to_date to_days to_seconds to_timestamp
    today try_strptime ts_or_ds_add ts_or_ds_diff ts_or_ds_to_date ts_or_ds_to_date_str ts_or_ds_to_datetime ts_or_ds_to_time
    ts_or_ds_to_timestamp unix_date unix_seconds unix_timestamp unix_to_str unix_to_time unix_to_time_str unixepoch utc_date
    utc_time utc_timestamp week week_of_year weekday weekofyear year yearofweek yearofweekiso year_of_week year_of_week_iso yearweek
    from_iso8601_date from_iso8601_timestamp current_datetime at_timezone to_start_of_month tostartofmonth tostartofday
    tostartofweek tostartofyear tostartofhour toyyyymm todate todatetime totimestamp toyear tomonth tohour todayofweek
    date_str_to_date date_to_date_str date_to_di di_to_date justify_days justify_hours justify_interval to_years to_months to_weeks
    to_hours to_minutes interval_day_time
""")

_NESTED = _words("""
    array array_append array_cat array_concat array_contains array_contains_all array_distinct array_has array_intersect array_join
    array_length array_overlaps array_position array_remove array_reverse array_size array_slice array_sort array_sum
    array_to_string array_upper array_lower array_unique_agg cardinality element_at explode filter flatten json_array
    json_array_contains json_array_elements json_array_elements_text json_array_length json_each json_extract json_extract_array
    json_extract_path json_extract_path_text json_extract_scalar json_extract_string json_keys json_length json_object json_query
    json_type json_typeof json_unquote json_valid json_value jsonb_array_elements jsonb_array_elements_text jsonb_array_length
    jsonb_each jsonb_each_text jsonb_extract jsonb_extract_path jsonb_extract_path_text jsonb_extract_scalar jsonb_object_keys
    jsonb_typeof jsonb_exists jsonb_contains json_object_keys list_aggregate list_concat list_contains list_distinct list_filter
    list_has list_sort list_transform list_value map map_contains_key map_from_entries map_keys map_values row sort_array struct
    struct_extract struct_pack to_json to_jsonb transform unnest arrayjoin parse_json apply list_sum list_avg list_max list_min
    explode_outer posexplode
""")

_ROWS = _words("generate_series exploding_generate_series generate_date_array generate_timestamp_array range sequence")

ALLOWED = _AGGREGATES | _WINDOWS | _CONDITIONS | _NUMBERS | _TEXTS | _TIMES | _NESTED | _ROWS
"""In lower case, as the engines and as the parser name them."""

FROM_ALLOWED = _words("unnest generate_series range json_each json_array_elements json_array_elements_text jsonb_array_elements "
    "jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys json_object_keys explode regexp_split_to_table")  # fmt: skip
"""Of them, those that may be in the place of a table: they read nothing but their arguments."""

_MAKERS: dict[str, int] = {"repeat": 1, "lpad": 1, "rpad": 1, "pad": 1, "space": 0}
"""Functions that make a text as long as an argument says, with the place of that argument."""


_WIDE = re.compile(r"[%{][^a-zA-Z]*(\*|\d{5})")


def names_of(node: exp.Func) -> set[str]:
    """All names of a function, in lower case."""
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return {str(node.name).lower()}
    return {name.lower() for name in type(node).sql_names()}


def why_not(node: exp.Func, kind: SourceKind) -> Statement | None:
    """Why a function may not be called; None: it may."""
    names = names_of(node)
    if not names & ALLOWED:
        unknown = sorted(names)[0]
        like = nearest(unknown, {allowed: allowed for allowed in ALLOWED})
        if like:
            known = listing(*(Name(text=text) for text in like), join=Join.PLAIN)
            return say("refused.source.function_like", function=Name(text=unknown), like=known)
        return say("refused.source.function", function=Name(text=unknown))
    return _why_too_long(node, names) or _why_too_many(node, names, kind) or _why_too_wide(node, names)


def _why_too_long(node: exp.Func, names: set[str]) -> Statement | None:
    maker = _maker(names)
    if maker is None:
        return None
    length = _made(node)
    if length is None or length > MADE_MAX:
        return say("refused.source.made_length", function=Name(text=maker), most=count(MADE_MAX, exact=True))
    return None


def _maker(names: set[str]) -> str | None:
    return next((name for name in names if name in _MAKERS), None)


def _made(node: exp.Expr) -> float | None:
    """Characters that a part makes out of nothing, with those of the parts within it; None: a number in it is not plain."""
    if isinstance(node, exp.Literal):
        return max(1, len(node.this)) if node.is_string else 1
    maker = _maker(names_of(node)) if isinstance(node, exp.Func) else None
    if maker is None:
        made = [_made(child) for child in node.iter_expressions()]
        return None if None in made else max(1, sum(length or 0 for length in made))
    arguments, place = _arguments(node), _MAKERS[maker]
    times = _number(arguments[place]) if len(arguments) > place else None
    if maker != "repeat" or times is None:
        return times
    text = _made(arguments[0])
    return None if text is None else times * text


def _why_too_wide(node: exp.Func, names: set[str]) -> Statement | None:
    """`printf('%999999999d', 1)` makes a gigabyte."""
    if not names & {"printf", "format"}:
        return None
    pattern = next(iter(_arguments(node)), None)
    if not isinstance(pattern, exp.Literal) or _WIDE.search(pattern.this):
        return say("refused.source.wide_pattern")
    return None


def _why_too_many(node: exp.Func, names: set[str], kind: SourceKind) -> Statement | None:
    if not names & _ROWS:
        return None
    numbers = [_number(argument) for argument in _arguments(node)]
    if any(number is not None and abs(number) > 100 * MADE_MAX for number in numbers):
        return say("refused.source.series_rows", kind=Name(text=kind), most=count(100 * MADE_MAX, exact=True))
    return None


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    """In the order in which they are written."""
    if isinstance(node, exp.Anonymous):
        return [argument for argument in node.expressions if isinstance(argument, exp.Expr)]
    return list(node.iter_expressions())


def _number(node: exp.Expr) -> float | None:
    if isinstance(node, exp.Neg):
        inner = _number(node.this)
        return None if inner is None else -inner
    if isinstance(node, exp.Literal) and not node.is_string:
        try:
            return float(node.this)
        except ValueError:
            return None
    return None
