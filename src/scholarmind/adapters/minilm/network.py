"""The network: six layers of BERT, mean pooling, unit length; built in code from the safetensors file.

A row of a batch holds one text, or several short ones one after another: `members` says which token belongs to which.
A token sees those of its own text alone. Nothing is padded: an empty place would cost as much as a token.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.minilm.onnx import FLOAT, INT32, INT64, MICROSOFT, Array, Graph, tensor

LAYERS, HEADS, DIMENSION = 6, 12, 384
_EPSILON = 1e-12
_DTYPES = {"F32": "<f4", "I64": "<i8"}


def build(weights: Path, *, int8: bool) -> tuple[bytes, dict[str, Array]]:
    """Return the model and the arrays that it refers to."""
    parameters = read_safetensors(weights)
    network = _Network(parameters, int8=int8)
    hidden = network.embeddings()
    for layer in range(LAYERS):
        hidden = network.layer(layer, hidden)
    network.pool(hidden)
    inputs = [
        tensor("ids", INT64, ("row", "token")),
        tensor("places", INT64, ("row", "token")),  # of the tokens in their texts
        tensor("members", FLOAT, ("row", "text", "token")),  # 1 where the token belongs to the text
    ]
    outputs = [tensor("embedding", FLOAT, ("row", "text", DIMENSION))]
    return network.graph.serialize(inputs, outputs), network.graph.weights


def build_for_pairs(weights: Path, tuned: dict[str, Array]) -> tuple[bytes, dict[str, Array]]:
    """Return the network for two texts in one row, with other weights in some places; it gives each token's state."""
    network = _Network({**read_safetensors(weights), **tuned}, int8=False)
    hidden = network.embeddings(pairs=True)
    for layer in range(LAYERS):
        hidden = network.layer(layer, hidden)
    inputs = [
        tensor("ids", INT64, ("row", "token")),
        tensor("places", INT64, ("row", "token")),
        tensor("kinds", INT64, ("row", "token")),  # 0 in the first text, 1 in the second
        tensor("members", FLOAT, ("row", "text", "token")),
    ]
    outputs = [tensor(hidden, FLOAT, ("row", "token", DIMENSION))]
    return network.graph.serialize(inputs, outputs), network.graph.weights


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

    def __init__(self, parameters: dict[str, Array], *, int8: bool) -> None:
        self.graph = Graph()
        self._parameters = parameters
        self._int8 = int8
        related = self.graph.node("Einsum", ["members", "members"], "related", equation="rti,rtj->rij")
        self._mask = self.graph.node("Cast", [related], "mask", to=INT32)  # whether token i sees token j

    def embeddings(self, *, pairs: bool = False) -> str:
        graph, parameters = self.graph, self._parameters
        words = graph.constant("words", parameters["embeddings.word_embeddings.weight"])
        types = parameters["embeddings.token_type_embeddings.weight"]
        # where every token is of type 0, its vector can be added to the positions once and for all
        places = parameters["embeddings.position_embeddings.weight"]
        positions = graph.constant("positions", places if pairs else places + types[0])
        looked_up = [graph.node("Gather", [words, "ids"], "word"), graph.node("Gather", [positions, "places"], "place")]
        total = graph.node("Add", looked_up, "embedded")
        if pairs:
            typed = graph.node("Gather", [graph.constant("types", types), "kinds"], "kind")
            total = graph.node("Add", [total, typed], "typed")
        scale = graph.constant("embedded.scale", parameters["embeddings.LayerNorm.weight"])
        shift = graph.constant("embedded.shift", parameters["embeddings.LayerNorm.bias"])
        return graph.node("LayerNormalization", [total, scale, shift], "hidden", axis=-1, epsilon=_EPSILON)

    def layer(self, number: int, hidden: str) -> str:
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
        if not self._int8:
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
