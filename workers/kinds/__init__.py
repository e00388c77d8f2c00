"""The kinds of jobs: a folder each. The texts of the libraries that they use are registered here, for all of them."""

from workers.engines.catalogue import LOCALE
from workers.saying import add_catalogue

add_catalogue(LOCALE)
