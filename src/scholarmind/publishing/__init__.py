"""Answers in the files that people write in: LaTeX, pandoc's Markdown, HTML, Word, PDF, lists of references, Obsidian."""
