"""Citation keys, lists of sources, and their export."""
