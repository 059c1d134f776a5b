"""A reading list as text and as files: each missing work with who cites it, for what, on which page; BibTeX of the missing works; JSON."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from scholarmind.citing.citation_styles import people
from scholarmind.citing.reference_export import export_references
from scholarmind.events import plain
from scholarmind.identity import headings_below
from scholarmind.library.reading_list import CitingSentence, NextWork, ReadingList
from scholarmind.text.language import language_of
from scholarmind.text.untrusted import disarmed, escaped, uncontrolled

_ENGLISH = {
    "quoted": "cited beside what answers",
    "open row": "cited for a part that stays open",
    "section": "cited in the section of what answers",
    "elsewhere": "cited elsewhere in what answers",
    "listed": "only in a list of references",
    "by": "by {count} of {all}",
    "page": "p. {page}",
    "speaks": "speaks of what is open: {rows}",
    "entry": "the library has only its entry in a bibliography",
    "unused": "In the library, cited there, and not in the answer",
    "without": "No list of references was found in: {titles}",
    "no references": "None of what the answer rests on has a list of references that could be read: {titles}",
    "nobody": "Nothing in the library bears on this, so that there are no references to follow.",
    "all there": "All that the works behind the answer cite is in the library.",
    "untitled": "(its title could not be read) {text}",
    "others": " et al.",
}

_CHINESE = {
    "quoted": "在回答问题的原句或其旁边引用",
    "open row": "为尚未回答的部分引用",
    "section": "在回答所在的章节引用",
    "elsewhere": "在回答所依据的文献别处引用",
    "listed": "只见于参考文献列表",
    "by": "{all} 篇中有 {count} 篇引用",
    "page": "第 {page} 页",
    "speaks": "与尚未回答的部分有关：{rows}",
    "entry": "文档库中只有它的书目条目",
    "unused": "文档库中已有、被引用而未用于回答",
    "without": "以下文档没有找到参考文献列表：{titles}",
    "no references": "回答所依据的文档都没有可读的参考文献列表：{titles}",
    "nobody": "文档库中没有与此有关的内容，因而没有参考文献可循。",
    "all there": "回答所依据的文献引用的著作，文档库中都有。",
    "untitled": "（未能读出标题）{text}",
    "others": " 等",
}

_MOST_AUTHORS = 3
_MOST_TITLES = 5


def reading_lines(found: ReadingList) -> Iterator[tuple[int, str]]:
    """Yield the lines of a reading list, each with how deep it stands."""
    words = _CHINESE if language_of(found.question) == "zh" else _ENGLISH
    total = len(found.answering)
    for number, work in enumerate(found.missing, 1):
        yield from _work_lines(work, f"{number}. ", total, words)
    titles = "; ".join(map(_safe, found.without[:_MOST_TITLES])) + ("; …" if len(found.without) > _MOST_TITLES else "")
    if not total:
        yield 0, words["no references"].format(titles=titles) if titles else words["nobody"]
        return
    if not found.missing:
        yield 0, words["all there"]
    if found.unused:
        yield 0, ""
        yield 0, words["unused"]
        for work in found.unused:
            yield from _work_lines(work, "· ", total, words, brief=True)
    if titles:
        yield 0, ""
        yield 0, words["without"].format(titles=titles)


def _work_lines(
    work: NextWork, mark: str, total: int, words: Mapping[str, str], *, brief: bool = False
) -> Iterator[tuple[int, str]]:
    reference, depth = work.reference, 2 if brief else 0
    title = reference.title or words["untitled"].format(text=" ".join(reference.text.split()))
    identified = [f"doi:{reference.doi}"] if reference.doi else [f"arXiv:{reference.arxiv}"] if reference.arxiv else []
    by = _authors(reference.authors, words["others"]) if reference.title else ""
    year = str(reference.year or "") if reference.title else ""
    told = " · ".join(filter(None, (title, by, year, *identified, work.document if brief else "")))
    yield depth, mark + _safe(told)
    near = words[work.nearness]
    yield depth + 3, f"{near}, {words['by'].format(count=work.works, all=total)}"
    if work.only_entry:
        yield depth + 3, words["entry"]
    for citing in work.citing[: 1 if brief else None]:
        if citing.sentence:
            yield depth + 3, _quoted(citing, words)
        if citing.rows and not brief:
            yield depth + 3, words["speaks"].format(rows=_safe("; ".join(citing.rows)))


def _quoted(citing: CitingSentence, words: Mapping[str, str]) -> str:
    headings = " › ".join(headings_below(citing.title, citing.section))
    place = words["page"].format(page=citing.page) if citing.page else _safe(headings)
    return f"“{_safe(citing.sentence)}” [{', '.join(filter(None, (citing.key, place)))}]"


def _authors(authors: Sequence[str], others: str) -> str:
    named, more = people(authors)
    shown = ", ".join(person.full for person in named[:_MOST_AUTHORS])
    return shown + (others if more or len(named) > _MOST_AUTHORS else "")


def _safe(text: str) -> str:
    return uncontrolled(disarmed(text))


# -- files


def _as_text(found: ReadingList) -> str:
    return "".join(f"{' ' * depth}{line}\n" for depth, line in reading_lines(found))


def _as_json(found: ReadingList) -> str:
    return escaped(json.dumps(plain(found), ensure_ascii=False, indent=2)) + "\n"


def _as_bibtex(found: ReadingList) -> str:
    from scholarmind.library.references.printed_work import work_of_reference  # noqa: PLC0415  (compiles many patterns)

    references = [work.reference for work in found.missing]
    return uncontrolled(export_references([(work_of_reference(one), one.text) for one in references]))


READING_LIST_FILES: Mapping[str, Callable[[ReadingList], str]] = {
    ".bib": _as_bibtex,
    ".json": _as_json,
    ".txt": _as_text,
}
