"""What it takes to ask a language model: prompts, fences around documents, typed replies, budgets and memories. Knows no server."""
