"""A scripted language model for the prompts of every strategy: it goes by the names in a question and in the passages that it is shown.

python bench/llm_script.py --latency 0.2        prints the address, and serves until it is stopped
"""

import argparse
import re
import signal
from collections.abc import Callable, Mapping
from typing import Any

from scholarmind.testing import ScriptedServer
from scholarmind.testing.model_servers import Call

_PASSAGE = re.compile(
    r"<passage (?P<marker>[0-9a-f]{12}) (?P<key>P\d+)>[^\n]*\n(?P<text>.*?)\n</passage (?P=marker)", re.DOTALL
)
_FENCED = re.compile(r"<(?P<name>\w+) (?P<marker>[0-9a-f]{12})>\n(?P<text>.*?)\n</(?P=name) (?P=marker)", re.DOTALL)
_SENTENCE = re.compile(r".*?(?:\. (?=[A-Z])|$)", re.DOTALL)
_ROW = re.compile(r"^\W*(\d+(?:\.\d+)?)[.:)\]]", re.MULTILINE)
_NAME = re.compile(
    r"\b(?:(?:Kor|Bel|Tin|Mar|Sul|Ven|Dor|Pel|Ras|Lom)(?:vax|lis|dra|tek|lin)"
    r"|Osprey|Heron|Falcon|Plover|Curlew|Dunlin|Avocet|Merlin|Siskin|Linnet|accuracy|latency)\b"
)
_SYSTEM = re.compile(r"\b(?:Kor|Bel|Tin|Mar|Sul|Ven|Dor|Pel|Ras|Lom)(?:vax|lis|dra|tek|lin)\b")
_PURPOSES = {  # of the calls that ask for no JSON, by what their prompts say
    "=== PARTS ===": "answer",
    r"`\[LLM\]`": "decide",
    r"`\[No Retrieval\]`": "route",
    r"<concept [0-9a-f]{12}>": "hypothetical",
}
_TEXT = re.compile(r"^(\d+): (.*)$", re.MULTILINE)
_LANGUAGES = re.compile(r"\b([a-z]{2}) \([A-Z]\w+\)")


class Told:
    """What a call tells: the texts between its marks by their names, and its passages by their keys."""

    def __init__(self, call: Call) -> None:
        self.all = call.text
        self.texts = {match["name"]: match["text"] for match in _FENCED.finditer(call.text)}
        self.passages = {match["key"]: match["text"] for match in _PASSAGE.finditer(call.text)}

    @property
    def question(self) -> str:
        return self.texts.get("question", "")


def answer(call: Call) -> Any:
    """Return what a well-behaved model would say to the prompts of this project."""
    if not call.chat:
        return None
    told, fields = Told(call), (call.schema or {}).get("properties", {})
    for field, rule in _TYPED.items():
        if field in fields:
            return rule(told)
    if call.schema is not None:
        return None  # the check: the least that its schema allows
    if "parts" in told.texts:
        return written(told)
    return action(told) or prose(told)


def written(told: Told) -> str:
    """Return the first sentence of each passage, and all parts as answered."""
    sentences = [f"{_SENTENCE.match(text)[0].rstrip('.')} [{key}]." for key, text in told.passages.items()]  # type: ignore[index]
    rows = dict.fromkeys(_ROW.findall(told.all)) or {"1": None}
    return " ".join(sentences) + "\n\n=== PARTS ===\n" + "\n".join(f"{row}: answered" for row in rows)


def action(told: Told) -> str:
    """Return the action of a decision maker, that of a router, or ''."""
    if "`[LLM]`" in told.all:
        wanted = told.texts.get("objective", "")
        return "[LLM]" if told.passages else f"[Retrieval] {' '.join(names(wanted)) or wanted}"
    if "`[No Retrieval]`" in told.all:
        several = len(asked(told.question)) > 1
        return "[Planning]" if several else f"[Retrieval] {' '.join(names(told.question)) or told.question}"
    return ""


def prose(told: Told) -> str:
    """Return a made-up passage on a concept, or an answer from the model's own knowledge."""
    if concept := told.texts.get("concept"):
        return f"The {concept} is 70.1. It was trained for three days on eight machines, and every figure is a mean."
    return "That is general knowledge."


def names(text: str) -> list[str]:
    """Return the systems, sets and aspects that a text names."""
    return list(dict.fromkeys(_NAME.findall(text)))


def asked(question: str) -> list[str]:
    """Return a sub-question for each system that a question names, or a chain where it asks for a bridge."""
    named = list(dict.fromkeys(_SYSTEM.findall(question)))
    if "most accurate" in question:
        return [
            "Which system is the most accurate on Osprey?",
            "What latency does #1 have on Heron?",
            f"What accuracy do {' and '.join(named)} reach on Osprey?",
        ]
    return [f"What accuracy does {system} reach on Osprey?" for system in named]


def parts(told: Told) -> list[dict[str, Any]]:
    """Return what is asked as parts of a plan."""
    return [
        {"question": one, "depends_on": [1] if "#1" in one else [], "kind": "factual", "rows": []}
        for one in asked(told.question)
    ]


def planned(told: Told) -> dict[str, Any]:
    return {"parts": parts(told), "own_answer": "", "standalone": ""}


def short(told: Told) -> dict[str, Any]:
    """Return the first system that the first passage names."""
    key, text = next(iter(told.passages.items()), ("P1", "nothing"))
    system = _SYSTEM.search(text)
    return {"answer": system[0] if system else " ".join(text.split()[:3]), "passages": [key], "nothing_found": False}


def concepts(told: Told) -> dict[str, Any]:
    named = [" ".join(names(one)) for one in asked(told.question)]
    return {"reason": "several systems", "concepts": [one for one in named if one]}


def split(told: Told) -> dict[str, Any]:
    """Return the sub-questions; in place of an answer that one waits for stands what was asked."""
    first, *rest = asked(told.question) or [told.question]
    return {"reason": "one for each", "sub_questions": [first, *(one.replace("#1", "the best system") for one in rest)]}


def scores(told: Told) -> dict[str, Any]:
    """Score a passage by the share of the names of the best fitting sub-question that it holds."""
    wanted = [set(names(one)) for one in asked(told.question)] or [set(names(told.question))]

    def score(text: str) -> int:
        held = set(names(text))
        return 1 + round(8 * max(len(held & one) / max(1, len(one)) for one in wanted))

    return {
        "scores": [
            {"passage": key, "reason": "direct: by its names", "score": score(text)}
            for key, text in told.passages.items()
        ]
    }


def kept(told: Told) -> dict[str, Any]:
    """Keep the passages that hold the set and the aspect of the objective, and one of its systems if it names any."""
    objective = told.texts.get("objective", "")
    systems = set(_SYSTEM.findall(objective))
    wanted = set(names(objective)) - systems
    held = {key: set(names(text)) for key, text in told.passages.items()}
    keep = [key for key, found in held.items() if wanted <= found and (not systems or systems & found)]
    return {"keep": keep, "none_useful": not keep, "reason": "by its names"}


def translated(told: Told) -> dict[str, Any]:
    """Put each text behind a word of the other language, names and numbers as they are."""
    languages = _LANGUAGES.findall(told.all.partition("<texts")[0])
    lead = {"zh": "请问下面这个问题的答案是什么", "en": "In other words"}
    return {
        "translations": [
            {"id": int(number), "language": code, "text": f"{lead.get(code, '')}: {' '.join(names(text))}"}
            for number, text in _TEXT.findall(told.texts.get("texts", ""))
            for code in languages
        ]
    }


_TYPED: Mapping[str, Callable[[Told], Any]] = {
    "parts": planned,
    "sub_goals": lambda told: {"reason": "several systems", "core_intent": "figures", "sub_goals": parts(told)},
    "nothing_found": short,
    "concepts": concepts,
    "sub_questions": split,
    "scores": scores,
    "keep": kept,
    "translations": translated,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds before a reply starts")
    parser.add_argument("--token-rate", type=float, help="tokens a second of a stream; all at once if left out")
    arguments = parser.parse_args()
    settings = {"latency": arguments.latency, "token_rate": arguments.token_rate}
    with ScriptedServer(answer=answer, purposes=_PURPOSES, **settings) as server:
        print(server.base_url, flush=True)
        signal.sigwait([signal.SIGTERM, signal.SIGINT])


if __name__ == "__main__":
    main()
