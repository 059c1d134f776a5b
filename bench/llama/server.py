"""Serve a GGUF file with llama.cpp on a free port of this machine, and say where on the first line of what is printed.

python bench/llama/server.py FILE
"""

import argparse
import signal

import xllamacpp

CONTEXT, SLOTS = 16_384, 2  # tokens of a slot


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    settings = xllamacpp.CommonParams()
    settings.model.path = parser.parse_args().file
    settings.model_alias = {"random"}
    settings.n_ctx = CONTEXT * SLOTS
    settings.n_parallel = SLOTS
    settings.cpuparams.n_threads = 1
    settings.warmup = False
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.endpoint_slots = True
    settings.embedding = True  # beside chat
    settings.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
