"""Write an ONNX model as bytes: just enough of the protobuf encoding for one graph.

It knows nothing of any network. Large weights stay outside, as named arrays that the session is given.
Field numbers are those of the public onnx.proto; the `onnx` package (and protobuf's compiler) are not needed.
"""

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Attribute = int | float | str
Array = npt.NDArray[Any]

MICROSOFT = "com.microsoft"
FLOAT, INT8, INT32, INT64 = 1, 3, 6, 7
_ELEMENT_TYPE = {"float32": FLOAT, "int8": INT8, "int64": INT64}
_INLINE_BYTES = 1024  # smaller constants travel in the graph, larger ones beside it
_IR_VERSION, _OPSET = 10, 20


class OnnxGraph:
    """Nodes and weights, in order; `serialize` gives the model, `weights` what it refers to."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self.weights: dict[str, Array] = {}

    def constant(self, name: str, value: Array) -> str:
        """Add a constant and return its name."""
        value = np.ascontiguousarray(value)
        tensor = b"".join(_integer(1, size) for size in value.shape)
        tensor += _integer(2, _ELEMENT_TYPE[value.dtype.name]) + _bytes(8, name)
        if value.nbytes < _INLINE_BYTES:
            tensor += _bytes(9, value.tobytes())
        else:
            tensor += _bytes(13, _bytes(1, "location") + _bytes(2, "memory")) + _integer(14, 1)
            self.weights[name] = value
        self._constants.append(tensor)
        return name

    def node(self, operator: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: Attribute) -> str:
        """Add an operation with one output and return the output's name."""
        node = b"".join(_bytes(1, name) for name in inputs) + _bytes(2, output)
        node += _bytes(3, output) + _bytes(4, operator)
        node += b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items())
        self._nodes.append(node + (_bytes(7, domain) if domain else b""))
        return output

    def serialize(self, inputs: Sequence[bytes], outputs: Sequence[bytes]) -> bytes:
        """Return the whole model; describe its ends with `tensor`."""
        graph = b"".join(_bytes(1, node) for node in self._nodes) + _bytes(2, "scholarmind")
        graph += b"".join(_bytes(5, constant) for constant in self._constants)
        graph += b"".join(_bytes(11, value) for value in inputs)
        graph += b"".join(_bytes(12, value) for value in outputs)
        opsets = _bytes(8, _bytes(1, "") + _integer(2, _OPSET)) + _bytes(8, _bytes(1, MICROSOFT) + _integer(2, 1))
        return _integer(1, _IR_VERSION) + _bytes(7, graph) + opsets


def tensor(name: str, element_type: int, shape: Sequence[str | int]) -> bytes:
    """Describe an input or output; a size given as a word is free."""
    sizes = b"".join(_bytes(1, _bytes(2, size) if isinstance(size, str) else _integer(1, size)) for size in shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, _integer(1, element_type) + _bytes(2, sizes)))


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return _bytes(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _integer(20, 1)
    if isinstance(value, int):
        return _bytes(1, name) + _integer(3, value) + _integer(20, 2)
    return _bytes(1, name) + _bytes(4, value) + _integer(20, 3)


def _integer(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    content = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while True:
        low, value = value & 127, value >> 7
        out.append(low | (128 if value else 0))
        if not value:
            return bytes(out)
