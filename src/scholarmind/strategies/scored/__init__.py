"""Sub-questions, whose passages a model scores one against another: a component for retrieval, with or without an answer behind it."""
