"""The graph of papers: what documents state, whose names are the same, and how it is walked. Pure; stores are adapters."""
