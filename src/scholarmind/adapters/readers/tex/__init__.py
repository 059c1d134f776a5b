"""LaTeX sources: which files they are, what their commands stand for, how they are written out."""
