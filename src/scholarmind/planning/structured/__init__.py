"""Questions that the graph of papers answers by counting, sorting and following edges: how they are recognised, in English and Chinese."""
