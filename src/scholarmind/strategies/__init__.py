"""How a question is worked on: each strategy is a team of its own, put together from the same steps and ports."""
