"""The text of an answer while it comes in: shown at once, and judged sentence by sentence so that little is left to do at its end."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping

from scholarmind.calls import Reply
from scholarmind.text.language import HAN, language_of
from scholarmind.writing.attaching import Attacher
from scholarmind.writing.citing_stream import MARK, CitingStream, rendered
from scholarmind.writing.marked_text import Sentence, lines, whole

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


class Incoming:
    """Takes the pieces of one text. `marked` is what came so far, with marks for citations, `broken` why it is not whole."""

    def __init__(
        self, attacher: Attacher, keys: Mapping[str, str], language: str, *, draft: int, on_piece: OnPiece, longest: int
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

    def _ready(self) -> Iterator[Sentence]:
        """Yield the sentences that nothing can be added to any more."""
        end = self.marked.rfind("\n") + 1
        done: list[Sentence] = []
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
