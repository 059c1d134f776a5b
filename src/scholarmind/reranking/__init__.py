"""Saying how well passages answer a question: by what is known of them, by a model, and what is done with it."""
