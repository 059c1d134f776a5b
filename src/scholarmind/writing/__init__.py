"""Write an answer from quotes, and check what it claims; without a model."""
