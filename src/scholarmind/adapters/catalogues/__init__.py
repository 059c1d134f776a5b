"""On-line catalogues of works: OpenAlex, then Crossref, then arXiv. All they see is a title, a DOI or an arXiv id."""

from scholarmind.adapters.catalogues.enricher import Catalogues, Manners

__all__ = ["Catalogues", "Manners"]
