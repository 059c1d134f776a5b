"""Which sentences of a draft claim something, and which citation belongs to which."""

from pathlib import Path

import pytest

from scholarmind.adapters.readers.text_files import MarkdownReader
from scholarmind.drafts.claims_of_drafts import DraftClaims, claims_of
from scholarmind.drafts.manuscripts import read_manuscript
from scholarmind.model import Reference

KNOWN = [
    ("calder34", Reference(text="", start=0, end=0, authors=("Calder, Inga", "Brandt, Tove", "Weiss, Aron"), year=1934, title="Bridges")),
    ("brandt88", Reference(text="", start=0, end=0, authors=("Brandt, Tove",), year=1988, title="The Arnholm Bridge")),
]  # fmt: skip


def claims(tmp_path: Path, text: str, *, known: bool = True) -> DraftClaims:
    path = tmp_path / "draft.md"
    path.write_text(text, encoding="utf-8")
    manuscript = read_manuscript(path, {".md": MarkdownReader(10**6)}, 10**6, KNOWN if known else ())
    return claims_of(manuscript.paragraphs)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The bridge opened in summer 1934 [@calder34].", [("The bridge opened in summer 1934.", ("calder34",))]),
        ("The bridge opened in summer. [@calder34] Ferries went on crossing it.",
         [("The bridge opened in summer.", ("calder34",)), ("Ferries went on crossing it.", ())]),
        ("The bridge opened in summer [see @calder34, p. 4; @brandt88].", [("The bridge opened in summer.", ("calder34", "brandt88"))]),
        ("The western bridge opened in summer [@calder34], while the northern ferry went on for years [@brandt88].",
         [("The western bridge opened in summer", ("calder34",)), ("the northern ferry went on for years.", ("brandt88",))]),
        ("The bridge opened in summer (Calder et al., 1934).", [("The bridge opened in summer.", ("calder34",))]),
        ("Brandt (1988) shows that towers of steel last longer.",
         [("Brandt (1988) shows that towers of steel last longer.", ("brandt88",))]),
        ("The bridge opened in summer (Nobody, 1990).", [("The bridge opened in summer.", ("Nobody, 1990",))]),
        ("大桥于1934年夏天正式通车。[@calder34] 渡轮此后继续运行多年。",
         [("大桥于1934年夏天正式通车。", ("calder34",)), ("渡轮此后继续运行多年。", ())]),
    ],
)  # fmt: skip
def test_a_citation_belongs_to_its_sentence_or_clause(
    tmp_path: Path, text: str, expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert [(claim.text, claim.keys) for claim in claims(tmp_path, text).claims] == expected


def test_numbers_point_into_the_list_of_the_draft(tmp_path: Path) -> None:
    text = (
        "# Bridges\n\nThe western bridge opened in summer [2].\n\n## References\n\n"
        "[1] I. Calder. Bridges of steel and stone. 1934.\n\n[2] T. Brandt. The Arnholm bridge and its builders. 1988.\n"
    )
    assert [claim.keys for claim in claims(tmp_path, text, known=False).claims] == [("#2",)]


def test_what_claims_nothing_is_left_out_and_counted(tmp_path: Path) -> None:
    text = (
        "# A heading about bridges\n\nIn this section we describe the northern bridge. How long do such bridges last?\n\n"
        "Not now. 本文介绍大桥的历史和设计。\n\n```\ncode that claims nothing at all\n```\n"
    )
    found = claims(tmp_path, text)
    assert found.claims == []
    assert found.left_out == {"about the draft itself": 2, "question": 1, "too short": 1}
