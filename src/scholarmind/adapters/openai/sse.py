"""Reads server-sent events out of bytes as they come, also from servers that send plain JSON where a stream was asked for."""

import codecs
from collections.abc import Iterator

DONE = "[DONE]"
_LONGEST_LINE = 16_000_000


class Events:
    """Takes bytes in and gives the data of each event. A body that is no stream at all is given as one event, at its end."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._rest = ""
        self._data: list[str] = []
        self._plain: list[str] | None = None  # the lines of a body that is no stream
        self._begun = False

    def take(self, content: bytes) -> Iterator[str]:
        """Give the events that these bytes complete."""
        return self._lines(self._decode(content), last=False)

    def end(self) -> Iterator[str]:
        """Give what is left; some servers leave out the empty line after the last event."""
        yield from self._lines(self._decode(b"", True), last=True)
        if self._plain:
            yield "\n".join(self._plain)
        elif self._data:
            yield self._event()

    def _lines(self, text: str, *, last: bool) -> Iterator[str]:
        self._rest += text
        if len(self._rest) > _LONGEST_LINE:
            raise ValueError(f"a line of more than {_LONGEST_LINE:,} characters")
        lines = self._rest.replace("\r\n", "\n").split("\n") if not self._rest.endswith("\r") or last else None
        if lines is None:  # whether "\n" follows is known with the next bytes
            return
        self._rest = "" if last else lines.pop()
        for line in lines:
            for part in line.split("\r"):
                yield from self._line(part)

    def _line(self, line: str) -> Iterator[str]:
        if self._plain is not None:
            self._plain.append(line)
        elif not line.strip():
            if self._data:
                yield self._event()
        elif line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
        elif line.lstrip()[0] in "{[<":
            if self._begun:
                yield line  # an error that was put into the stream without a word
            else:
                self._plain = [line]
        # comments (":"), "event:", "id:", "retry:" and whatever else say nothing that is needed

    def _event(self) -> str:
        self._begun = True
        data = "\n".join(self._data)
        self._data = []
        return data
