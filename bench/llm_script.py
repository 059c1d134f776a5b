"""A scripted language model that plans in three parts, answers bridges and writes cited sentences out of the passages that it is shown.

python bench/llm_script.py --latency 0.2        prints the address, and serves until it is stopped
"""

import argparse
import re
import signal
from typing import Any

from scholarmind.testing import ScriptedServer
from scholarmind.testing.chat import Call

_PASSAGE = re.compile(
    r"<passage (?P<marker>[0-9a-f]{12}) (?P<key>P\d+)>[^\n]*\n(?P<text>.*?)\n</passage (?P=marker)", re.DOTALL
)
_SENTENCE = re.compile(r".*?(?:\. (?=[A-Z])|$)", re.DOTALL)
_ROW = re.compile(r"^\W*(\d+(?:\.\d+)?)[.:)\]]", re.MULTILINE)
_QUESTION = re.compile(r"<question (?P<marker>[0-9a-f]{12})>\n(?P<text>.*?)\n</question (?P=marker)", re.DOTALL)
_SYSTEM = re.compile(r"\b(?:Kor|Bel|Tin|Mar|Sul|Ven|Dor|Pel|Ras|Lom)(?:vax|lis|dra|tek|lin)\b")


def answer(call: Call) -> Any:
    """Return what a well-behaved model would say to the prompts of this project."""
    if not call.chat:
        return None
    passages = [(match["key"], match["text"]) for match in _PASSAGE.finditer(call.text)]
    if "parts" in (call.schema or {}).get("properties", {}):
        return planned(call.text)
    if "nothing_found" in (call.schema or {}).get("properties", {}):
        key, text = passages[0] if passages else ("P1", "nothing")
        system = _SYSTEM.search(text)
        return {
            "answer": system[0] if system else " ".join(text.split()[:3]),
            "passages": [key],
            "nothing_found": False,
        }
    if call.schema is not None:
        return None  # the second opinion: the least that its schema allows
    told = [f"{_SENTENCE.match(text)[0].rstrip('.')} [{key}]." for key, text in passages]  # type: ignore[index]
    rows = dict.fromkeys(_ROW.findall(call.text)) or {"1": None}
    return " ".join(told) + "\n\n=== PARTS ===\n" + "\n".join(f"{row}: answered" for row in rows)


def planned(text: str) -> dict[str, Any]:
    """Return a plan of three parts: one for each system that the question names, or a chain where it asks for a bridge."""
    question = _QUESTION.search(text)
    named = list(dict.fromkeys(_SYSTEM.findall(question["text"] if question else "")))
    if question and "most accurate" in question["text"]:
        asked = [
            "Which system is the most accurate on Osprey?",
            "What latency does #1 have on Heron?",
            f"What accuracy do {' and '.join(named)} reach on Osprey?",
        ]
    else:
        asked = [f"What accuracy does {system} reach on Osprey?" for system in named]
    parts = [
        {"id": number, "question": one, "kind": "factual", "depends_on": [1] if "#1" in one else [], "role": "find"}
        for number, one in enumerate(asked, 1)
    ]
    return {
        "complexity": "composite",
        "needs_retrieval": True,
        "reason": "several systems",
        "parts": parts,
        "bridges": [],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds before a reply starts")
    parser.add_argument("--token-rate", type=float, help="tokens a second of a stream; all at once if left out")
    arguments = parser.parse_args()
    with ScriptedServer(answer=answer, latency=arguments.latency, token_rate=arguments.token_rate) as server:
        print(server.base_url, flush=True)
        signal.sigwait([signal.SIGTERM, signal.SIGINT])


if __name__ == "__main__":
    main()
