"""Headings by which authors of every field tell what stands under them: a list of references, an abstract, thanks."""

import re
from collections.abc import Iterator

from scholarmind.text.language import lazy_regex

_NUMBER = r"(?:(?:\d+|[IVX]+|[A-Z])(?:[.\d]*)[.)、]?\s+|第?[一二三四五六七八九十\d]+[章节、.]\s*)?"
_LISTS = (
    r"(?:(?:selected |key |main |notes and )?references?(?: and notes| cited| list)?|list of references|bibliography|"
    r"(?:selected|annotated) bibliography|works cited|"
    r"literature(?: cited)?|cited (?:literature|works)|(?:主要)?参考文献|參考文獻|引用文献|参考资料|文献|"
    r"literatur(?:verzeichnis|angaben)?|références(?: bibliographiques)?|bibliographie|referencias|bibliografía|riferimenti bibliografici|"
    r"bibliografia|referências|literatuur|список литературы|литература|참고문헌)"
)
_SOURCES = (  # under which works may be listed, and as well anything else
    r"(?:(?:primary |secondary |further )?(?:sources|readings?|literature)|(?:foot|end)?notes|citations|"
    r"references and (?:further reading|links)|quellen(?:verzeichnis|angaben)?|weiterführende literatur|sources|fuentes|延伸阅读|扩展阅读|"
    r"资料来源|来源|注释)"
)
_REFERENCES = lazy_regex(rf"{_NUMBER}{_LISTS}\s*[:：.]?", re.IGNORECASE)
_MAY_BE_REFERENCES = lazy_regex(rf"{_NUMBER}(?:{_LISTS}|{_SOURCES})\s*[:：.]?", re.IGNORECASE)
_LINE = lazy_regex(
    rf"^[ \t*_#>]{{0,12}}(?:\d{{1,2}}[.)、]?[ \t]*)?(?:(?P<sure>{_LISTS})|{_SOURCES})[ \t*_#:：.]{{0,12}}$",
    re.IGNORECASE | re.MULTILINE,
)
_ABSTRACT = lazy_regex(
    r"(?:abstract|summary|摘\s*要|zusammenfassung|résumé|resumen|resumo|riassunto|аннотация|초록|要旨)\s*[:：.]?",
    re.IGNORECASE,
)
_THANKS = lazy_regex(
    rf"{_NUMBER}(?:acknowledge?ments?|thanks|funding|author contributions|(?:conflicts?|declaration) of (?:competing )?interests?|"
    r"致\s*谢|鸣谢|基金(?:项目)?|利益冲突(?:声明)?|作者贡献|danksagung|remerciements|agradecimientos)\s*[:：.]?",
    re.IGNORECASE,
)


def names_references(title: str) -> bool:
    """Tell whether a heading is what lists of references are called."""
    return _REFERENCES.fullmatch(title.strip()) is not None


def may_name_references(title: str) -> bool:
    """Tell whether works may be listed below a heading, and as well something else: "Sources", "Notes"."""
    return _MAY_BE_REFERENCES.fullmatch(title.strip()) is not None


def lines_of_references(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the lines that say nothing but that works are listed behind them, and whether they say so for sure."""
    for line in _LINE.finditer(text):
        yield line.start(), line.end(), line["sure"] is not None


def names_abstract(title: str) -> bool:
    """Tell whether a heading is that of an abstract."""
    return _ABSTRACT.fullmatch(title.strip()) is not None


def names_thanks(title: str) -> bool:
    """Tell whether what stands below a heading thanks, or tells who paid, and is no part of what the text says."""
    return _THANKS.fullmatch(title.strip()) is not None
