"""One search for everything that is looked up: by words, by meaning, fused. Knows no domain.

A domain says in a `Corpus` where its texts are, keeps their words beside them, and says in a `TextSource` what its vectors
are made of. It ranks by words (words.py) and by meaning (vectors.py), adds rankings of its own, fuses them (fusion.py) and
answers with pointers (pointers.py).
"""
