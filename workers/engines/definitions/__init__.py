"""What words of the business mean: their definitions as data, whether these differ, and what a description says beside a formula."""

import workers.engines.questions  # noqa: F401 # pyright: ignore[reportUnusedImport] its reader uses these modules and they use its words: it is loaded before them
