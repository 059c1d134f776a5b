"""Where a text lists the works that it cites, and the places that point at them: [12], [3, 5-7], (Devlin et al., 2019), a^3."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import islice, pairwise

from scholarmind.identity import letters_of
from scholarmind.library.references.reference_list import (
    HAN,
    LETTER,
    PARTICLES,
    UPPER,
    YEAR,
    number_of,
    parse_references,
)
from scholarmind.model import Pointer, Reading, Reference, Region
from scholarmind.text.section_names import lines_of_references, may_name_references, names_references

# -- where a text lists the works that it cites

Span = tuple[int, int]

_LIKELY, _CLEAR = 0.5, 0.65  # share of items that must be works: below a sure heading, and elsewhere
_MOST_LINES, _MOST_NOTES = 200, 2_000  # that are looked behind
_SAMPLE = 12_000  # characters that tell whether a longer stretch is worth being read
_BEGINNING = 2_000  # characters of a paragraph that tell whether it is an entry
_MARKS = re.compile(r"^[\s*_#>]+|[\s*_#]+$")
_ENDS_LIST = re.compile(
    r"^[ \t*_#\d.]*(?:appendi(?:x|ces)|annex|supplement\w*|about the authors?|acknowledge?ments?|anhang|"
    r"附\s*录|作者简介|致\s*谢)\b[^\n]{0,60}$",
    re.IGNORECASE | re.MULTILINE,
)
_BLOCK = re.compile(r"\S[^\n]*(?:\n[ \t]*\S[^\n]*)*")
_FOOTNOTE = re.compile(r"^\[\^[^\]\s]{1,60}\]:[ \t]*\S[^\n]*(?:\n(?:[ \t]+\S|(?!\[\^)[^\s#>|-])[^\n]*)*", re.MULTILINE)
_FIRST_LABEL = re.compile(r"^[ \t]*(?:[-*+][ \t]+|\.\.[ \t]+)?\\?\[1\\?\]:?[ \t]", re.MULTILINE)
_ENTRY = re.compile(
    r"[ \t]*(?:[-*+•]|\.\.|\\?[\[［【(]?[\d@^\w+-]{1,40}\\?[\]］】)]|\d{1,3}[.)])[ \t:]*\S|.*(?:https?://|\b10\.\d{4,9}/)"
)
_KIND_MARK = re.compile(r"[\[［](?:[JCMDRNPSAGZ]|EB|DB|CP)(?:\s?/\s?(?:OL|CD|MT))?[\]］]")
_PERSON = re.compile(r"[\w.]@\w|(?<!\d)\+\d{1,3}[ \d(/-]{6,}")  # somebody who can be written to or called
_PUBLISHED = re.compile(  # what works have, and remarks that begin with a name and a year have not
    r"[“\"«„《*_]|\d\s?[(:]\s?\d|\bpp?\.|\d\s?[-–]\s?\d|[^\W\d_]: [^\W\d_]|\b(?:press|verlag|universi|journal|proc|vol)|"
    r"出版社|书[店局馆]|学报|https?:",
    re.IGNORECASE,
)
_LINK = re.compile(r"https?://\S")
_FEWEST = 2


def with_lists(reading: Reading) -> Reading:
    """Return a reading whose lists of references are regions."""
    told = [region for region in reading.regions if region.kind == "references"]
    lists = [(region.start, region.end) for region in told]
    if reading.layout is None:
        lists = [span for span in lists if _holds_works(reading.text, span, 0)]
    if not told:
        lists = list(_found(reading))
    kept = [region for region in reading.regions if region.kind != "references" and not _within(region, lists)]
    regions = [*kept, *(Region(start=start, end=end, kind="references") for start, end in lists)]
    return replace(reading, regions=tuple(sorted(regions, key=lambda region: region.start)))


def _within(region: Region, lists: Sequence[Span]) -> bool:
    return any(start < region.end and region.start < end for start, end in lists)


def _found(reading: Reading) -> Iterator[Span]:
    """Yield the lists of a text in which nothing marks them."""
    text = reading.text
    found: list[Span] = []
    for start, end, is_sure in (*_below_headings(reading), *_behind_lines(reading)):
        sample = _entries(text, start, min(end, start + _SAMPLE))
        if end - start > _SAMPLE and not (sample and _holds_works(text, sample, _LIKELY / 2)):
            continue
        span = _entries(text, start, end)
        clear = span and not any(span[0] < stop and begin < span[1] for begin, stop in found)
        if span and clear and _holds_works(text, span, _LIKELY if is_sure else _CLEAR):
            found.append(span)
    if not found:
        found = list(_footnotes(text)) or list(_at_the_end(text))
    yield from sorted(found)


def _below_headings(reading: Reading) -> Iterator[tuple[int, int, bool]]:
    """Yield what stands below a heading that names references, each section below it by itself, and whether its name is sure."""
    ends = [*(section.heading for section in reading.sections[1:]), len(reading.text)]
    for section, end in zip(reading.sections, ends, strict=False):
        named = [name for name in section.path if may_name_references(_MARKS.sub("", name))]
        if named:
            yield section.start, end, any(map(names_references, named))


def _behind_lines(reading: Reading) -> Iterator[tuple[int, int, bool]]:
    """Yield what stands behind a line that says nothing but that references follow, up to the next heading."""
    headings = [section.heading for section in reading.sections]
    end = len(reading.text)
    lines = [line for line in lines_of_references(reading.text) if line[0] not in set(headings)]
    for (start, stop, is_sure), (following, _, _) in pairwise([*lines[:_MOST_LINES], (end, end, False)]):
        place = bisect_left(headings, stop)
        yield start, min(following, headings[place] if place < len(headings) else end), is_sure


def _entries(text: str, start: int, end: int) -> Span | None:
    """Return the stretch from the first to the last paragraph that can hold an entry, with the line that announces them."""
    over = _ENDS_LIST.search(text, start, end)
    blocks = [block.span() for block in _BLOCK.finditer(text, start, over.start() if over else end)]
    held = [block for block in blocks if _ENTRY.match(text, *block) or _has_work(text, *block)]
    if held and may_name_references(_MARKS.sub("", text[start : held[0][0]].partition("\n")[0])):
        return start, held[-1][1]
    return (held[0][0], held[-1][1]) if held else None


def _has_work(text: str, start: int, end: int) -> bool:
    return any(map(is_work, parse_references(text, start, min(end, start + _BEGINNING))))


def _holds_works(text: str, span: Span, share: float) -> bool:
    """Tell whether so large a share of the items in a stretch are works, or links, which lists of references have among them."""
    items = parse_references(text, *span)
    works = sum(is_work(item) and (share <= _LIKELY or _PUBLISHED.search(item.text) is not None) for item in items)
    links = sum(_LINK.search(item.text) is not None and not is_work(item) for item in items)
    if not share:
        return bool(works + links) or not items
    return bool(items) and works + (links if share <= _LIKELY else 0) >= share * len(items)


def is_work(reference: Reference) -> bool:
    """Tell whether what was taken apart reads as a work that was published."""
    if _PERSON.search(reference.text):
        return False
    named = bool(reference.doi or reference.arxiv or _KIND_MARK.search(reference.text))
    return named or bool(reference.authors and reference.year)


def _footnotes(text: str) -> Iterator[Span]:
    """Yield runs of footnotes of Markdown that are works; others stay part of the text."""
    run: list[Span] = []
    for note in islice(_FOOTNOTE.finditer(text), _MOST_NOTES):
        if not _has_work(text, *note.span()):
            continue
        if run and text[run[-1][1] : note.start()].strip():
            yield run[0][0], run[-1][1]
            run = []
        run.append(note.span())
    if run:
        yield run[0][0], run[-1][1]


def _at_the_end(text: str) -> Iterator[Span]:
    """Yield a list without a heading: labels from [1] on that go on to the end of the text."""
    for first in list(_FIRST_LABEL.finditer(text))[-1:]:
        span = first.start(), len(text.rstrip())
        if not _has_work(text, *span):
            continue
        items = parse_references(text, *span)
        if len(items) >= _FEWEST and all(item.label for item in items) and _holds_works(text, span, _CLEAR):
            yield span


# -- pointers

_OPEN, _CLOSE = r"\\?[\[［【]", r"\\?[\]］】]"
_NUMBERS = re.compile(
    rf"{_OPEN}\s?(\d{{1,4}}(?:\s?[,;，；、–—~～-]\s?\d{{1,4}}){{0,60}})"
    rf"(?:\s?[,;]\s(?:pp?\b|ch|sec|chap|fig|th|lem|prop|def|cor|alg|eq|app|table|tab)[^\[\]\n]{{0,40}})?\s?{_CLOSE}"
    rf"(?:\s?[–—-]\s?{_OPEN}(\d{{1,4}}){_CLOSE})?",
    re.IGNORECASE,
)

_LETTERED = re.compile(r"\[([^\[\]\n]{2,300})\]")
_MATHS = re.compile(
    r"(?:[∈∉∊=<>≤≥≈×+−*/^·|]|\b(?:interval|range|ranges|between|over|domain|values?|axis|array|list|vector|区间|范围))\s*(?:of\s|in\s|from\s)?$"
)

_WORD = rf"[{UPPER}](?:{LETTER}|['’ʼ](?!s\b)(?={LETTER})|[‐-](?={LETTER})){{1,40}}"
_FAMILY = rf"(?:(?:{PARTICLES})\s){{0,3}}(?:[dDlL][’'])?{_WORD}"
_YEARS = rf"{YEAR}[a-z]?(?![\w])(?:\s?[,;，、]\s?(?:{YEAR}[a-z]?|[a-z])(?![\w.])){{0,12}}"
_NAMED = re.compile(
    rf"(?<![\w-])(?P<first>{_FAMILY})"
    rf"(?:(?P<between>(?:,\s{_FAMILY}){{0,4}}),?\s(?:and|&|und|et|y)\s(?P<second>{_FAMILY})|,?\s(?P<others>et\s+al\b\.?|and\s(?:colleagues|others|co-?workers)))?"
    rf"(?:[’']s?)?(?:,\s?|\s)?(?P<bracket>[(\[（]\s?)?(?P<years>{_YEARS})"
)

_NATIVE = re.compile(
    rf"(?P<names>[{HAN}·]{{2,16}}?(?:\s?、\s?[{HAN}]{{2,4}}){{0,3}})(?P<others>\s?等人?)?\s?[,，]?\s?(?P<bracket>[(（\[]\s?)?(?P<years>{_YEARS})"
)

_YEAR = re.compile(rf"({YEAR})?([a-z])?")
_LEAD = re.compile(
    r"[(（\[](?:\s*(?:see|e\.\s?g\.|i\.\s?e\.|cf\.|as in|by|in|also|for example|参见|见|如),?)*\s*(?:also\s|for [a-z ]{0,30}, )?$",
    re.IGNORECASE,
)

_BETWEEN = re.compile(r"\s*[;,；，]\s*(?:(?:and|see|see also|also|e\.g\.,?|cf\.)\s)?|\s+(?:and|&)\s+")
_TAIL = re.compile(
    r"(?:\s?[,:]\s?(?:pp?\.|ch\.|chap\.|sec\.|§|fig\.)?\s?[\d–-]{1,12})?(?:,?\s(?:inter alia|among others|"
    r"and references therein))?\s?[)）\]]"
)

_KEY = r"[\w][\w:.#$%&+?<>~/-]*[\w]|\w"  # as Pandoc has them
CITED_KEYS = re.compile(rf"\[(?=[^\[\]\n]*@)(?:[^\[\]\n@]{{0,80}})-?@(?:{_KEY})[^\[\]\n]*\]")
CITED_KEY = re.compile(rf"(?<![\w@./])-?@({_KEY})(?:\s*\[([^\[\]\n]{{1,60}})\])?")
KEY_OF_GROUP = re.compile(rf"-?@({_KEY})([^;@\]]*)")
_NOTE = re.compile(r"\[(\^[^\[\]\s]{1,60})\](?!:)")
_RAISED_SIGNS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED = re.compile(  # behind a whole word or its sentence: what stands behind a unit or a letter is a power
    rf"(?:(?<=[^\W\dA-Z_]{{4}})|(?<=[.,;:!?)”\"'’»。，；：！？）」{HAN}]))\s?"
    rf"(?:\^\[?(\d{{1,3}}(?:\s?[,–-]\s?\d{{1,3}})*)\]?\^?(?![\w.]\d)|<sup>[\[(]?(\d{{1,3}}(?:\s?[,–-]\s?\d{{1,3}})*)[\])]?</sup>"
    rf"|([{_RAISED_SIGNS}]{{1,3}}(?:[,˒⁻–-][{_RAISED_SIGNS}]{{1,3}})*|[①-⑳]))"
)
_LOWERED = str.maketrans(f"{_RAISED_SIGNS}⁻˒", "0123456789-,")

_WITH_PAGE = re.compile(
    rf"\((?:see |cf\. )?({_FAMILY})(?:,? et al\.?|,? (?:and|&) {_FAMILY})?,? (?:pp?\. ?)?(\d{{1,4}})(?:[-–]\d{{1,4}})?\)"
)
_REACH = 160  # characters before a year in which its authors are named
_BEHIND = 80
Found = tuple[int, int, tuple[int, ...]]


def find_pointers(text: str, references: Sequence[Reference], skip: Sequence[tuple[int, int]]) -> list[Pointer]:
    """Return the places outside of `skip` that point at references, in order. What cannot be told for certain is left out."""
    if not references:
        return []
    left_out = sorted(skip)
    found = [*_by_label(text, references, left_out), *_by_key(text, references), *_by_name(text, references, left_out)]
    chosen: list[Pointer] = []
    for start, end, cited in sorted(_outside(found, left_out), key=lambda place: (place[0], -place[1])):
        if not chosen or start >= chosen[-1].end:
            chosen.append(Pointer(start=start, end=end, references=cited))
    return chosen


def counted(text: str, references: Sequence[Reference], skip: Sequence[tuple[int, int]]) -> list[Reference]:
    """Return references with their labels; those of a list that leaves counting to whoever prints it by their places, if the
    text points by number.
    """
    left_out = sorted(skip)
    numbered = [replace(reference, label=str(place)) for place, reference in enumerate(references, 1)]
    if any(reference.label for reference in references) or _outside(_by_name(text, references, left_out), left_out):
        return list(references)
    return numbered if _outside(_by_label(text, numbered, left_out), left_out) else list(references)


def _outside(found: Iterable[Found], skip: Sequence[tuple[int, int]]) -> list[Found]:
    return [place for place in found if not _skipped(*place[:2], skip)]


def _skipped(start: int, end: int, skip: Sequence[tuple[int, int]]) -> bool:
    place = bisect_right(skip, (end,))  # those that begin before the end
    return any(last > start for _, last in skip[max(0, place - 8) : place])


def _by_label(text: str, references: Sequence[Reference], skip: Sequence[tuple[int, int]]) -> Iterator[Found]:
    labels: dict[str, int] = {}
    for place, reference in enumerate(references):
        if reference.label:
            labels.setdefault(_plain(reference.label), place)
    if any(label.isdigit() for label in labels):
        within = _outside(_numbered(text, labels), skip)
        yield from within or _raised(
            text, labels
        )  # a text has one way of pointing; beside brackets what is raised is a note
    if any(not label.isdigit() for label in labels):
        for match in _LETTERED.finditer(text):
            inside = _plain(match[1])
            parts = [inside] if inside in labels else re.split(r"\s*;\s*", inside)
            if any(part not in labels for part in parts):
                parts = re.split(r"\s*[;,]\s*", inside)
            known = [labels[part] for part in parts if part in labels]
            if known and parts[0] in labels:  # what follows may be a page
                yield match.start(), match.end(), tuple(dict.fromkeys(known))


def _plain(label: str) -> str:
    return " ".join(label.split()).casefold()


def _numbered(text: str, labels: Mapping[str, int]) -> Iterator[Found]:
    previous = -1
    for match in _NUMBERS.finditer(text):
        if match.start() != previous and not _may_point(text, match.start()):
            continue
        numbers = _expanded(match[1])
        if match[2] and numbers:
            numbers = [*numbers, *range(numbers[-1] + 1, min(int(match[2]), numbers[-1] + 100) + 1)]
        places = [labels.get(str(number)) for number in numbers]
        known = tuple(dict.fromkeys(place for place in places if place is not None))
        if known and None not in places:
            previous = match.end()
            yield match.start(), match.end(), known


def _may_point(text: str, start: int) -> bool:
    """Tell a citation from the index of an array, and from an interval."""
    before = text[start - 1 : start]
    if before == ")":
        opening = text.rfind("(", max(0, start - 80), start)
        before = text[opening - 1 : opening] if opening > 0 else " "
    if before in {"]", "_"} or (before.isalnum() and not re.match(rf"[{HAN}]", before)):
        return False
    return _MATHS.search(text, max(0, start - 24), start) is None


def _expanded(numbers: str) -> list[int]:
    found: list[int] = []
    joint = ""
    for piece in re.split(r"\s?([,;，；、–—~～-])\s?", numbers.strip()):
        if not piece.isdigit():
            joint = piece
        elif joint and joint in "–—~～-" and found and found[-1] < int(piece) <= found[-1] + 100:
            found.extend(range(found[-1] + 1, int(piece) + 1))
        else:
            found.append(int(piece))
    return found


def _raised(text: str, labels: Mapping[str, int]) -> Iterator[Found]:
    """Yield numbers that stand raised behind words."""
    for match in _RAISED.finditer(text):
        sign = match[1] or match[2] or match[3].translate(_LOWERED)
        numbers = [number_of(sign)] if len(sign) == 1 else _expanded(sign)
        places = [labels.get(str(number)) for number in numbers]
        known = tuple(dict.fromkeys(place for place in places if place is not None))
        if known and None not in places:
            yield match.start() + len(match[0]) - len(match[0].lstrip()), match.end(), known


def _by_key(text: str, references: Sequence[Reference]) -> Iterator[Found]:
    """Yield footnotes, and what is cited by a key: the one that its item bears, or one made of its first author and its year."""
    labels = {reference.label: place for place, reference in enumerate(references) if reference.label[:1] in {"@", "^"}}
    for note in _NOTE.finditer(text) if any(label[0] == "^" for label in labels) else ():
        if note[1] in labels:
            yield note.start(), note.end(), (labels[note[1]],)
    if "@" not in text:
        return
    for match in (*CITED_KEYS.finditer(text), *CITED_KEY.finditer(text)):
        places = [_keyed(key, labels, references) for key, _ in KEY_OF_GROUP.findall(match[0])]
        known = tuple(dict.fromkeys(place for place in places if place is not None))
        if known:
            yield match.start(), match.end(), known


def _keyed(key: str, labels: Mapping[str, int], references: Sequence[Reference]) -> int | None:
    if f"@{key}" in labels:
        return labels[f"@{key}"]
    letters = letters_of(key)
    places = [
        place
        for place, reference in enumerate(references)
        if reference.year
        and reference.authors
        and str(reference.year) in letters
        and any(letters.startswith(name) for name in _forms(reference.authors[0].partition(",")[0]))
    ]
    return places[0] if len(places) == 1 else None


Index = Mapping[tuple[str, int], list[int]]


def _by_name(text: str, references: Sequence[Reference], skip: Sequence[tuple[int, int]]) -> Iterator[Found]:
    index: dict[tuple[str, int], list[int]] = defaultdict(list)
    for place, reference in enumerate(references):
        if reference.authors and reference.year:
            for name in _forms(reference.authors[0].partition(",")[0]):
                index[name, reference.year].append(place)
    if index:
        dated = _outside(_grouped(text, sorted(_named(text, references, index))), skip)
        yield from dated or _paged(text, references)


def _paged(text: str, references: Sequence[Reference]) -> Iterator[Found]:
    """Yield what names an author and a page, and no year: "(Jacobs 35)", as long as the list has one work of hers."""
    first: dict[str, list[int]] = defaultdict(list)
    for place, reference in enumerate(references):
        for name in _forms(reference.authors[0].partition(",")[0]) if reference.authors else ():
            first[name].append(place)
    for match in _WITH_PAGE.finditer(text):
        places = first.get(letters_of(match[1]), [])
        if len(places) == 1 and str(references[places[0]].year) != match[2]:
            yield match.start(), match.end(), (places[0],)


def _forms(family: str) -> set[str]:
    """Return how a text may call somebody: by the whole family name, by its last word, in Chinese by the first sign and 氏."""
    words = family.split()
    native = f"{family[0]}氏" if re.fullmatch(rf"[{HAN}]{{2,4}}", family) else ""
    return {form for form in (letters_of(family), letters_of(words[-1]) if words else "", native) if form}


def _named(text: str, references: Sequence[Reference], index: Index) -> Iterator[Found]:
    years = {year for _, year in index}
    for start, end in _near_years(text, years):
        for match in _NAMED.finditer(text, start, end):
            count = 0 if match["others"] else 2 + match["between"].count(",") if match["second"] else 1
            names = list(_forms(match["first"]))
            cited = _dated(match["years"], names, index, references, (count, match["second"] or ""))
            if cited:
                yield _begin(text, match, references[cited[0]]), _end(text, match), cited
        for match in _NATIVE.finditer(text, start, end):
            run = re.split(r"和|与|、|及", match["names"])
            ends = (run[0].strip()[-length:] for length in (4, 3, 2))
            name = next((name for name in ends if any((letters_of(name), year) in index for year in years)), "")
            count = 0 if match["others"] else len(run)
            cited = _dated(match["years"], [letters_of(name)], index, references, (count, "")) if name else ()
            if cited:
                yield match.start() + match[0].find(name), _end(text, match), cited


def _near_years(text: str, years: Set[int]) -> Iterator[tuple[int, int]]:
    """Yield the stretches around the years of the references: names are looked for nowhere else, which is what makes it quick."""
    start = end = 0
    for match in re.finditer(YEAR, text):
        if int(match[0]) not in years:
            continue
        if match.start() - _REACH > end:
            if end:
                yield start, end
            start = max(0, match.start() - _REACH)
        end = min(len(text), match.end() + _BEHIND)
    if end:
        yield start, end


def _begin(text: str, match: re.Match[str], reference: Reference) -> int:
    """Return where the whole name begins: the pattern sees only the last word of "World Health Organization"."""
    whole = reference.authors[0].partition(",")[0]
    start = match.end("first") - len(whole)
    return min(start, match.start()) if text[max(0, start) : match.end("first")] == whole else match.start()


def _end(text: str, match: re.Match[str]) -> int:
    closing = _TAIL.match(text, match.end()) if match["bracket"] else None
    return closing.end() if closing else match.end()


def _dated(
    years: str, names: Sequence[str], index: Index, references: Sequence[Reference], wanted: tuple[int, str]
) -> tuple[int, ...]:
    """Return the references of these years; none for a year that several fit and no letter tells apart."""
    cited: list[int] = []
    year = 0
    for piece in re.split(r"\s?[,;，、]\s?", years):
        number, letter = (_YEAR.match(piece) or re.match("()()", "")).groups()  # type: ignore[union-attr]
        year = int(number) if number else year
        places = sorted({place for name in names for place in index.get((name, year), ())})
        chosen = _fitting(places, letter or "", references, wanted)
        cited.extend(chosen)
    return tuple(dict.fromkeys(cited))


def _fitting(places: Sequence[int], letter: str, references: Sequence[Reference], wanted: tuple[int, str]) -> list[int]:
    if len(places) > 1:
        places = [place for place in places if _fits(references[place], *wanted)] or places
    if letter and len(places) > 1:
        letters = [_letter(references[place]) for place in places]
        if letter in letters:
            return [places[letters.index(letter)]]
        order = ord(letter) - ord("a")
        return [places[order]] if not any(letters) and order < len(places) else []
    return list(places) if len(places) == 1 else []


def _fits(reference: Reference, count: int, second: str) -> bool:
    """Tell whether as many authors are named as the reference has: 0 stands for "et al."."""
    authors = reference.authors
    if count == 0:
        return len(authors) > 2 or "others" in authors
    if second and not (count <= len(authors) and _forms(second) & _forms(authors[count - 1].partition(",")[0])):
        return False
    return len(authors) == count


def _letter(reference: Reference) -> str:
    match = re.search(rf"{reference.year}([a-z])\b", reference.text)
    return match[1] if match else ""


def _grouped(text: str, found: Sequence[Found]) -> Iterator[Found]:
    """Yield citations that share a pair of brackets as one place, from bracket to bracket."""
    group: list[Found] = []
    for place in found:
        if group and place[0] < group[-1][1]:
            continue
        if group and not _follows(text, group[-1], place):
            yield _whole(text, group)
            group = []
        group.append(place)
    if group:
        yield _whole(text, group)


def _follows(text: str, before: Found, place: Found) -> bool:
    narrative = text[before[1] - 1] in ")）]"
    return not narrative and place[0] - before[1] < 20 and _BETWEEN.fullmatch(text, before[1], place[0]) is not None


def _whole(text: str, group: Sequence[Found]) -> Found:
    start, end = group[0][0], group[-1][1]
    lead = _LEAD.search(text, max(0, start - 60), start)
    tail = _TAIL.match(text, end) if lead else None
    if lead and tail:
        start, end = lead.start(), tail.end()
    return start, end, tuple(dict.fromkeys(place for _, _, cited in group for place in cited))
