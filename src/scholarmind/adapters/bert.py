"""BERT's layers as a graph for onnxruntime, from weights by their usual names: what the bundled embedder and reader have in common.

Words become vectors outside of it: onnxruntime would copy their table.

A row of a batch holds one text, or several short ones one after another: `members` says which token belongs to which.
A token sees those of its own text alone.
"""

import importlib
import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

# -- an ONNX model as bytes: just enough of the protobuf encoding for one graph
#
# It knows nothing of any network. Large weights stay outside, as named arrays that the session is given. Field numbers are those of the
# public onnx.proto; the `onnx` package (and protobuf's compiler) are not needed.

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


# -- the layers

HEADS, DIMENSION = 12, 384
_EPSILON = 1e-12
_TOKENS = ("row", "token", DIMENSION)
_DTYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8", "U8": "u1"}

Built = tuple[bytes, dict[str, Array]]  # a model, and the arrays that it refers to


def build(parameters: Mapping[str, Array], layers: range, *, int8: bool, pooled: bool) -> Built:
    """Return these layers as a network: of each token the state before them goes in; out comes the one after them, or one vector a text.

    Before the first layer the state is the sum of the token's vector and its place's. What comes out is of unit length, if pooled.
    """
    network = _Network(parameters, int8=int8)
    hidden = network.layers("states" if layers.start else network.normed("states"), layers)
    shape = ("row", "text" if pooled else "token", DIMENSION)
    inputs = [
        tensor("states", FLOAT, ("row", "token", DIMENSION)),
        tensor("members", FLOAT, ("row", "text", "token")),  # 1 where the token belongs to the text
    ]
    outputs = [tensor(network.pool(hidden) if pooled else hidden, FLOAT, shape)]
    return network.graph.serialize(inputs, outputs), network.graph.weights


def build_host(parameters: Mapping[str, Array], layers: range, *, int8: bool) -> Built:
    """Return these layers as a network over one text; besides the states after them, its keys and values in each layer come out."""
    network = _Network(parameters, int8=int8, alone=True)
    hidden = network.layers("states", layers)
    outputs = [tensor(hidden, FLOAT, _TOKENS), *(tensor(name, FLOAT, _TOKENS) for name in network.read)]
    return network.graph.serialize([tensor("states", FLOAT, _TOKENS)], outputs), network.graph.weights


def build_guest(parameters: Mapping[str, Array], layers: range, *, int8: bool) -> Built:
    """Return these layers as a network over what sees itself and a text, whose keys and values go in as `host0`, `host1` ..."""
    hosts = [f"host{number}" for number in range(2 * len(layers))]
    network = _Network(parameters, int8=int8, alone=True, hosts=hosts)
    hidden = network.layers("states", layers)
    inputs = [tensor("states", FLOAT, _TOKENS), *(tensor(name, FLOAT, ("row", "seen", DIMENSION)) for name in hosts)]
    return network.graph.serialize(inputs, [tensor(hidden, FLOAT, _TOKENS)]), network.graph.weights


def open_session(built: Built, *, threads: int = 0) -> Any:
    """Return a session of onnxruntime over a network; without a number of threads it takes all cores."""
    onnxruntime: Any = importlib.import_module("onnxruntime")  # 0.2 s that a keyword search need not pay
    model, weights = built
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # the cores are shared
    options.enable_cpu_mem_arena = False  # it keeps what the longest text needed, for each session, and is no faster
    # the graph is fused as far as it pays: onnxruntime would put its slow fused layer norm back
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
    options.add_external_initializers(list(weights), values)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def read_safetensors(path: Path) -> dict[str, Array]:
    """Map the file and return its arrays by name, without reading them yet."""
    content: Any = np.memmap(path, np.uint8, "r")
    start = 8 + int(content[:8].view("<u8")[0])
    header: dict[str, Any] = json.loads(bytes(content[8:start]))
    arrays: dict[str, Array] = {}
    for name, entry in header.items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            arrays[name] = content[start + first : start + last].view(_DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return arrays


class _Network:
    """Adds the parts of BERT to a graph. Fused operators of onnxruntime where there are any: they are twice as fast."""

    def __init__(
        self, parameters: Mapping[str, Array], *, int8: bool, alone: bool = False, hosts: Sequence[str] = ()
    ) -> None:
        """Take weights; where a text is `alone` in its row all tokens see each other, and those of `hosts` by their keys and values."""
        self.graph = OnnxGraph()
        self.read: list[str] = []  # keys and values of the layers so far
        self._parameters = parameters
        self._int8 = int8
        self._hosts = hosts
        self._mask = ""
        if not alone:
            related = self.graph.node("Einsum", ["members", "members"], "related", equation="rti,rtj->rij")
            self._mask = self.graph.node("Cast", [related], "mask", to=INT32)  # whether token i sees token j

    def normed(self, embedded: str) -> str:
        scale = self.graph.constant("embedded.scale", self._parameters["embeddings.LayerNorm.weight"])
        shift = self.graph.constant("embedded.shift", self._parameters["embeddings.LayerNorm.bias"])
        return self.graph.node("LayerNormalization", [embedded, scale, shift], "hidden", axis=-1, epsilon=_EPSILON)

    def layers(self, hidden: str, numbers: range) -> str:
        for number in numbers:
            hidden = self._layer(number, hidden)
        return hidden

    def _layer(self, number: int, hidden: str) -> str:
        prefix, source = f"layer{number}", f"encoder.layer.{number}"
        attended = self._attention(f"{prefix}.attention", f"{source}.attention.self", hidden)
        mixed = self._multiply(f"{prefix}.mixed", attended, self._transposed(f"{source}.attention.output.dense"))
        hidden = self._add_and_norm(f"{prefix}.attended", f"{source}.attention.output", mixed, hidden)
        wide = self._multiply(f"{prefix}.wide", hidden, self._transposed(f"{source}.intermediate.dense"))
        bias = self.graph.constant(f"{prefix}.wide.bias", self._parameters[f"{source}.intermediate.dense.bias"])
        active = self.graph.node("BiasGelu", [wide, bias], f"{prefix}.active", MICROSOFT)
        narrow = self._multiply(f"{prefix}.narrow", active, self._transposed(f"{source}.output.dense"))
        return self._add_and_norm(f"{prefix}.hidden", f"{source}.output", narrow, hidden)

    def pool(self, hidden: str) -> str:
        # the mean of a text's tokens and their sum point the same way
        total = self.graph.node("MatMul", ["members", hidden], "sum")
        return self.graph.node("LpNormalization", [total], "embedding", axis=-1, p=2)

    def _attention(self, name: str, source: str, hidden: str) -> str:
        parts = ("query", "key", "value")
        weight = np.concatenate([self._transposed(f"{source}.{part}") for part in parts], axis=1)
        bias = np.concatenate([self._parameters[f"{source}.{part}.bias"] for part in parts])
        bias_name = self.graph.constant(f"{name}.bias", bias)
        if not self._int8 and self._mask:
            inputs = [hidden, self.graph.constant(f"{name}.weight", weight), bias_name, self._mask]
            return self.graph.node("Attention", inputs, name, MICROSOFT, num_heads=HEADS)
        # the projections are multiplied in int8, the attention itself stays in float
        projected = self.graph.node(
            "Add", [self._multiply(f"{name}.projected", hidden, weight), bias_name], f"{name}.sum"
        )
        ends = [self.graph.constant(f"{name}.end{n}", np.array([n * DIMENSION], np.int64)) for n in range(4)]
        axis = self.graph.constant(f"{name}.axis", np.array([2], np.int64))
        sliced = [
            self.graph.node("Slice", [projected, ends[n], ends[n + 1], axis], f"{name}.{part}")
            for n, part in enumerate(parts)
        ]
        if self._hosts:
            seen = self._hosts[len(self.read) : len(self.read) + 2]
            sliced[1:] = [
                self.graph.node("Concat", [host, own], f"{own}.both", axis=1)
                for host, own in zip(seen, sliced[1:], strict=True)
            ]
        self.read += sliced[1:]
        return self.graph.node("MultiHeadAttention", [*sliced, "", self._mask], name, MICROSOFT, num_heads=HEADS)

    def _multiply(self, name: str, left: str, weight: Array) -> str:
        if not self._int8:
            return self.graph.node("MatMul", [left, self.graph.constant(f"{name}.weight", weight)], name)
        scale = np.maximum(np.abs(weight).max(axis=0), 1e-8) / 127  # one scale a column: a single one loses precision
        rounded = np.clip(np.rint(weight / scale), -127, 127).astype(np.int8)
        inputs = [left, self.graph.constant(f"{name}.weight", rounded), self.graph.constant(f"{name}.scale", scale)]
        return self.graph.node("DynamicQuantizeMatMul", inputs, name, MICROSOFT)

    def _add_and_norm(self, name: str, source: str, new: str, skipped: str) -> str:
        # onnxruntime's fused operator for all of this takes several times as long
        graph, parameters = self.graph, self._parameters
        bias = graph.constant(f"{name}.bias", parameters[f"{source}.dense.bias"])
        scale = graph.constant(f"{name}.scale", parameters[f"{source}.LayerNorm.weight"])
        shift = graph.constant(f"{name}.shift", parameters[f"{source}.LayerNorm.bias"])
        total = graph.node("Add", [graph.node("Add", [new, bias], f"{name}.biased"), skipped], f"{name}.total")
        return graph.node("LayerNormalization", [total, scale, shift], name, axis=-1, epsilon=_EPSILON)

    def _transposed(self, source: str) -> Array:
        return self._parameters[f"{source}.weight"].T
