"""What a PDF says of itself where nobody catalogued it: on its first page, in its properties, in its name, each with how sure that is.

File names and properties are often left-overs of a program. Authors are found in `file_metadata`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import islice, takewhile
from pathlib import Path
from statistics import median

from scholarmind.adapters.readers.file_metadata import authors_below, ends_head, is_name, names_in, opens_text
from scholarmind.adapters.readers.file_names import file_facts, tidy_doi, year_of_arxiv
from scholarmind.adapters.readers.pdf.page import TextLine
from scholarmind.identity import letters_of
from scholarmind.model import CREATION, Fact
from scholarmind.text.section_names import names_references
from scholarmind.text.untrusted import printable

# -- the title: the largest letters that are no banner, no journal's name and no stamp

_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_BANNER = re.compile(
    r"arxiv\s*:|\d+v\d.*:viXra|(?:https?://|www\.)|doi\b|10\.\d{4,9}/|issn\b|isbn\b|contents lists? available|journal homepage|"
    r"(?:original |research |review |full |regular |short |invited |brief )*(?:research|articles?|papers?|letters?|reviews?|report|"
    r"communications?|contributions?|survey|perspective|editorial)\s*$|"
    r"open access|published (?:as|online|by|in)\b|published\s*:|under review|to appear|in press|accepted|received|"
    r"submitted|available online|"
    r"(?:vol(?:ume)?|no|issue|pp|pages)\b\.?\s*\d|proceedings of|proc\.|preprint\b|manuscript|author'?s? (?:accepted|manuscript)|"
    r"journal of\b|international journal|(?:ieee|acm|siam|asme) (?:transactions|journal|access|letters|trans)|transactions (?:of|on)|"
    r"annals of|frontiers in|lecture notes in|advances in neural|plos (?:one|\w+$)|nature(?: \w+)?$|science$|cell$|the lancet|"
    r"scientific reports$|bmc \w+|(?:\d+\w\w )?(?:annual |international )*(?:conference|workshop|symposium) on|"
    r"copyright|©|\(c\) \d|creative commons|(?:a |an )?(?:phd |ph\.d\.? |doctoral |master'?s? |bachelor'?s? |"
    r"m\.?sc\.? |diploma |(?:under)?graduate |senior |honou?rs )*(?:thesis|"
    r"dissertation)\b|"
    r"(?:\w+ ){0,2}(?:technical|tech\.?|working|research|discussion) (?:report|paper|memorandum)|"
    r"(?:\w+ )?preprints?\s*$|jstor\b|researchgate|see discussions|"
    r"hal (?:id|is|open)|.*\brepository\s*$|library\b|.*\blibraries\s*$|university library|downloaded from|"
    r"this (?:article|paper|version|is)\b|"
    r"(?:department|faculty|school|institute|college) of|university of [\w\s]+$|(?:\w+\s){1,3}(?:university|institute of technology)\s*$|"
    r"cite this|citation:|to cite|editor|edited by|keywords|abstract\b|summary$|a\s?r\s?t\s?i\s?c\s?l\s?e\s+i\s?n\s?f\s?o|"
    r"a b s t r a c t|highlights$|(?:table of )?contents$|introduction$|1\.? introduction|chapter \d|page \d|\d+$|"
    r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.? (?:\d{1,2}, )?\d{4}$",
    re.IGNORECASE,
)
_TITLE_STAMP = re.compile(r"arxiv\s*:|https?:|www\.|\bdoi\b|10\.\d{4,9}/|@", re.IGNORECASE)
_CHINESE_BANNER = re.compile(
    r"第\s*\d+\s*[卷期]|\d{4}\s*年\s*(?:\d{1,2}\s*月|第|$)|中图分类号|文献标[识志]码|文章编号|收稿日期|基金项目|摘\s*要|关键词|[博硕]士(?:研究生)?学位论文|学位论文|分类号|密级|目\s*录$|"
    r"\S{0,20}(?:学报|大学|学院|杂志|期刊)(?:[（(].*[)）])?$|(?:研究)?论\s*文$|综\s*述$|"
    r"[^:：]{0,12}(?:毕\s*业|学\s*位|学\s*年|综\s*合|开\s*题)[^:：]{0,10}(?:论\s*文|设\s*计|训\s*练|报\s*告)[^:：]{0,10}$|第\s*[一二三四五六七八九十\d]+\s*章"
)
_FIRST_SECTION = re.compile(r"1(?:\.\d+)*\.?\s+\w")
_SUBTITLE = re.compile(r"\s*[—─-]{2}\s*\S")
_ALIKE = 0.9
_ABSTRACT = re.compile(r"\W*(?:abstract|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|摘\s*要)", re.IGNORECASE)
_FEWEST_LETTERS = 8  # of a name that says what a title is
_SAME_SIZE = 0.06
_WIDEST_GAP = 1.6  # between lines of a title, in sizes
_MOST_LINES = 6
_LONGEST_TITLE = 300
_UPPER = 0.55  # share of the page that a title begins in; of a page with few lines (slides, covers) it is more
_UPPER_OF_FEW = 0.8
_FEW_LINES = 25
_LARGER = 1.08  # than the body, to count as typography
_KEEPS_HYPHEN = frozenset(
    "anti auto bi co cross de end few fine full high inter intra large long low meta mid mono multi near neuro non one open "
    "part post pre pro pseudo quasi re real self semi short single state sub super to trans tri two ultra x zero".split()
)


def title_lines(lines: Sequence[TextLine], told: Sequence[str] = ()) -> tuple[list[int], bool]:
    """Return the places of the title's lines, and whether that is sure: they say what the file is called (`told`, its name and
    properties), or typography tells, larger or bolder letters than the rest.
    """
    told = [letters_of(title) for title in told]
    if known := [found for title in told if (found := _lines_saying(lines, title))]:
        return max(known, key=lambda found: (_level(lines[found[0]]), len(found))), True
    body = _body_size(lines)
    abstract = next((place for place, line in enumerate(lines) if _ABSTRACT.match(line.text)), len(lines))
    groups = [group for group in _groups(lines[:abstract], _lowest(lines)) if _may_be(lines, group)]
    groups = [group for group in groups if not _FIRST_SECTION.match(lines[group[0]].text)] or groups
    if not groups:
        return [], False
    if like := [group for group in groups if _is_like(_letters(lines, group), told)]:
        return like[0], True
    best = max(groups, key=lambda group: (_level(lines[group[0]]), -group[0]))
    first = lines[best[0]]
    clear = first.size >= body * _LARGER or (first.bold and sum(line.bold for line in lines) < len(lines) / 2)
    if clear and _FIRST_SECTION.match(first.text):  # the heading of a first section
        return best, False
    return (best, True) if clear else (groups[0][:3], False)


def _lines_saying(lines: Sequence[TextLine], title: str) -> list[int]:
    """Return the lines that begin with these letters, the largest of them; a subtitle in the last of them is one of the title."""
    best: list[int] = []
    lowest, body = _lowest(lines), _body_size(lines)
    letters = [letters_of(_unmarked(line)) for line in lines] if len(title) >= _FEWEST_LETTERS else []
    for first, begins in enumerate(letters):
        if (
            len(begins) < 2
            or lines[first].size < 0.95 * body
            or not (title.startswith(begins) or begins.startswith(title))
            or lines[first].top > lowest
        ):
            continue
        so_far, places = "", list[int]()
        for place in range(first, min(first + 2 * _MOST_LINES, len(lines))):
            if len(so_far) >= len(title) or not (title.startswith(so_far) or so_far.startswith(title)):
                break
            so_far += letters[place]
            places += [place] if letters[place] else []
        if (
            so_far.startswith(title)
            and len(places) <= _MOST_LINES
            and (not best or _level(lines[first]) > _level(lines[best[0]]))
        ):
            best = places
    while (
        best
        and best[-1] + 1 < len(lines)
        and _continues(lines[best[-1]], lines[best[-1] + 1])
        and not opens_text(lines[best[-1] + 1])
    ):
        if _level(lines[best[0]]) <= body * _LARGER or len(best) >= _MOST_LINES:
            break
        best.append(best[-1] + 1)  # more in the same large letters
    return best


def _letters(lines: Sequence[TextLine], places: Sequence[int]) -> str:
    return "".join(letters_of(_unmarked(lines[place])) for place in places)


def _is_like(letters: str, told: Sequence[str]) -> bool:
    """Tell whether these are the letters of a title that is told with a slip."""
    return any(
        len(title) >= _FEWEST_LETTERS and SequenceMatcher(None, letters, title, autojunk=False).ratio() > _ALIKE
        for title in told
    )


def joined(lines: Sequence[TextLine], known: str) -> str:
    """Return the lines as one text. A hyphen at the end of a line stays where `known` (the rest of the page) has the word with it."""
    text = ""
    for line in lines:
        text = _join(text, _unmarked(line), known)
    return re.sub(r"\s+", " ", text).strip(" *∗†‡§¶⋆⁎")


def _level(line: TextLine) -> float:
    return round(line.size * 2) / 2 + (0.4 if line.bold else 0)


def _lowest(lines: Sequence[TextLine]) -> float:
    bottom = max((line.bottom for line in lines), default=0.0)
    return bottom * (_UPPER_OF_FEW if len(lines) < _FEW_LINES else _UPPER)


def _body_size(lines: Sequence[TextLine]) -> float:
    """Return the size that half of the letters do not exceed."""
    half, seen = sum(len(line.text) for line in lines) / 2, 0
    for line in sorted(lines, key=lambda line: line.size):
        seen += len(line.text)
        if seen >= half:
            return line.size
    return 0.0


def _groups(lines: Sequence[TextLine], lowest: float) -> list[list[int]]:
    """Gather lines that follow each other in one type."""
    groups: list[list[int]] = []
    for place, line in enumerate(lines):
        if (
            groups
            and groups[-1][-1] == place - 1
            and _continues(lines[place - 1], line)
            and not _TITLE_STAMP.search(line.text)
            and not opens_text(line)
        ):
            groups[-1].append(place)
        elif line.top <= lowest and not is_banner(line) and not opens_text(line):
            groups.append([place])
    return groups


def _continues(above: TextLine, line: TextLine) -> bool:
    size = max(above.size, line.size)
    if above.text.rstrip().endswith((":", "：", "—")) and line.size > 0.8 * above.size and line.bold == above.bold:
        return -size <= line.top - above.bottom <= size * _WIDEST_GAP
    if _SUBTITLE.match(line.text) and 0.55 * above.size < line.size <= above.size:
        return -size <= line.top - above.bottom <= size * _WIDEST_GAP
    alike = abs(above.size - line.size) <= size * _SAME_SIZE and above.bold == line.bold and above.italic == line.italic
    return alike and -size <= line.top - above.bottom <= size * _WIDEST_GAP


def is_banner(line: TextLine) -> bool:
    """Tell whether the line is set around an article rather than by its authors: a journal's head, a stamp, a kind of article."""
    text = line.text.strip()
    upright = line.right - line.left < (line.bottom - line.top) * 0.5 and len(text) > 12
    return upright or _BANNER.match(text) is not None or _CHINESE_BANNER.match(text) is not None


def _may_be(lines: Sequence[TextLine], group: Sequence[int]) -> bool:
    text = " ".join(lines[place].text.strip() for place in group)
    letters = sum(character.isalpha() for character in text)
    if (
        len(group) > _MOST_LINES
        or len(text) > _LONGEST_TITLE
        or letters < 0.5 * len(text.replace(" ", ""))
        or "@" in text
    ):
        return False
    if letters < (3 if _HAN.search(text) else 4):  # an initial, a logo
        return False
    return not _names_journal(text, lines, group)


def _names_journal(text: str, lines: Sequence[TextLine], group: Sequence[int]) -> bool:
    """Tell whether these words stand on the page again with a volume behind them, or above a journal's address."""
    following = lines[group[-1] + 1].text.strip() if group[-1] + 1 < len(lines) else ""
    if re.match(r"journal home\s?page", following, re.IGNORECASE):
        return True
    parts = [
        text,
        *(lines[at].text[cell.start : cell.end] for at in group for cell in lines[at].cells if len(group) == 1),
    ]
    names = "|".join(re.escape(" ".join(part.split()).casefold()) for part in parts if part.strip())
    again = re.compile(
        rf"(?:{names})[\s,.;:(]*(?:vol(?:ume)?\b\.?|no\b\.?|xx+|[12]\d{{3}}\b|\d{{1,4}}\w?\b)\W*(?:\d|\(|xx)"
    )
    return any(
        again.search(" ".join(line.text.split()).casefold()) for place, line in enumerate(lines) if place not in group
    )


def _unmarked(line: TextLine) -> str:
    """Return the line without footnote marks that are set behind its end."""
    text, end = line.text, len(line.text.rstrip())
    for start, stop in reversed(line.raised):
        if stop >= end and stop - start <= 3:
            end = start
    return text[:end].strip()


def _join(text: str, line: str, known: str) -> str:
    if not text:
        return line
    if text.endswith("\u00ad"):
        return text[:-1] + line
    if text[-1] in "-‐" and len(text) > 1 and text[-2].isalpha():
        return text + line if _keeps_hyphen(text[:-1], line, known) else text[:-1] + line
    if _HAN.match(text[-1]) and _HAN.match(line[:1]):
        return text + line
    return f"{text} {line}"


def _keeps_hyphen(before: str, after: str, known: str) -> bool:
    first, second = re.split(r"\W", before)[-1], re.split(r"\W", after)[0]
    if not second[:1].islower():
        return True
    folded = known.casefold()
    if f"{first}{second}".casefold() in folded:
        return False
    return (
        f"{first}-{second}".casefold() in folded
        or first.casefold() in _KEEPS_HYPHEN
        or "-" in before.rpartition(" ")[2]
    )


# -- what all places say together

# -- stamps: DOI, arXiv, and the year in stamps, banners and dates

_PAGE = "first page"
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>{}|\\^`，。；]+", re.IGNORECASE)
_DOI_LEAD = re.compile(r"(?:doi\s*(?:\.org/?)?\s*[:：/]?|doi\.org/)\s*$", re.IGNORECASE)
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)", re.IGNORECASE)
_ARXIV_ID = r"\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7}"
_STAMP = re.compile(
    rf"arXiv\s*:\s*({_ARXIV_ID})(v\d{{1,3}})?\s*(\[[\w.-]+\])?\s*(\d{{1,2}}\s+[A-Z][a-z]{{2}}\s+((?:19|20)\d\d))?",
    re.IGNORECASE,
)

_YEAR = r"((?:19[5-9]|20[0-4])\d)(?!\d)"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
# What dates this document in so many words, wherever it stands as long as it begins a line or follows a stop; the surest first
_LABEL = r"(?:^|[;；|•·。.,，)(\]/]|\s{2})\W*"
_DATED = (
    (
        0.9,
        re.compile(
            rf"{_LABEL}(?:published|publication date|available)(?:\s+(?:online|in))?\s*(?:on|:)?\s*(?:\d{{1,2}}(?:st|nd|rd|th|\.)?\s+)?"
            rf"(?:{_MONTH}\s*)?(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s*)?{_YEAR}",
            re.IGNORECASE,
        ),
    ),
    (0.9, re.compile(rf"(?:出版|发布|发表)(?:日期|时间)?\s*[:：]?\s*{_YEAR}")),
    (
        0.9,
        re.compile(
            rf"^\W*(?:citation|cite this\b.{{0,40}}?|how to cite.{{0,30}}?|引用(?:格式|本文)?)\s*[:：].{{0,250}}?[\s(,，]{_YEAR}",
            re.IGNORECASE,
        ),
    ),
    (
        0.8,
        re.compile(
            rf"(?:©|\(c\)|copyright)\W*(?:the authors?\(?s?\)?,?\s*)?(?:\([cC]\)\s*)?.{{0,60}}?{_YEAR}", re.IGNORECASE
        ),
    ),
    (0.75, re.compile(rf"{_LABEL}to appear\b.{{0,80}}?\b{_YEAR}", re.IGNORECASE)),
    (0.6, re.compile(rf"{_LABEL}accepted\s*(?:on|in|:)?.{{0,30}}?{_YEAR}", re.IGNORECASE)),
    (
        0.5,
        re.compile(
            rf"(?:{_LABEL}(?:received|revised|submitted)|收稿日期)\s*(?:on|in|:|：)?.{{0,30}}?{_YEAR}", re.IGNORECASE
        ),
    ),
)
# what does so only where it is set apart from the text: in a masthead, at the foot, in small letters
_SET_APART = (
    (
        0.85,
        re.compile(
            rf"{_YEAR}\s*年\s*(?:第\s*\d+\s*[卷期]|\d{{1,2}}\s*月(?!\s*[至到]|.*。$))|第\s*\d+\s*[卷期].{{0,12}}?{_YEAR}"
        ),
    ),
    (0.85, re.compile(rf"(?:时间|日期|date)\s*[:：]\s*{_YEAR}", re.IGNORECASE)),
    (
        0.85,
        re.compile(
            rf"(?:published as|conference|proceedings|symposium|workshop|transactions|meeting|congress)\b.{{0,120}}?\b{_YEAR}",
            re.IGNORECASE,
        ),
    ),
    (
        0.85,
        re.compile(
            rf"\b(?:NAACL|ACL|EMNLP|EACL|COLING|NeurIPS|NIPS|ICML|ICLR|CVPR|ICCV|ECCV|AAAI|IJCAI|KDD|SIGIR|WWW|CHI|LREC|TACL|VLDB|SIGMOD|INTERSPEECH|ICASSP)\b[-\w]{{0,8}},?\s*[’']?{_YEAR}"
        ),
    ),
    (
        0.85,
        re.compile(
            rf"(?:\bvol(?:ume)?\.?|\bno\.|\bissue|\d\s*[:(]).{{0,40}}?\b{_YEAR}|\b\d{{1,4}}\w?\s*\({_YEAR}\)",
            re.IGNORECASE,
        ),
    ),
    (
        0.75,
        re.compile(
            rf"^(?:\W|\d)*(?:{_MONTH}\s*)(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?{_YEAR}\W*$|^\d{{1,2}}\.?\s+{_MONTH}\s+{_YEAR}\W*$"
        ),
    ),
    (0.6, re.compile(rf"(?<![\d./-]){_YEAR}[-/.](?:0[1-9]|1[0-2])[-/.](?:[0-2]\d|3[01])(?!\d)")),
    (0.6, re.compile(rf"(?<!\d){_YEAR}\s*年(?!.*。$)|^\W*{_YEAR}\W*$")),
)
# and this, as a reference has it, too, only in a masthead or at the foot
_OF_VOLUME = re.compile(rf"{_YEAR}\s*[,，;]\s*\d+\s*(?:[(（]\d+[)）])?\s*[:：]")
_CITED_WORK = re.compile(
    r"^\s*[\[［]\d{1,3}[\]］]\s*\S|[\[［][JMDCNPSR](?:/OL)?[\]］]\s*[.．/,，]"
)  # a line of a list of references
_CITED = re.compile(r"\W*(?:\[\d{1,3}\]|[\u2460-\u2473])")  # a footnote with the number of what it cites

_DATE = re.compile(
    rf"\b{_MONTH}(?:\s*\d{{1,2}}(?:st|nd|rd|th)?(?:\s*[-–—]\s*(?:{_MONTH}\s*)?\d{{1,2}})?)?,?\s*((?:1[89]\d|20[0-4])\d)(?!\d)"
)

_SHORT_YEAR = re.compile(
    r"\b(?:[A-Z][A-Za-z]*[A-Z]+[A-Za-z]*|[A-Z][a-z]+[A-Z][a-z]+)\s?(?:['’‘]\s?|-(?=\d\d\b))(\d\d)\b(?!['’-])"
)

_THIS_CENTURY = 50
_MOST_WORDS = 20
_PLAIN_YEAR = re.compile(rf"(?<![\d./:-]){_YEAR}(?![./:-]?\d)")
_BROKEN = re.compile(r"10\.\d{4,9}(?:/?|/\S*[/_-])$")  # at the end of a line
_STOPPED = re.compile(r"10\.\d{4,9}/\S*\.$")  # it may be the end of the sentence


def _stamp_facts(lines: Sequence[TextLine], edges: Sequence[str], head: Sequence[TextLine]) -> list[Fact]:
    """Return what the lines of a first page say of DOI, arXiv id and year; those at its edges (head and foot) date it by any year,
    those of its head, above the text, by any date.
    """
    texts = [line.text for line in lines]
    # the list of references may stand on the first page, too
    before = {id(line) for line in takewhile(lambda line: not names_references(line.text), lines)}
    own = [line for line in lines if id(line) in before and not _CITED_WORK.search(line.text)]
    cited = {line.text for line in lines} - {line.text for line in own}
    edges, head = [text for text in edges if text not in cited], [line for line in head if line.text not in cited]
    apart = [line.text for line in _set_apart(own, head)]
    lines_of_stamps = [text[::-1] if "viXra" in text else text for text in texts]  # a stamp turned on its side
    facts = [Fact(field="doi", value=doi, source=_PAGE, sure=sure) for doi, sure in _dois(lines_of_stamps)]
    return [
        *facts,
        *_arxiv(lines_of_stamps),
        *_years([line.text for line in own], apart, edges, [line.text for line in head]),
    ]


def _set_apart(lines: Sequence[TextLine], head: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines that are no running text: those above it, and below only what is set smaller, is no sentence and cites nothing."""
    above, size = {id(line) for line in head}, _body_size(lines)
    sentence = [_is_sentence(line) for line in lines]
    apart: list[TextLine] = []
    for place, line in enumerate(lines):
        around = [at for at in (place - 1, place, place + 1) if 0 <= at < len(lines) and _continues(lines[at], line)]
        running = sentence[place] or line.size > _SMALL * size or all(sentence[at] for at in around if at != place)
        if id(line) in above or not (running or _is_cited(line)):
            apart.append(line)
    return apart


def _is_cited(line: TextLine) -> bool:
    """Tell a footnote: what it says of a year is mostly that of a work that it cites."""
    mark = line.text[line.raised[0][0] : line.raised[0][1]].strip() if line.raised else ""
    numbered = mark.isdecimal() and line.text.startswith(mark)
    return _CITED.match(line.text) is not None or numbered


def _is_sentence(line: TextLine) -> bool:
    words = line.text.split()
    small = sum(word[0].islower() for word in words)
    return (len(words) > _FEW_WORDS and small > len(words) / 2) or len(_HAN.findall(line.text)) > _PROSE_OF_HAN


def _dois_in(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each DOI of a text without what only ends its sentence, and whether the text says that it is one."""
    for match in _DOI.finditer(text):
        doi = tidy_doi(match[0])
        if len(doi) > len(doi.split("/")[0]) + 1:
            yield doi, _DOI_LEAD.search(text, max(0, match.start() - 24), match.start()) is not None


def _dois(lines: Sequence[str]) -> list[tuple[str, float]]:
    """Return the page's DOI: the first that is called so. One that only stands somewhere may be that of a data set or a cited work."""
    text = ""
    for line in lines:
        goes_on = _BROKEN.search(text) if re.match(r"\s*[\w(]", line) else None
        goes_on = goes_on or (_STOPPED.search(text) if re.match(r"\s*[a-z.]*\d", line) else None)
        text += line.strip() if goes_on else "\n" + line.strip()
    found = [(doi, told) for doi, told in _dois_in(text) if not _ARXIV_DOI.fullmatch(doi)]
    if not found:
        return []
    told = [doi for doi, plain in found if plain]
    alone = len({doi.casefold() for doi, _ in found}) == 1
    return [((told or [found[0][0]])[0], 0.95 if alone and told else 0.85 if told or alone else 0.6)]


def _arxiv(lines: Sequence[str]) -> Iterator[Fact]:
    text = "\n".join(lines)
    stamps = list(_STAMP.finditer(text))
    sealed = [stamp for stamp in stamps if stamp[3] or stamp[4]]
    preprint = next((match for doi, _ in _dois_in(text) if (match := _ARXIV_DOI.fullmatch(doi))), None)
    best = (sealed or stamps or [None])[0]
    if best is not None:
        sure = 0.95 if sealed else 0.5
        yield Fact(field="arxiv", value=best[1], source=_PAGE, sure=sure)
        if best[5]:
            yield Fact(field="year", value=int(best[5]), source=_PAGE, sure=0.9)
        if sealed and (year := year_of_arxiv(best[1])):
            yield Fact(field="year", value=year, source=_PAGE, sure=0.6)
    elif preprint is not None:
        yield Fact(field="arxiv", value=re.sub(r"v\d+$", "", preprint[1]), source=_PAGE, sure=0.9)


def _years(texts: Sequence[str], apart: Sequence[str], edges: Sequence[str], head: Sequence[str]) -> Iterator[Fact]:
    """Yield the year of each kind of evidence once, as far as it is none of a cited work or of a history."""
    seen: set[int] = set()
    nearer = [*head, *edges]  # what is set apart within the text is less sure: it may be that of a list of works
    groups = ((_DATED, texts, 0.0), (_SET_APART, nearer, 0.0), (_SET_APART, apart, _WITHIN))
    kinds = [(round(sure - less, 2), pattern, lines) for group, lines, less in groups for sure, pattern in group]
    for sure, pattern, lines in sorted(kinds, key=lambda kind: -kind[0]):
        for line in lines:
            match = pattern.search(line[:400])
            year = int(next(filter(None, match.groups()))) if match else 0
            if year and year not in seen:
                seen.add(year)
                yield Fact(field="year", value=year, source=_PAGE, sure=sure)
                break
    for line in (*head, *edges):
        if (match := _OF_VOLUME.search(line)) and int(match[1]) not in seen:
            seen.add(int(match[1]))
            yield Fact(field="year", value=int(match[1]), source=_PAGE, sure=0.85)
    for line in edges:
        found = {int(match[1]) for match in _PLAIN_YEAR.finditer(line[:400])}
        if len(found) == 1 and not found & seen:
            seen |= found
            yield Fact(field="year", value=found.pop(), source=_PAGE, sure=0.7)
    for line in (*head, *edges):
        dated = len(line.split()) <= _MOST_WORDS and not _STAMP.search(line)  # a stamp is read for itself
        date = _DATE.search(line) if dated else None
        if date and int(date[1]) not in seen:
            seen.add(int(date[1]))
            yield Fact(field="year", value=int(date[1]), source=_PAGE, sure=0.7)
    for line in (*edges, *head):
        short = _SHORT_YEAR.search(line) if len(line.split()) <= _MOST_WORDS else None
        year = int(short[1]) + (2000 if int(short[1]) < _THIS_CENTURY else 1900) if short else 0
        if year and year not in seen:
            seen.add(year)
            yield Fact(field="year", value=year, source=_PAGE, sure=0.65)


# -- the properties of the file

_PROPERTIES = "document properties"
_LONGEST = 500
_NO_TITLE = re.compile(
    r"(?:microsoft (?:word|powerpoint)\b.*|powerpoint[- ]presentation|untitled\W*\d*|title|no title|document\d*|"
    r"slide \d+|presentation\d*|paper|main|article|"
    r"manuscript|template|thesis|draft|output|arxiv|print|pii\b.*|doi\s*:.*|10\.\d{4,}/.*|arxiv\s*:.*|\S+ \d+\.\.\d+|[\W\d]+|"
    r".*\.(?:pdf|docx?|tex|dvi|e?ps|qxd|indd|pptx?|rtf|odt|fm|p65|cls|sty|bst|html?)\b.*|.*\b(?:latex|ieeetran|acmart|llncs|elsarticle)\b.*(?:template|"
    r"demo|sample|instructions|class|guide).*|(?:instructions|guidelines|formatting|author'?s? guide).*(?:submission|"
    r"authors|proceedings|papers)\b.*|"
    r"(?:bare|sample|example) (?:demo|paper|document|article)\b.*|.*\btemplate\b.*|insert (?:your )?title.*|"
    r"type (?:the )?title.*|[\u3400-\u9fff]{0,6}论文|文档\d*|未命名.*|无标题.*|幻灯片 ?\d*)",
    re.IGNORECASE | re.DOTALL,
)

_NO_AUTHOR = re.compile(
    r"administrator|admin|users?|owner|authors?|anonymous|unknown|none|n/?a|root|guest|default|microsoft.*|windows.*|.*\blatex\b.*|.*\btex\b.*|office.*|"
    r"user name|\w+ user|hp|dell|lenovo|acer|asus|ieee|acm|springer|elsevier|.*\b(?:inc|ltd|gmbh|press|publish\w*|"
    r"corporation|university)\b.*|微软.*|用户|作者",
    re.IGNORECASE,
)


def _property_facts(properties: Mapping[str, str], path: Path) -> Iterator[Fact]:
    """Yield what the properties of a document say, unless a program filled them in."""
    known = {key.casefold().lstrip("/"): " ".join(value.split())[:_LONGEST] for key, value in properties.items()}
    title = known.get("title", "")
    if _sensible_title(title, path):
        yield Fact(field="title", value=title, source=_PROPERTIES, sure=0.6)
    if names := _property_authors(known.get("author", "")):
        yield Fact(field="authors", value=names, source=_PROPERTIES, sure=0.6)
    told = next(
        (
            doi
            for key in ("doi", "wps-articledoi", "subject", "title", "keywords")
            for doi, _ in _dois_in(known.get(key, ""))
        ),
        "",
    )
    if told:
        yield Fact(field="doi", value=told, source=_PROPERTIES, sure=0.9)
    created = re.match(r"(?:D:)?\s*((?:19[89]|20[0-4])\d)", known.get("creationdate", ""))
    if created:
        yield Fact(field="created", value=int(created[1]), source=_PROPERTIES, sure=0.9)
        yield Fact(field="year", value=int(created[1]), source=CREATION, sure=0.15)  # printed anew years later, often


def _sensible_title(title: str, path: Path) -> bool:
    """Tell whether these words can be a paper's title rather than a program's, a file's or a template's name."""
    if _NO_TITLE.fullmatch(title) or sum(character.isalpha() for character in title) < 4:
        return False
    stem = re.sub(r"\W|_", "", printable(Path(path.stem))).casefold()
    is_stem = re.sub(r"\W|_", "", title).casefold() == stem and " " not in title
    return not is_stem and (" " in title or not re.search(r"[\d_\\/]", title))


def _property_authors(text: str) -> tuple[str, ...]:
    """Return the names in an Author property; () for the name of a program or an account."""
    if not text or _NO_AUTHOR.fullmatch(text) or re.search(r"[@\\_=]", text):
        return ()
    parts = [part.strip() for part in re.split(r"\s*;\s*|\s+and\s+", text) if part.strip()]
    if len(parts) > 1 and all(part.count(",") == 1 for part in parts):
        return tuple(parts)  # family names first
    if (
        len(parts) == 1
        and re.fullmatch(r"[^\W\d_]+(?:[-' ][^\W\d_]+)?, [^\W\d_][^\W\d_.-]*(?: [^\W\d_.]+\.?)*", text)
        and " " not in text.partition(",")[0]
    ):
        return (text,)
    names = [name for part in parts for name in names_in(part)]
    pieces = re.split(r"[;,，、；&]|\s+and\s+", text)
    return tuple(dict.fromkeys(names)) if len(names) >= sum(map(is_name, pieces)) else ()


# -- the cover of a thesis: what stands behind "Title:", "Author:", 题目, 姓名, each with the lines that it goes on in

_LABELS = {
    "title": re.compile(
        r"(?:(?:中文)?(?:毕业)?(?:论文|设计|课题)?(?:[(（]设计[)）])?(?:题目|题名|标题|名称)|(?:thesis|dissertation|paper|project)?title)",
        re.IGNORECASE,
    ),
    "authors": re.compile(
        r"(?:(?:学生|作者|研究生|本科生|申请人)?姓名|作者|研究生|学生|申请人|(?:student|author|candidate)'?s?(?:name)?|submittedby)",
        re.IGNORECASE,
    ),
    "school": re.compile(r"(?:学校|培养单位|授予单位|大学|university)", re.IGNORECASE),
    "other": re.compile(
        r"(?:院系|系别|学院|学院系|院|系|专业(?:班级|名称)?|班级|年级|学号|(?:校内|校外)?(?:指导|导)(?:教师|老师|师).*|导师.*|日期|完成日期|学科.*|"
        r"student(?:id|no)\W*|department|program(?:me)?|major|(?:thesis)?(?:advisor|supervisor)s?|date|faculty|school)",
        re.IGNORECASE,
    ),
}

_HAN_GAP = re.compile(r"(?<=[\u3400-\u9fff（）()])\s+(?=[\u3400-\u9fff（）()])")
_SCHOOL = re.compile(r"[\u3400-\u9fff]{2,12}(?:大学|学院)")
_COLON = re.compile(r"\s*[:：]\s*")
_MOST_LINES_OF_FIELD = 3
_LONGEST_LABEL = 24
_WIDTH = 0.8  # of a character, against its size
_SURE = 0.85


def _cover_facts(lines: Sequence[TextLine]) -> Iterator[Fact]:
    """Yield what the labelled fields of a first page say; nothing where not even a title or an author is labelled."""
    fields: dict[str, str] = {}
    last, left = "", 0.0
    for place, line in enumerate(lines):
        found = list(_fields(line))
        for name, value, begins in found:
            fields.setdefault(name, value)
            last, left = name, begins
        goes_on = not found and last == "title" and place and _is_below(lines[place - 1], line, left)
        if goes_on and fields["title"]:
            fields["title"] = _joined(f"{fields['title']} {line.text.strip()}")
        elif not found:
            last = ""
    names = names_in(fields.get("authors", ""))
    if len(fields.get("title", "")) > _MOST_LINES_OF_FIELD:
        yield Fact(field="title", value=fields["title"], source=_PAGE, sure=_SURE)
        school = fields.get("school") or next(
            (text for line in lines if _SCHOOL.fullmatch(text := _joined(line.text.strip()))), ""
        )
        if school:
            yield Fact(field="school", value=school, source=_PAGE, sure=_SURE)
    if names:
        yield Fact(field="authors", value=tuple(names), source=_PAGE, sure=_SURE)


def _fields(line: TextLine) -> Iterator[tuple[str, str, float]]:
    """Yield the fields of a line with their values, and where these begin: behind a colon, or in the next cell."""
    cells = [(line.text[cell.start : cell.end], cell.left) for cell in line.cells] or [(line.text, line.left)]
    parts: list[tuple[str, float]] = []
    for text, begins in cells:
        at = 0
        for part in _COLON.split(text):
            at = text.index(part, at)
            parts.append((part.strip(), begins + at * line.size * _WIDTH))
    place = 0
    while place < len(parts):
        for taken in range(min(4, len(parts) - place), 0, -1):  # 姓 and 名 may stand apart
            label = "".join(text for text, _ in parts[place : place + taken]).replace(" ", "")
            name = next((name for name, sign in _LABELS.items() if sign.fullmatch(label)), None)
            if name and len(label) <= _LONGEST_LABEL:
                place += taken
                rest = [part for part in parts[place : place + 2] if part[0]]
                if rest:
                    yield name, _joined(rest[0][0]), rest[0][1]
                    place = parts.index(rest[0]) + 1
                break
        else:
            place += 1


def _is_below(above: TextLine, line: TextLine, left: float) -> bool:
    near = 0 < line.top - above.top < 3 * line.size
    return near and abs(above.size - line.size) < 1 and line.left > left - 2 * line.size and len(line.text) < 60


def _joined(text: str) -> str:
    return _HAN_GAP.sub("", text).strip()


# -- the first page

_MOST_LINES_OF_PAGE = 300
_AGREED = 0.95  # two sources that do not know of each other say the same
_LESS = 0.4
_FOOT = 0.93  # of the lowest line
_SMALL = 0.95  # times the size of most lines
_FEW_WORDS = 6
_PROSE_OF_HAN = 20
_WITHIN = 0.2
_DOUBTFUL = 0.4  # surer than the date of the file
_WRITTEN = re.compile(r"\W*\d?\s*(?:报告)?(?:执笔|撰写|撰稿)人?\s*[:：]\s*([^（(，,；;]+)")
_TITLE_YEAR = re.compile(r"(?<!\d)(?:19[5-9]|20[0-4])\d(?!\d)")
_MOST_BESIDE = 12


def front_facts(lines: Sequence[TextLine], properties: Mapping[str, str], path: Path) -> list[Fact]:
    """Return what is said of title, authors, year, doi and arxiv: of each field the surest first."""
    outside = [*_property_facts(properties, path), *file_facts(path)]
    told = [str(fact.value) for fact in outside if fact.field == "title"]
    head = list(takewhile(lambda line: not ends_head(line), lines[:_MOST_LINES_OF_PAGE]))
    facts = [*_cover_facts(head), *_page_facts(lines[:_MOST_LINES_OF_PAGE], told), *outside]
    order = {field: place for place, field in enumerate(dict.fromkeys(fact.field for fact in facts))}
    return sorted(_agreed(facts), key=lambda fact: (order[fact.field], -fact.sure))


def _page_facts(lines: Sequence[TextLine], told: Sequence[str]) -> Iterator[Fact]:
    places, clear = title_lines(lines, told)
    title, authors = joined([lines[place] for place in places], _rest(lines, places)), tuple[str, ...]()
    if title:
        yield Fact(field="title", value=title, source=_PAGE, sure=0.8 if clear else _LESS)
        authors, plain = authors_below(_head(lines, places[-1]))
        if authors:
            yield Fact(field="authors", value=authors, source=_PAGE, sure=(0.8 if plain else 0.6) if clear else _LESS)
    last = places[-1] + 1 if places else 0
    head = [*lines[:last], *takewhile(lambda line: not ends_head(line), lines[last:])]
    if title and not authors and (written := _signed(lines)):
        yield Fact(field="authors", value=written, source=_PAGE, sure=_LESS)
    # what stands above the title, and at the foot of the page: in small letters or few words, or it is prose
    foot = max((line.bottom for line in lines), default=0.0) * _FOOT
    above = lines[places[0]].top if places else 0.0
    usual = median(line.size for line in lines) if lines else 0.0
    few = [line for line in lines if _words(line.text) <= (_FEW_WORDS if line.size >= _SMALL * usual else _MOST_WORDS)]
    edges = [line for line in few if (line.bottom <= above or line.top >= foot) and not _is_cited(line)]
    yield from _stamp_facts(lines, [line.text for line in edges], head)
    if year := _year_of_title(title):
        yield Fact(field="year", value=year, source="title", sure=_DOUBTFUL)


def _signed(lines: Sequence[TextLine]) -> tuple[str, ...]:
    """Return who is said to have written this in a line by itself, wherever it stands on the page."""
    written = (match[1] for line in lines if (match := _WRITTEN.match(line.text)))
    return tuple(name for names in written for name in names_in(names))


def _words(text: str) -> float:
    return len(text.split()) + len(_HAN.findall(text)) / 2


def _year_of_title(title: str) -> int | None:
    """Return the only year in a title, or the first of two that follow each other: what lies between others is a time that is told of."""
    years = sorted({int(year) for year in _TITLE_YEAR.findall(title)})
    return years[0] if years and len(years) < 3 and years[-1] - years[0] < 2 else None


def _head(lines: Sequence[TextLine], last: int) -> list[TextLine]:
    """Return the lines below the title. An author in a column of his own may come after the text of the column before his."""
    below = list(lines[last + 1 :])
    stop = next((place for place, line in enumerate(below) if ends_head(line)), len(below))
    beside = (
        line
        for line in below[stop + 1 :]
        if line.top >= lines[last].bottom and line.bottom <= below[stop].top and not ends_head(line)
    )
    return [*below[:stop], *islice(beside, _MOST_BESIDE), *below[stop:]]


def _rest(lines: Sequence[TextLine], places: Sequence[int]) -> str:
    return "\n".join(line.text for place, line in enumerate(lines) if place not in places)


def _agreed(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Yield the facts, the surest of those that agree surer for it: how it spaces and capitalises a word, or leaves out a colon
    as the name of a file must, is no disagreement, and the others bear it out without taking its place."""
    for fact in facts:
        same = [other for other in facts if other.field == fact.field and _key(other) == _key(fact)]
        agreed = len({other.source for other in same}) > 1 and max(same, key=lambda other: other.sure) is fact
        more = min(_AGREED, round(fact.sure + 0.1, 2)) if fact.field == "year" else _AGREED
        yield replace(fact, sure=max(fact.sure, more)) if agreed else fact


def _key(fact: Fact) -> str:
    value = fact.value if isinstance(fact.value, tuple) else (fact.value,)
    return " ".join(
        "".join(sorted(letters_of(str(part)))) if fact.field == "authors" else letters_of(str(part)) for part in value
    )
