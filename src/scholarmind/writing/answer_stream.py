r"""The text of an answer while a model streams it: shown at once, safely, and judged sentence by sentence.

Thoughts are left out, keys of passages become citations, invented ones are removed. Text is given out as soon as it is whole: up to the
last border between words that no bracket, tag or line of marks stands open before. In what comes out a citation is a mark that no model
can write (`\ue000P1,P3\ue001`); `rendered` shows it as [Author, Year]. What the sentences rest on is decided in `attribution`.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scholarmind.calls import Reply
from scholarmind.text.analysis import sentences
from scholarmind.text.language import HAN, language_of, lazy_regex
from scholarmind.text.untrusted import disarmed
from scholarmind.writing.answer_markdown import ANCHOR, RESERVED, bracketed, claimed, safe, unmarked
from scholarmind.writing.attribution import Attributor

# -- pieces of text on their way to people

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

    What says where claims stand (see `answer_markdown`) is left as it is.
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


# -- a text with marks for citations, taken apart into lines and sentences, and put together again

_STOPS, _CLOSERS = ".!?。！？…；;", "\"'”’)）*"
_CITATIONS = rf"(?:[ \t]*{OPEN}[^{OPEN}{CLOSE}]*{CLOSE})++"
_MOVED = lazy_regex(rf"(?<![{_STOPS}])([{_STOPS}]++[{_CLOSERS}]*+)({_CITATIONS})([.。]?)")
_PREFIX = lazy_regex(r"^[ \t]*(?:[-*+•][ \t]+|\d{1,3}[.)][ \t]+|>[ \t]*)+|^[ \t]+")
_HEADING = lazy_regex(r"^[ \t]*#{1,6}[ \t]|^[ \t]*(?:\*{2,3}|__)[^*_]{1,120}(?:\*{2,3}|__)[:：]?[ \t]*$")
_RULE = lazy_regex(r"^[ \t]*(?:[-*_=][ \t]*){3,}$")
_SEPARATOR = lazy_regex(r"^[ \t]*\|?[ \t]*:?-{1,}:?[ \t]*(?:\|[ \t]*:?-{1,}:?[ \t]*)*\|?[ \t]*$")
_NO_LETTERS = lazy_regex(r"[\W_]*")
_ACCORDING = lazy_regex(
    rf"(?<!\w)(?:according to|as \w+ (?:in|by)|根据|据)[ \t]*{MARK.pattern}(?:所述)?[,，]?[ \t]*", re.IGNORECASE
)

_ITEM = lazy_regex(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_EMPTY_CELL = " — "
_LONGEST_NAME = 200  # of a row


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSentence:
    """A sentence, a bullet point or the cell of a table: as it was marked, its plain words, and the passages that it cites."""

    marked: str
    text: str
    keys: tuple[str, ...]

    def with_keys(self, keys: Sequence[str]) -> str:
        """Return it marked with these passages, in the place of what it cites now."""
        if tuple(keys) == self.keys:
            return self.marked
        mark = f"{OPEN}{','.join(keys)}{CLOSE}"
        first = MARK.search(self.marked)
        if first is None:
            place = len(self.marked.rstrip(" \t").rstrip(f"{_CLOSERS}_").rstrip(f"{_STOPS},，:："))
            return f"{self.marked[:place]}{mark}{self.marked[place:]}"
        rest = MARK.sub("", self.marked[first.end() :])
        return f"{self.marked[: first.start()]}{mark}{rest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedLine:
    """A line of the text. A heading or rule has no sentences; the cells of a table are sentences, but for names of rows."""

    kind: Literal["text", "row", "fixed", "empty"]
    marked: str
    sentences: tuple[MarkedSentence, ...] = ()
    places: tuple[tuple[int, int], ...] = ()  # of the sentences in what is marked

    @property
    def is_heading(self) -> bool:
        """Whether it stands above others."""
        return self.kind == "fixed" and is_heading(self.marked)

    @property
    def is_item(self) -> bool:
        """Whether it is an item of a list."""
        return _ITEM.match(self.marked) is not None

    def written(self, texts: Sequence[str | None]) -> str | None:
        """Return the line with each sentence replaced by a text, or left out; None if nothing is left of it."""
        if not self.sentences:
            return self.marked
        if all(text is None for text in texts):
            return None
        pieces: list[str] = []
        end = 0
        for (start, stop), text in zip(self.places, texts, strict=True):
            pieces.append(self.marked[end:start])
            pieces.append(text if text is not None else _EMPTY_CELL if self.kind == "row" else "")
            end = stop
        return re.sub(r"(?<=\S) {2,}", " ", "".join((*pieces, self.marked[end:]))).rstrip()


def lines(marked: str) -> list[MarkedLine]:
    """Take a text apart. A citation behind a full stop belongs to the sentence before it."""
    raw = [_moved(line) for line in marked.split("\n")]
    return [_line(line, raw[place + 1] if place + 1 < len(raw) else "") for place, line in enumerate(raw)]


def is_heading(line: str) -> bool:
    """Tell whether a line is a heading, or a short text that is bold as a whole."""
    return _HEADING.match(line) is not None


def whole(line: str) -> tuple[Sequence[MarkedSentence], int]:
    """Return the sentences of an open line that nothing can be added to any more, for another has begun behind them, and where that is."""
    found = _line(_moved(line), "")
    if found.kind != "text":
        return (), 0
    return found.sentences[:-1], found.places[-1][0]


def _moved(line: str) -> str:
    """Return the line with citations before the full stops that they stand behind; as long as it was, also where a stop is too many."""
    return _MOVED.sub(lambda match: f"{match[2]}{match[1]}{' ' * len(match[3])}", line)


def _line(line: str, following: str) -> MarkedLine:
    if not line.strip():
        return MarkedLine(kind="empty", marked="")
    if _RULE.match(line) or _SEPARATOR.match(line):
        return MarkedLine(kind="fixed", marked=line)
    if line.lstrip().startswith("|") and line.count("|") > 1:
        if "|" in following and _SEPARATOR.match(following):
            return MarkedLine(kind="fixed", marked=line)
        found = list(_cells(line))
        return _of(line, "row", found)
    if _HEADING.match(line):
        return MarkedLine(kind="fixed", marked=MARK.sub("", line))
    prefix = _PREFIX.match(line)
    return _of(
        line, "text", [(start, end, line[start:end]) for start, end in sentences(line, prefix.end() if prefix else 0)]
    )


def _of(line: str, kind: Literal["text", "row"], found: Sequence[tuple[int, int, str]]) -> MarkedLine:
    every = [
        (start, end, MarkedSentence(marked=line[start:end], text=_plain_words(said), keys=_keys(line[start:end])))
        for start, end, said in found
        if not _NO_LETTERS.fullmatch(MARK.sub("", line[start:end]))
    ]
    kept = [one for one in every if one[2].text]
    if not kept:
        return MarkedLine(kind="fixed", marked=MARK.sub("", line))
    made = tuple(sentence for _, _, sentence in kept)
    return MarkedLine(kind=kind, marked=line, sentences=made, places=tuple((start, end) for start, end, _ in kept))


def _cells(line: str) -> Iterator[tuple[int, int, str]]:
    """Yield the place of each cell with what it says of its row: what the first cell names, and its own words."""
    name = ""
    begin = line.index("|") + 1
    while begin < len(line):
        end = line.find("|", begin)
        end = len(line) if end < 0 else end
        cell = line[begin:end]
        if not name and not MARK.search(cell):
            name = _plain_words(cell)[:_LONGEST_NAME] or " "
        elif cell.strip():
            yield begin, end, f"{name}: {cell}" if name.strip() else cell
        begin = end + 1


def _plain_words(marked: str) -> str:
    marked = _ACCORDING.sub("", marked)
    return re.sub(r" +(?=[.,;:!?，。；：！？])", "", unmarked(MARK.sub(" ", marked)))


def _keys(marked: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for match in MARK.finditer(marked) for key in match[1].split(",") if key))


# -- the text as it comes in, judged so that little is left to do at its end

OnPiece = Callable[[str, int], None]
_SLICE = 1_000  # characters that are taken at once, and others run in between
_MOST_TAKEN = 5  # times the longest text: thoughts are not part of it, but have an end too
_MOST_JUDGED = 150  # sentences
_SAMPLE = 400
_MOST_SAMPLES = 5
_FEWEST_LETTERS = 20
_LEAST_CHINESE = 0.05  # of the letters of Chinese sentences that list Latin names
_SURE = 600  # characters from which on the language is plain
_ENDS = re.compile(r"[.!?](?=\s)|[。！？；…]")
_WHOLE = re.compile(
    r"[.!?][\"'”’)]*(?:\ue000[^\ue001]*\ue001)*(?=\s|$)|[。！？][”’」』）]*(?:\ue000[^\ue001]*\ue001)*|\n"
)

_FINISHED = {
    "length": "the model stopped at the longest text that it may write",
    "filter": "the model's own filter stopped it",
}


class IncomingText:
    """Takes the pieces of one text. `marked` is what came so far, with marks for citations, `broken` why it is not whole."""

    def __init__(
        self,
        attacher: Attributor,
        keys: Mapping[str, str],
        language: str,
        *,
        draft: int,
        on_piece: OnPiece,
        longest: int,
    ) -> None:
        """Take the citation key of each passage, the language that it should be in, and who is shown the pieces."""
        self.marked = ""
        self.broken = ""
        self.draft = draft
        self._attacher = attacher
        self._keys = keys
        self._language = language
        self._on_piece = on_piece
        self._longest = longest
        self._citing = CitingStream(keys)
        self._taken = 0
        self._judged = 0  # where the first sentence begins that is not judged
        self._sentences = 0
        self._looked = 0  # where to look next for sentences that have ended

    @property
    def report(self) -> str:
        """What the model reports of its parts."""
        return self._citing.report

    @property
    def notes(self) -> tuple[str, ...]:
        """What was removed."""
        return self._citing.notes

    async def take(self, piece: str) -> None:
        """Show what can be shown, and judge what is whole."""
        for start in range(0, len(piece), _SLICE):
            if self.broken:
                return
            self._taken += min(_SLICE, len(piece) - start)
            self._show(self._citing.take(piece[start : start + _SLICE]))
            if len(self.marked) + len(self.report) > self._longest or self._taken > _MOST_TAKEN * self._longest:
                self.cut(f"the model wrote more than {self._longest:,} characters")
            await asyncio.sleep(0)
            for sentence in self._ready():
                await asyncio.to_thread(self._attacher.attach, sentence.text, sentence.keys)

    async def end(self, reply: Reply | None) -> None:
        """Show the rest. A reply that was remembered did not come in pieces."""
        if reply and not self._taken:
            await self.take(reply.text)
        if not self.broken:
            self._show(self._citing.take("", last=True))
            if reply and reply.finish in _FINISHED:
                self.cut(_FINISHED[reply.finish])

    def cut(self, why: str) -> None:
        """Keep what came whole."""
        self._show(self._citing.take("", last=True))
        ends = [match.end() for match in _WHOLE.finditer(self.marked)]
        self.marked = self.marked[: ends[-1]] if ends else ""
        self.broken = why

    def is_foreign(self, *, so_far: bool = False) -> bool:
        """Tell whether most of it is in another language than it should be; `so_far` it has to be plain."""
        if not self._language or (so_far and not _SURE < len(self.marked) < 2 * _SURE):
            return False
        plain = " ".join(MARK.sub(" ", self.marked[: _MOST_SAMPLES * _SAMPLE]).split())
        samples = [plain[start : start + _SAMPLE] for start in range(0, len(plain), _SAMPLE)]
        found = [sample for sample in samples if sum(map(str.isalpha, sample)) >= _FEWEST_LETTERS]
        return 2 * sum(_is_in_another(sample, self._language) for sample in found) > len(found)

    def _show(self, ready: str) -> None:
        if self._citing.begun_anew:
            self._citing.begun_anew = False
            self.draft += bool(self.marked)
            self.marked, self._judged, self._looked = "", 0, 0
        if not self.marked:
            ready = ready.lstrip()
        if ready:
            self._on_piece(rendered(ready, self._keys, self.marked[-1:]), self.draft)
            self.marked += ready

    def _ready(self) -> Iterator[MarkedSentence]:
        """Yield the sentences that nothing can be added to any more."""
        end = self.marked.rfind("\n") + 1
        done: list[MarkedSentence] = []
        if end > self._judged:
            done += [sentence for line in lines(self.marked[self._judged : end]) for sentence in line.sentences]
            self._judged = end
        if len(self.marked) >= self._looked and _ENDS.search(self.marked, max(self._judged, len(self.marked) - _SLICE)):
            complete, rest = whole(self.marked[self._judged :])
            done += complete
            self._judged += rest
            # a line in which nothing ends is not read anew for each of its words
            self._looked = len(self.marked) + (len(self.marked) - self._judged) // 4
        for sentence in done:
            if self._sentences < _MOST_JUDGED and not self._attacher.has(sentence.text, sentence.keys):
                self._sentences += 1
                yield sentence


def _is_in_another(sample: str, language: str) -> bool:
    """Tell whether a stretch of text is in another language; Chinese sentences may consist of Latin names for the most part."""
    if language == "zh" and len(HAN.findall(sample)) >= _LEAST_CHINESE * sum(map(str.isalpha, sample)):
        return False
    code = language_of(sample)
    return bool(code) and code != language
