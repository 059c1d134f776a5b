"""The strategy `concepts`: two to four concepts of a question are searched for side by side, and their lists fused by rank."""
