"""Measure retrieval on anybody's questions: a folder with `corpus.jsonl` and `queries.jsonl`."""
