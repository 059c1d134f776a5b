"""Headings by which authors of every field tell what stands under them."""

import re

from scholarmind.model import RegionKind

_NUMBER = r"(?:(?:\d+|[IVX]+|[A-Z])(?:[.\d]*)[.)、]?\s+|第?[一二三四五六七八九十\d]+[章节、.]\s*)?"
_REFERENCES = (
    "references(?: and notes| cited)?|bibliography|works cited|literature(?: cited)?|cited literature|参考文献|參考文獻|引用文献|"
    "literatur(?:verzeichnis)?|références(?: bibliographiques)?|bibliographie|referencias|bibliografía|riferimenti bibliografici|"
    "referências|список литературы|литература|참고문헌"
)
_ABSTRACT = "abstract|summary|摘\\s*要|zusammenfassung|résumé|resumen|resumo|riassunto|аннотация|초록|要旨"
_KINDS: tuple[tuple[RegionKind, re.Pattern[str]], ...] = (
    ("references", re.compile(rf"{_NUMBER}(?:{_REFERENCES})\s*[:：.]?", re.IGNORECASE)),
    ("abstract", re.compile(rf"(?:{_ABSTRACT})\s*[:：.]?", re.IGNORECASE)),
)


def kind_of(title: str) -> RegionKind | None:
    """Return what kind of region a heading of this title begins, if any."""
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(title.strip())), None)
