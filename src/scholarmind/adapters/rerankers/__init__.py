"""Rerankers of other people: models in files, and servers."""
