"""What can be believed: whether a text answers a part of a question, and whether a source says a sentence."""
