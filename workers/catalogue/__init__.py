"""The catalogue: a graph of what is known of the users' data. Jobs use `Catalogue`; imports fill it."""

from workers.catalogue.catalogue import Catalogue
from workers.catalogue.embedding import count_waiting, embed_catalogue
from workers.catalogue.importing import Form, guess_form, import_path, import_source
from workers.catalogue.own_documents import import_own_documents
from workers.catalogue.reindex import CatalogueReindex, reindex
from workers.catalogue.sample import import_sample, offer_sample
from workers.catalogue.store import forget_source, import_items

__all__ = [
    "Catalogue",
    "CatalogueReindex",
    "Form",
    "count_waiting",
    "embed_catalogue",
    "forget_source",
    "guess_form",
    "import_items",
    "import_own_documents",
    "import_path",
    "import_sample",
    "import_source",
    "offer_sample",
    "reindex",
]
