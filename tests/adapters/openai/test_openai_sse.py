"""Server-sent events as real servers send them."""

import pytest

from scholarmind.adapters.openai.connection import Events


def read(*parts: bytes) -> list[str]:
    events = Events()
    found = [event for part in parts for event in events.take(part)]
    return found + list(events.end())


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("data: a\n\ndata: b\n\n", ["a", "b"]),
        ("data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]),
        ("data: a\r\ndata: b\r\n\r\n", ["a\nb"]),
        ("data: a\r\rdata: b\r\r", ["a", "b"]),
        (": ping\n\ndata: a\n\n: OPENROUTER PROCESSING\n\n", ["a"]),
        ("event: x\nid: 1\nretry: 3\ndata: a\n\n", ["a"]),
        ("data: a\ndata:b\ndata:  c\n\n", ["a\nb\n c"]),
        ("data: a\n\ndata: b", ["a", "b"]),
        ("\ufeffdata: a\n\n", ["a"]),
        ("data: 注意力 ✓\n\n", ["注意力 ✓"]),
        ('data: a\n\n{"error": "x"}\n\n', ["a", '{"error": "x"}']),
        ('\n{\n "choices":\n\n []\n}\n', ['{\n "choices":\n\n []\n}\n']),
        ("<html>\n</html>", ["<html>\n</html>"]),
        ("", []),
        ("nonsense\n\n", []),
    ],
)
def test_events_are_the_same_however_their_bytes_are_cut(body: str, expected: list[str]) -> None:
    content = body.encode()
    assert read(content) == expected
    assert read(*(bytes([byte]) for byte in content)) == expected
    for place in range(len(content)):
        assert read(content[:place], content[place:]) == expected


def test_a_line_without_end_is_not_gathered_for_ever() -> None:
    events = Events()
    with pytest.raises(ValueError, match="16,000,000"):
        list(events.take(b"data: " + b"x" * 16_000_001))


def test_bytes_that_are_no_text_are_read_all_the_same() -> None:
    assert read(b"data: a\xff\xfeb\n\n") == ["a\ufffd\ufffdb"]
