"""Rerankers of other people: models in files (`cross_encoder`), and servers (`http_reranker`)."""

import math


def sigmoid(value: float) -> float:
    """Return the place of any number between 0 and 1; for numbers that are too large for `exp` as well."""
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    return math.exp(value) / (1 + math.exp(value))
