"""English words that stand for others: verbs for the nouns by which schemas name things, and synonyms."""

# ruff: noqa: E501 lists of words

VERBS = {
    "sold": "sale", "sell": "sale", "selling": "sale", "hired": "hire", "fired": "termination", "terminated": "termination",
    "paid": "payment", "paying": "payment", "published": "publication", "publish": "publication", "joined": "join",
    "graduated": "graduation", "graduate": "graduation", "admitted": "admit", "born": "birth", "shipped": "ship", "delivered": "delivery",
    "died": "death", "wrote": "write", "written": "write", "writing": "write", "taught": "teach", "taken": "take", "took": "take",
    "enrolled": "enrolled", "rated": "rating", "priced": "price", "costs": "cost", "populated": "population", "populous": "population",
    "reviewed": "review", "invoiced": "invoice", "traded": "trade", "returned": "return", "refunded": "refund", "purchased": "purchase",
    "bought": "purchase", "borders": "border", "bordering": "border", "cited": "citation", "cites": "cite", "citing": "cite",
    "flows": "traverse", "expires": "expiry", "expired": "expiry", "weigh": "weight", "weighs": "weight", "weighed": "weight",
    "prescribe": "prescription", "prescribed": "prescription", "prescribes": "prescription", "booked": "booking", "ordered": "order",
    "diagnosed": "diagnosis", "treated": "treatment", "subscribed": "subscription", "subscribe": "subscription", "complained": "complaint",
    "complain": "complaint", "visited": "visit", "transferred": "transfer", "donated": "donation", "attended": "attendance", "rented": "rental",
    "employed": "employee", "departs": "departure", "departing": "departure", "depart": "departure", "leaving": "departure",
    "arrives": "arrival", "arriving": "arrival", "arrive": "arrival", "commented": "comment", "authored": "author", "charged": "charge",
    "left": "leave", "quit": "leave", "began": "begin", "sent": "send", "spent": "spend", "redeemed": "redemption", "withdrew": "withdrawal", "deposited": "deposit", "located": "location", "employs": "employee",
    "reserved": "reservation", "invested": "investment", "claimed": "claim", "insured": "insurance", "earns": "salary", "checked": "check",
}  # fmt: skip
"""Verbs, and the noun that columns and tables are named by."""

SYNONYMS: dict[str, tuple[str, ...]] = {
    "client": ("customer",), "buyer": ("customer",), "salespeople": ("salesperson",), "seller": ("salesperson", "vendor"),
    "employee": ("staff", "worker"), "staff": ("employee",), "firm": ("company",), "company": ("organization",), "cuisine": ("food",),
    "telephone": ("phone",), "mail": ("email",), "zip": ("zip_code", "postcode"), "lecturer": ("instructor", "teacher"),
    "professor": ("instructor", "teacher"), "teacher": ("instructor",), "paper": ("publication", "article"), "article": ("publication",),
    "organisation": ("organization",), "colour": ("color",), "brand": ("make",), "manufacturer": ("make",),
    "supplier": ("vendor",), "vendor": ("supplier",), "movie": ("film",), "film": ("movie",), "pupil": ("student",), "class": ("course",),
    "salary": ("wage",), "altitude": ("elevation",), "height": ("altitude", "elevation"), "elevation": ("altitude",), "score": ("rating",),
    "area": ("size",), "writer": ("author",), "signup": ("signed_up",), "stock": ("inventory",), "price": ("cost", "fare"),
    "cost": ("price",), "fee": ("charge",), "account": ("customer", "user"), "customer": ("client", "account", "user", "buyer"), "user": ("account", "customer"),
    "physician": ("doctor",), "doctor": ("physician",), "drug": ("medication", "medicine"), "medication": ("drug", "medicine"), "medicine": ("drug", "medication"),
    "purchase": ("order", "sale"), "spending": ("spend", "amount"), "worker": ("employee", "staff"), "wage": ("salary",), "pay": ("salary",),
    "shop": ("store",), "store": ("shop",), "merchant": ("vendor", "seller"), "business": ("company", "store"), "goods": ("product", "item"), "item": ("product",),
    "product": ("item",), "nation": ("country",), "province": ("state",), "town": ("city",), "city": ("town",), "postcode": ("zip", "postal_code"), "zipcode": ("zip", "postcode"),
    "ward": ("department",), "shipment": ("delivery",), "parcel": ("package", "shipment"), "package": ("parcel", "shipment"), "freight": ("shipping_cost",),
    "kind": ("type", "category"), "type": ("category", "kind"), "category": ("type",), "occupation": ("job", "profession"), "job": ("position", "occupation"), "gender": ("sex",), "sex": ("gender",),
    "length": ("duration",), "duration": ("length",), "luggage": ("baggage", "bag"), "baggage": ("bag", "luggage"), "bag": ("baggage",), "learner": ("student",), "student": ("learner",),
    "installation": ("install",), "maker": ("vendor", "manufacturer"), "spend": ("spending", "cost"), "member": ("membership",), "vacancy": ("position", "job"), "position": ("vacancy", "job"),
    "state": ("status",), "status": ("state", "outcome"), "destination": ("target",), "sender": ("from_user",), "message": ("notification",), "income": ("revenue", "salary"),
    "revenue": ("income", "turnover"), "turnover": ("revenue",), "review": ("rating",), "title": ("name",), "heading": ("title",), "journey": ("trip",),
    "trip": ("journey",), "automobile": ("car",), "vehicle": ("car",), "subject": ("course", "topic"), "topic": ("keyphrase", "subject"),
    "complaint": ("ticket",), "ticket": ("case", "issue"), "insurer": ("insurance",), "insurance": ("insurer",), "plan": ("package", "subscription_plan"), "method": ("mode", "type"), "mode": ("method", "type"),
    "quarter": ("term",), "specialization": ("specialty",), "speciality": ("specialty",), "specialty": ("specialization",), "cancellation": ("cancel",), "headcount": ("employee",), "balance": ("amount",),
}  # fmt: skip
"""Words that may stand for another where the schema lacks the first."""
