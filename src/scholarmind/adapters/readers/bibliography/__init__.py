"""Bibliographies: BibTeX and BibLaTeX, RIS, CSL-JSON, with what Zotero and JabRef add to them."""
