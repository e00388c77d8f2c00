"""English words of questions: what they do, and the forms in which they are the same word."""

import re
from functools import cache

_IRREGULAR = {
    "people": "person", "persons": "person", "men": "man", "women": "woman", "children": "child", "data": "data", "statuses": "status",
    "series": "series", "species": "species", "has": "has", "is": "is", "was": "was", "this": "this", "its": "its", "gpa": "gpa",
    "num": "number", "no": "no", "nr": "number", "qty": "quantity", "amt": "amount", "avg": "average", "desc": "description",
    "cust": "customer", "addr": "address", "tel": "phone", "dept": "department", "prod": "product", "cat": "category", "ids": "id",
    "identifier": "id", "identifiers": "id", "surname": "lastname", "surnames": "lastname", "names": "name", "bus": "bus", "gas": "gas",
    "lens": "lens", "analyses": "analysis", "indices": "index", "leaves": "leave", "movies": "movie", "cookies": "cookie",
}  # fmt: skip

_VERBS = {
    "sold": "sale", "sell": "sale", "selling": "sale", "hired": "hire", "fired": "termination", "terminated": "termination",
    "paid": "payment", "paying": "payment", "published": "publication", "publish": "publication", "joined": "join",
    "graduated": "graduation", "graduate": "graduation", "admitted": "admit", "born": "birth", "shipped": "ship", "delivered": "delivery",
    "died": "death", "wrote": "write", "written": "write", "writing": "write", "taught": "teach", "taken": "take", "took": "take",
    "enrolled": "enrolled", "rated": "rating", "priced": "price", "costs": "cost", "populated": "population", "populous": "population",
    "reviewed": "review", "invoiced": "invoice", "traded": "trade", "returned": "return", "refunded": "refund", "purchased": "purchase",
    "bought": "purchase", "borders": "border", "bordering": "border", "cited": "citation", "cites": "cite", "citing": "cite",
    "flows": "traverse", "expires": "expiry", "expired": "expiry",
}  # fmt: skip
"""Verbs, and the noun that columns and tables are named by."""

SYNONYMS: dict[str, tuple[str, ...]] = {
    "client": ("customer",), "buyer": ("customer",), "salespeople": ("salesperson",), "seller": ("salesperson", "vendor"),
    "employee": ("staff", "worker"), "staff": ("employee",), "firm": ("company",), "company": ("organization",), "cuisine": ("food",),
    "telephone": ("phone",), "mail": ("email",), "zip": ("zip_code", "postcode"), "lecturer": ("instructor", "teacher"),
    "professor": ("instructor", "teacher"), "teacher": ("instructor",), "paper": ("publication", "article"), "article": ("publication",),
    "organisation": ("organization",), "colour": ("color",), "item": ("product",), "brand": ("make",), "manufacturer": ("make",),
    "supplier": ("vendor",), "vendor": ("supplier",), "movie": ("film",), "film": ("movie",), "pupil": ("student",), "class": ("course",),
    "salary": ("wage",), "altitude": ("elevation",), "height": ("altitude", "elevation"), "elevation": ("altitude",), "score": ("rating",),
    "area": ("size",), "writer": ("author",), "signup": ("signed_up",), "stock": ("inventory",), "price": ("cost",),
}  # fmt: skip
"""Words that may stand for another where the schema lacks the first."""

NEUTRAL = frozenset(
    """a an the of in on at for from to into onto with within there do does did be been being am is are was were it they them we us i you
    me my our your their his her its he she that who whom which what these those this all any some every please can could would should
    have has had having made make makes making done exist exists located living live lives belong belongs belonging appear appears
    occur occurred happened happen placed place serve serves serving served using used use offer offered offers offering associated found
    overall in-total currently also then so and as such where when while ; : . ? ! ' s result results database dataset entry entries row rows record
    records both respective respectively according based per only just by detail value values existing available
    come comes came work works working give given gets get got were'nt name's called there's shown total together were let let's know
    take takes taken took taking teach teaches taught earn earned receive received gotten getting want like need much tell recorded registered listed across among every regarding concerning about different""".split()
)
"""Words that change nothing once everything else is placed."""

COMMON = frozenset(
    """id name date time price cost amount status type code number count total city state country address phone email zip postal currency
    symbol exchange open close high low volume source active join start end first last daily weekly monthly birth hire order product customer user
    account payment method rate tax fee commission share quantity unit year month day is has ticker transaction settlement created updated
    category title description region area length size weight height score rank level department employee manager student course""".split()
)
"""Words of which names without separators are made: `joindate`, `tickerid`."""


@cache
def key(word: str) -> str:
    """The word without its plural, the same for all forms of a noun."""
    lowered = word.lower().removesuffix("'s").removesuffix("’s").strip("'’")
    if lowered in _IRREGULAR:
        return _IRREGULAR[lowered]
    if len(lowered) > 4 and lowered.endswith("ies"):
        return lowered[:-3] + "y"
    if len(lowered) > 4 and re.search(r"(?:s|x|z|ch|sh)es$", lowered):
        stem = lowered[:-2]
        return stem if re.search(r"(?:ss|us|x|zz|ch|sh)$", stem) else lowered[:-1]
    if len(lowered) > 2 and lowered.endswith("s") and not re.search(r"(?:ss|us|is)$", lowered):
        return lowered[:-1]
    return lowered


def other_keys(word: str) -> tuple[str, ...]:
    """Keys that the word may stand for as well: the noun of a verb, synonyms."""
    lowered = word.lower()
    found = [*((_VERBS[lowered],) if lowered in _VERBS else ()), *SYNONYMS.get(key(word), ())]
    if len(lowered) > 5 and lowered.endswith("ed"):
        found += [lowered[:-1], lowered[:-2]]
    if len(lowered) > 6 and lowered.endswith("ing"):
        found += [lowered[:-3], f"{lowered[:-3]}e"]
    return tuple(dict.fromkeys(found))


def split_name(name: str) -> list[str]:
    """The words in an identifier: `snapshot_date`, `saleDate`, `sale-date`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [word for word in re.split(r"[^A-Za-z0-9\u3400-\u9fff]+", spaced.replace("_", " ")) if word]
