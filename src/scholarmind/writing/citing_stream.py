"""What a model streams, on its way to people: thoughts are left out, keys of passages become citations, invented ones are removed.

Text is given out as soon as it is whole: up to the last border between words that no bracket, tag or line of marks stands open before.
In what comes out a citation is a mark that no model can write (`\\ue000P1,P3\\ue001`); `rendered` shows it as [Author, Year].
"""

import re
from collections.abc import Callable, Mapping

from scholarmind.text.language import HAN
from scholarmind.text.patterns import lazy_regex
from scholarmind.text.quoted import disarmed
from scholarmind.writing.anchors import ANCHOR, RESERVED, claimed
from scholarmind.writing.safe_markdown import safe
from scholarmind.writing.wording import bracketed

OPEN, CLOSE = "\ue000", "\ue001"
MARK = lazy_regex(rf"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")
_MARKS = lazy_regex(rf"{MARK.pattern}|{ANCHOR.pattern}")
_CITATIONS_BEHIND = lazy_regex(rf"(?:[ \t]*{MARK.pattern})+[.!?。！？…；;,，:：]*[*_\"'”’)）]*[ \t]*$")
_CLEANED = RESERVED | str.maketrans(
    "［］", "[]"
)  # no model writes our marks, and these brackets are the same to the eye
_LONGEST_TAG = 20
_LONGEST_WORD = 400  # what goes on for longer without a border is given out as it stands
_MOST_REMOVED = 5  # that are told by name
_LATIN = r"A-Za-z\u00c0-\u024f"

_THINKS = lazy_regex(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT_ENDS = lazy_regex(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_GROUP = lazy_regex(  # a bracket or tag, perhaps still open
    r"!?\[[^\]]{0,300}(?:\]{1,2}(?:\((?:[^()\n]|\([^()\n]*\)){0,600}(?:\)|$))?|$)|【[^】]{0,300}(?:】|$)"
    r"|[〔〖⟦〚][^〕〗⟧〛]{0,300}(?:[〕〗⟧〛]|$)|[(（][^()（）]{0,300}(?:[)）]|$)|<(?:[a-zA-Z/!][^<>]{0,300}(?:>|$)|$)"
)
_REPORT = lazy_regex(
    r"^[ \t]*(?:[#>*_`-]*[ \t]*={2,}[ \t]*(?:PARTS?|部分)[ \t]*=*|(?:#{1,6}[ \t]*|\*{2}[ \t]*)?PARTS[ \t]*[:：]?)[ \t*_`:：]*$",
    re.MULTILINE,
)
_REPORT_BEGINS = lazy_regex(r"[ \t#>*_`=-]*(?:P(?:A(?:R(?:T(?:S)?)?)?)?|部分?)?[ \t=*_`:：]*")
_LONGEST_REPORT_LINE = 40
_SPACES = lazy_regex(r"([^\S\n]{8})[^\S\n]+|(\n{8})\n+")
_UNBROKEN = lazy_regex(rf"(?:(?!{HAN.pattern})\S)*+")
_FENCE = lazy_regex(r"^[ \t]*```[\w-]*[ \t]*$\n?", re.MULTILINE)
_KEY = lazy_regex(r"P(\d{1,3})(?:\s*[-–—~]\s*P(\d{1,3}))?", re.IGNORECASE)
_LIGHT = lazy_regex(
    r"passages?|sources?|see(?: also)?|cf\.?|and|e\.g\.|段落|来源|资料|参见|见|和|与|[\s,;:，；、：&.*_`]+",
    re.IGNORECASE,
)
_AUTHOR_YEAR = lazy_regex(
    rf"(?:see |cf\. |e\.g\.,? )?[{_LATIN}\u3400-\u9fff][^()\[\]]{{0,150}}?(?:,|，|\bet al\.?|等)\s*"
    r"\(?(?:1[5-9]|20)\d\d[a-z]?(?:[,;；，].{0,200})?"
    r"|.{1,150}, n\.d\.[-a-z]*"
)
_NUMBERED = lazy_regex(
    r"\^?\d{1,3}(?:\s*[-–,;，、]\s*\^?\d{1,3})*|\^[\w-]{1,40}|(?:source|citation|ref(?:erence)?)s?(?: needed)?\s*\d*|来源\s*\d*",
    re.IGNORECASE,
)
_TOKEN = lazy_regex(
    r"(?P<before>[ \t]{0,8})(?:"
    r"!\[(?P<image>[^\[\]]{0,300})\](?:\((?:[^()\n]|\([^()\n]*\)){0,600}\)|\[[^\[\]]{0,100}\])?"
    r"|\[(?P<link>[^\[\]]{1,300})\]\((?:[^()\n]|\([^()\n]*\)){0,600}\)"
    r"|\[{1,2}(?P<square>[^\[\]]{0,300})\]{1,2}"
    r"|【(?P<wide>[^【】]{0,300})】"
    r"|[(（](?P<round>[^()（）]{0,300})[)）]"
    r"|<(?P<tag>[/!]?[a-zA-Z][^<>]{0,300})>"
    r"|(?<![A-Za-z0-9-])P(?P<bare>\d{1,3})(?![\w-]|\.\d))"
)


class CitingStream:
    """Takes the pieces of a text and gives back what of it can be shown; `report` is what comes behind the line of the report."""

    def __init__(self, keys: Mapping[str, str]) -> None:
        """Take the citation key of each passage: P1 -> Devlin et al., 2019."""
        self.report = ""
        self.begun_anew = False  # what came before was a thought
        self._keys = {passage.upper(): key for passage, key in keys.items()}
        self._passages: dict[str, list[str]] = {}
        for passage, key in self._keys.items():
            self._passages.setdefault(_folded(key), []).append(passage)
        self._removed: dict[str, int] = {}
        self._buffer = ""
        self._before: str | None = None  # what waits for the end of a thought
        self._over = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What was removed, told in one line."""
        if not self._removed:
            return ()
        count, named = sum(self._removed.values()), list(self._removed)[:_MOST_REMOVED]
        more = ", ..." if len(self._removed) > _MOST_REMOVED else ""
        what = "a citation" if count == 1 else f"{count} citations"
        return (
            f"{what} of what the model was not given {'was' if count == 1 else 'were'} removed: {', '.join(named)}{more}",
        )

    def take(self, piece: str, *, last: bool = False) -> str:
        """Take the next piece and return what can be shown now, with marks for citations."""
        if self._over:
            self.report += piece
            return ""
        self._buffer = _SPACES.sub(r"\1\2", self._buffer + piece.translate(_CLEANED))
        if self._thinks(last=last):
            return ""
        found = _REPORT.search(self._buffer)
        if found and (last or found.end() < len(self._buffer)):
            return self._ended(found)
        stop = len(self._buffer) if last else _border(self._buffer)
        ready, self._buffer = self._buffer[:stop], self._buffer[stop:]
        return self._marked(ready)

    def _thinks(self, *, last: bool) -> bool:
        """Take thoughts out of the buffer and tell whether one goes on; an end without a beginning makes all before it a thought."""
        while True:
            ends = _THOUGHT_ENDS.search(self._buffer)
            if self._before is not None:
                if ends is None and not last:
                    self._buffer = self._buffer[-_LONGEST_TAG:]
                    return True
                self._buffer, self._before = self._before + (self._buffer[ends.end() :].lstrip() if ends else ""), None
                continue
            begins = _THINKS.search(self._buffer)
            if begins and (ends is None or begins.start() < ends.start()):
                self._before, self._buffer = self._buffer[: begins.start()], self._buffer[begins.end() :]
            elif ends:
                self.begun_anew, self._buffer = True, self._buffer[ends.end() :].lstrip()
            else:
                return False

    def _ended(self, found: re.Match[str]) -> str:
        ready, self.report, self._over = self._buffer[: found.start()], self._buffer[found.end() :], True
        self._buffer = ""
        return self._marked(ready.rstrip())

    def _marked(self, text: str) -> str:
        return _TOKEN.sub(self._token, _FENCE.sub("", text))

    def _token(self, match: re.Match[str]) -> str:
        """Return what takes the place of a bracket, a tag or a key."""
        if match["image"] is not None or match["tag"] is not None:
            return match["before"]
        if match["bare"] is not None:
            key = f"P{int(match['bare'])}"
            return f"{match['before']}{OPEN}{key}{CLOSE}" if key in self._keys else match[0]
        inside = next(text for text in match.group("link", "square", "wide", "round") if text is not None)
        square = match["square"] is not None or match["wide"] is not None
        cited = self._cited(inside, square=square)
        if cited is None:
            return f"{match['before']}{inside}" if match["link"] is not None else match[0]
        return f"{OPEN}{','.join(cited)}{CLOSE}" if cited else ""

    def _cited(self, inside: str, *, square: bool) -> list[str] | None:
        """Return the passages that a bracket cites, none if it cites what was not given; None if it is no citation."""
        keys = [key for match in _KEY.finditer(inside) for key in _range(match)]
        pure = not _LIGHT.sub("", _KEY.sub("", inside))
        if keys and (pure or square):
            self._note(*(key for key in keys if key not in self._keys))
            return list(dict.fromkeys(key for key in keys if key in self._keys))
        named = [passage for key in re.split(r"[;；]", inside) for passage in self._passages.get(_folded(key), ())]
        if named:
            return named
        if _AUTHOR_YEAR.fullmatch(inside.strip()) or (square and _is_reference(inside)):
            self._note(inside.strip())
            return []
        return None

    def _note(self, *removed: str) -> None:
        for one in removed:
            told = safe(one[:60])
            self._removed[told] = self._removed.get(told, 0) + 1


def sentence_claimed(number: int, marked: str) -> str:
    """Return a sentence as the claim of this number, which ends before the citations behind its words."""
    words = len(_CITATIONS_BEHIND.sub("", marked).rstrip())
    begin = len(marked) - len(marked.lstrip())
    return marked[:begin] + claimed(number, marked[begin:words]) + marked[words:]


def rendered(
    marked: str, keys: Mapping[str, str], before: str = "", *, bracket: Callable[[str], str] = bracketed
) -> str:
    """Return safe Markdown in which each mark is the citation of its passages, as [Author, Year]; `before` is what stands in front.

    What says where claims stand (see `anchors`) is left as it is.
    """
    marked = disarmed(marked)
    pieces: list[str] = []
    end, front = 0, before[-1:]
    for match in _MARKS.finditer(marked):
        plain = marked[end : match.start()]
        pieces.append(_plain(plain, front))
        front, end = plain[-1:] or front, match.end()
        if match[1] is None:
            pieces.append(match[0])
            continue
        cited = " ".join(dict.fromkeys(bracket(keys[key]) for key in match[1].split(",") if key in keys))
        pieces.append(cited if front in ("", *" \t\n(（|") else f" {cited}")
        front = CLOSE
    return "".join((*pieces, _plain(marked[end:], front)))


def _plain(text: str, before: str) -> str:
    """Return what stands between citations. Nothing may join onto one that would make a link of it."""
    space = " " if before == CLOSE and text[:1] in ("(", "[", ":") else ""
    return space + safe(text, begins_line=before in ("", "\n"))


def _border(text: str) -> int:
    """Return how much of the text is whole, whatever comes behind it."""
    unbroken = _UNBROKEN.match(text[::-1])
    stop = len(text) - (unbroken.end() if unbroken else 0)
    stop = len(text[:stop].rstrip())  # white space in front of a citation goes if the citation goes
    if not stop and len(text) > _LONGEST_WORD:
        return len(text)
    for group in _GROUP.finditer(text):
        if group.start() < stop < group.end():
            stop = len(text[: group.start()].rstrip())
    line = text.rfind("\n") + 1  # which may be the one that begins the report
    held = len(text) - line <= _LONGEST_REPORT_LINE and _REPORT_BEGINS.fullmatch(text, line)
    return min(stop, max(0, line - 1)) if held else stop


def _range(match: re.Match[str]) -> list[str]:
    first, last = int(match[1]), int(match[2] or match[1])
    return [f"P{number}" for number in range(first, min(last, first + 20) + 1)]


def _is_reference(inside: str) -> bool:
    return not inside.strip() or inside.strip() in "xX" or _NUMBERED.fullmatch(inside.strip()) is not None


def _folded(key: str) -> str:
    return " ".join(key.translate(str.maketrans("[]", "()")).casefold().split())
