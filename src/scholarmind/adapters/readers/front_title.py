"""Which lines of a first page are its title: the largest letters that are no banner, no journal's name and no stamp."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from scholarmind.adapters.readers.pdf.page import TextLine
from scholarmind.identity import letters_of

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
_STAMP = re.compile(r"arxiv\s*:|https?:|www\.|\bdoi\b|10\.\d{4,9}/|@", re.IGNORECASE)
_CHINESE_BANNER = re.compile(
    r"第\s*\d+\s*[卷期]|\d{4}\s*年|中图分类号|文献标[识志]码|文章编号|收稿日期|基金项目|摘\s*要|关键词|[博硕]士(?:研究生)?学位论文|学位论文|分类号|密级|目\s*录$|"
    r"\S{0,20}(?:学报|大学|学院|杂志|期刊)(?:[（(].*[)）])?$|(?:研究)?论\s*文$|综\s*述$|"
    r"[^:：]{0,12}(?:毕\s*业|学\s*位|学\s*年|综\s*合|开\s*题)[^:：]{0,10}(?:论\s*文|设\s*计|训\s*练|报\s*告)[^:：]{0,10}$|第\s*[一二三四五六七八九十\d]+\s*章"
)
_ALIKE = 0.9
_ABSTRACT = re.compile(r"\W*(?:abstract|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|摘\s*要)", re.IGNORECASE)
_FEWEST_LETTERS = 8  # of a name that says what a title is
_SAME_SIZE = 0.06
_WIDEST_GAP = 1.6  # between lines of a title, in sizes
_MOST_LINES = 6
_LONGEST = 300
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
    if not groups:
        return [], False
    if like := [group for group in groups if _is_like(_letters(lines, group), told)]:
        return like[0], True
    best = max(groups, key=lambda group: (_level(lines[group[0]]), -group[0]))
    first = lines[best[0]]
    clear = first.size >= body * _LARGER or (first.bold and sum(line.bold for line in lines) < len(lines) / 2)
    if clear and re.match(r"1(?:\.\d+)*\.?\s+\w", first.text):  # the heading of a first section
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
    while best and best[-1] + 1 < len(lines) and _continues(lines[best[-1]], lines[best[-1] + 1]):
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
            and not _STAMP.search(line.text)
        ):
            groups[-1].append(place)
        elif line.top <= lowest and not is_banner(line):
            groups.append([place])
    return groups


def _continues(above: TextLine, line: TextLine) -> bool:
    size = max(above.size, line.size)
    if above.text.rstrip().endswith((":", "：", "—")) and line.size > 0.8 * above.size and line.bold == above.bold:
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
    if len(group) > _MOST_LINES or len(text) > _LONGEST or letters < 0.5 * len(text.replace(" ", "")) or "@" in text:
        return False
    if letters < (3 if _HAN.search(text) else 4):  # an initial, a logo
        return False
    return not _names_journal(text, lines, group)


def _names_journal(text: str, lines: Sequence[TextLine], group: Sequence[int]) -> bool:
    """Tell whether these words stand on the page again with a volume behind them, or above a journal's address."""
    following = lines[group[-1] + 1].text.strip() if group[-1] + 1 < len(lines) else ""
    if re.match(r"journal home\s?page", following, re.IGNORECASE):
        return True
    name = re.escape(" ".join(text.split()).casefold())
    again = re.compile(name + r"[\s,.;:(]*(?:vol(?:ume)?\b\.?|no\b\.?|xx+|[12]\d{3}\b|\d{1,4}\b)\W*(?:\d|\(|xx)?")
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
