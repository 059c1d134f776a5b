"""A library kept in step with Zotero: items, PDFs, notes, tags, highlights, keys and links back."""
