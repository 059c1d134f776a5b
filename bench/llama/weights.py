"""Write a small language model of random numbers, so that a real server can be asked without any download.

It has a vocabulary of bytes and 2 layers. What it writes means nothing, but it has habits that the checks rest on: it writes
printable characters, closes words, lists and objects soon, and never stops by itself, so that only a grammar or a limit ends its reply.
The first number of every state is a constant, so that a weight on it makes a token likelier or rarer always; the second says that
a quote was just written, so that there is something between two.

python bench/llama/weights.py FILE
"""

import argparse
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt

WIDTH, HEADS, LAYERS, INNER, CONTEXT = 64, 4, 2, 128, 32_768
SPECIAL = {b"<unk>": gguf.TokenType.UNKNOWN, b"<s>": gguf.TokenType.CONTROL, b"</s>": gguf.TokenType.CONTROL}
BYTES = [f"<0x{byte:02X}>".encode() for byte in range(256)]
PRINTABLE = [chr(code).replace(" ", "\u2581").encode() for code in range(32, 127)]
TOKENS = [*SPECIAL, *BYTES, *PRINTABLE]
SIGNAL, NEVER = 4.0, -10.0
LIKELY = {b'"': 0.9, b"{": 0.7, b"]": 0.5, b"}": 0.5}  # a list gets an object or a word before it is closed
UNLIKELY_AFTER_QUOTE = {b'"': NEVER, b"{": NEVER, b"]": -0.4, b"}": -0.4}
TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"

Numbers = npt.NDArray[np.float32]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    writer = gguf.GGUFWriter(parser.parse_args().file, "llama")
    describe(writer)
    for name, numbers in tensors(np.random.default_rng(0)).items():
        writer.add_tensor(name, numbers)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def describe(writer: gguf.GGUFWriter) -> None:
    """Write the sizes of the model and its vocabulary."""
    writer.add_name("random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_vocab_size(len(TOKENS))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(TOKENS)
    writer.add_token_scores([0.0] * len(TOKENS))
    kinds = [*SPECIAL.values(), *[gguf.TokenType.BYTE] * len(BYTES), *[gguf.TokenType.NORMAL] * len(PRINTABLE)]
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)
    writer.add_chat_template(TEMPLATE)


def tensors(random: np.random.Generator) -> dict[str, Numbers]:
    """Return all numbers of the model by their names."""

    def matrix(rows: int, columns: int, scale: float = 0.05) -> Numbers:
        return (random.standard_normal((rows, columns)) * scale).astype(np.float32)

    embedding, output = matrix(len(TOKENS), WIDTH, 0.2), matrix(len(TOKENS), WIDTH, 0.1)
    embedding[:, 0] = SIGNAL
    embedding[:, 1] = [SIGNAL if token == b'"' else 0.0 for token in TOKENS]
    output[:, 0] = [LIKELY.get(token, 0.0) if token in PRINTABLE else NEVER for token in TOKENS]
    output[:, 1] = [UNLIKELY_AFTER_QUOTE.get(token, 0.0) for token in TOKENS]
    numbers = {
        "token_embd.weight": embedding,
        "output_norm.weight": np.ones(WIDTH, np.float32),
        "output.weight": output,
    }
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        numbers |= {f"{block}{name}_norm.weight": np.ones(WIDTH, np.float32) for name in ("attn", "ffn")}
        numbers |= {f"{block}attn_{name}.weight": matrix(WIDTH, WIDTH) for name in ("q", "k", "v", "output")}
        numbers |= {f"{block}ffn_{name}.weight": matrix(INNER, WIDTH) for name in ("gate", "up")}
        numbers[f"{block}ffn_down.weight"] = matrix(WIDTH, INNER)
        for name in ("attn_output", "ffn_down"):
            numbers[f"{block}{name}.weight"][:2] = 0.0  # nothing is added to the two that mean something
    return numbers


if __name__ == "__main__":
    main()
