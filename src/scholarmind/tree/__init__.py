"""The tree of summaries: passages that are alike in nodes, nodes that are alike in nodes, and what each says."""
