"""How names in schemas are written: abbreviations, prefixes of tables, units behind a name."""

# ruff: noqa: E501 lists of words

from collections.abc import Sequence

from workers.engines.questions.units import units
from workers.engines.questions.words import key

ABBREVIATIONS: dict[str, str] = {
    "acct": "account", "accts": "account", "acc": "account", "amt": "amount", "appt": "appointment", "avg": "average", "bal": "balance",
    "cat": "category", "catg": "category", "cnt": "count", "cntry": "country", "cust": "customer", "ccy": "currency", "curr": "currency",
    "dept": "department", "desc": "description", "dest": "destination", "dob": "birth date", "doc": "document", "dt": "date", "dur": "duration",
    "emp": "employee", "est": "estimated", "exp": "expiry", "freq": "frequency", "fname": "first name", "lname": "last name", "hosp": "hospital",
    "img": "image", "ins": "insurance", "inv": "invoice", "lang": "language", "lat": "latitude", "lng": "longitude", "loc": "location", "lvl": "level",
    "max": "maximum", "med": "medication", "mfr": "manufacturer", "mgr": "manager", "min": "minimum", "msg": "message", "nm": "name",
    "no": "number", "num": "number", "org": "organization", "orig": "origin", "pat": "patient", "pct": "percentage", "perc": "percentage", "pmt": "payment",
    "prod": "product", "pwd": "password", "qtr": "quarter", "qty": "quantity", "ref": "reference", "reg": "registration", "rem": "remaining",
    "req": "request", "res": "result", "rev": "revenue", "sched": "scheduled", "src": "source", "stat": "status", "sub": "subscription",
    "sym": "symbol", "temp": "temperature", "tot": "total", "trans": "transaction", "txn": "transaction", "tx": "transaction", "typ": "type",
    "usr": "user", "val": "value", "vol": "volume", "wh": "warehouse", "wt": "weight", "yr": "year", "mth": "month", "hr": "hour", "ext": "extension",
    "spec": "specialty", "rx": "prescription", "dx": "diagnosis", "tkt": "ticket", "notif": "notification", "txt": "text", "pub": "publication",
    "descr": "description", "fst": "first", "frst": "first", "lst": "last", "fnm": "first name", "lnm": "last name", "cty": "city", "ctry": "country", "eml": "email",
    "cd": "code", "tp": "type", "sts": "status", "flg": "flag", "ind": "indicator", "itm": "item", "prc": "price", "unt": "unit", "grp": "group",
    "mtr": "meter", "cap": "capacity", "rpt": "report", "svc": "service", "srv": "service", "veh": "vehicle", "drv": "driver", "brnch": "branch",
    "bldg": "building", "flr": "floor", "tm": "time", "ttl": "total", "disc": "discount", "addr": "address", "tel": "phone", "mob": "mobile",
    "wk": "week", "pymt": "payment", "rcpt": "receipt", "ordr": "order", "opn": "open", "dlvr": "delivery", "dlv": "delivery", "shp": "ship",
    "crt": "created", "upd": "updated", "ctg": "category", "agr": "agreement", "maint": "maintenance", "cmpl": "complaint",
}  # fmt: skip
"""Words of names, and what they are short for."""

_TABLE_PREFIXES = frozenset({
    "t", "tb", "tbl", "tab", "dim", "fact", "fct", "f", "d", "stg", "ods", "dwd", "dws", "ads", "dm", "src", "raw", "v", "vw", "view", "mv", "base", "main",
})  # fmt: skip
"""First words of tables that say of what sort they are, not what they hold."""


def without_prefix(words: Sequence[str]) -> list[str]:
    """The words of a table's name without `tbl` or `dim`."""
    return list(words[1:]) if len(words) > 1 and words[0].lower() in _TABLE_PREFIXES else list(words)


def written_out(word: str, of: Sequence[str] = ()) -> list[str]:
    """The word of a column's name in full. `of`: the words of its table, which its first letters may stand for: `wh_name` of a warehouse."""
    lowered = word.lower()
    if lowered in ABBREVIATIONS:
        return ABBREVIATIONS[lowered].split()
    for own in of:
        if (
            lowered not in _PREPOSITIONS
            and 1 < len(lowered) < len(own) - 2
            and own[0] == lowered[0]
            and _is_within(lowered, own)
            and lowered not in units()
        ):
            return [own]
    return [word]


_PREPOSITIONS = frozenset({"as", "at", "by", "for", "id", "in", "is", "no", "of", "on", "to", "up"})
"""Short words of names that are no abbreviations: `applied_at` of applications."""


def _is_within(letters: str, word: str) -> bool:
    """Whether a word has the letters in this order."""
    rest = iter(word)
    return all(letter in rest for letter in letters)


def without_unit(words: Sequence[str], *, is_number: bool = False) -> list[str]:
    """The words of a column's name without the unit behind it. A unit of a single letter, such as seconds, is behind numbers only."""
    is_unit = len(words) > 1 and words[-1] in units() and (is_number or len(words[-1]) > 1)
    return list(words[:-1]) if is_unit else list(words)


def root(word: str) -> str:
    """What forms of a word share: `refunded`, `refunds` and `refunding`; `delivery` and `delivered`; `cancelled` and `canceled`.
    It is only compared, never shown."""
    made = _SPECIAL.get(word.lower()) or key(word)
    for ending in _ENDINGS:
        if made.endswith(ending) and len(made) - len(ending) >= _SHORTEST_ROOT:
            made = made[: -len(ending)]
            break
    if len(made) > _SHORTEST_ROOT and made[-1] == made[-2]:
        made = made[:-1]
    return made.rstrip("ey") if len(made) > _SHORTEST_ROOT else made


_SPECIAL = {
    "succeeded": "success", "succeed": "success", "succeeds": "success", "successful": "success", "successfully": "success", "paid": "pay",
    "unsuccessful": "failed", "failure": "failed", "failures": "failed", "canceled": "cancelled", "cancellation": "cancelled", "cancellations": "cancelled",
    "sold": "sell", "sent": "send", "lost": "lost", "won": "win", "finished": "completed", "done": "completed", "bought": "buy", "unread": "unread",
}  # fmt: skip
_ENDINGS = ("ations", "ation", "ingly", "ions", "ings", "ing", "ion", "ful", "ment", "ally", "ely", "ery", "ed", "al", "ly", "es")
_SHORTEST_ROOT = 4
