"""The library on one disk: SQLite holds the truth; a keyword index and a matrix of vectors are derived from it."""

from scholarmind.adapters.store.store import LocalStore

__all__ = ["LocalStore"]
