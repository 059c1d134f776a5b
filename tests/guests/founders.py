"""Four notes that hang together, questions about them, and what a model says to these: each part has an answer of its own."""

import re
from collections.abc import Callable
from typing import Any

from scholarmind import Library
from scholarmind.testing import Call

Opened = Callable[..., Library]
NOTES = {
    "BERT": "BERT was proposed by Jacob Devlin at Google in October 2018.",
    "Google": "Google was founded by Larry Page and Sergey Brin in September 1998.",
    "GPT-2": "GPT-2 was proposed by Alec Radford at OpenAI in February 2019. GPT-2 has 1.5 billion parameters.",
    "OpenAI": "OpenAI was founded by Sam Altman and others in December 2015.",
}
TWO = "Who proposed BERT, and who proposed GPT-2?"
CHAIN = "Who founded the company at which BERT was proposed, in which year, and who proposed GPT-2?"
_PARTS = [
    {"id": 1, "question": "At which company was BERT proposed?"},
    {"id": 2, "question": "Who proposed GPT-2?"},
    {"id": 3, "question": "Who founded #1?", "depends_on": [1]},
    {"id": 4, "question": "In which year did #3 found it?", "depends_on": [3]},
]
_ANSWERS = {
    "At which company was BERT proposed?": "Google",
    "Who proposed GPT-2?": "Alec Radford",
    "Who founded Google?": "Larry Page and Sergey Brin",
    "In which year did Larry Page and Sergey Brin found it?": "1998",
}
PURPOSES = {
    "You plan how": "plan",
    **{f"{re.escape(question)}\n</question": f"part {number}" for number, question in enumerate(_ANSWERS, 1)},
    "You find the words of a source": "check",
    "^You answer a question": "answer",
}
_PASSAGE = re.compile(r"<passage (?P<mark>\w+) (?P<key>P\d+)>[^\n]*\n(?P<text>.*?)\n</passage (?P=mark)", re.DOTALL)


def said(call: Call) -> Any:
    """Plan three levels, answer each part with its own answer, and quote every passage that is shown."""
    if call.purpose == "plan":
        return {"complexity": "composite", "needs_retrieval": True, "reason": "four things", "parts": _PARTS}
    if call.purpose.startswith("part"):
        answer = list(_ANSWERS.values())[int(call.purpose[-1]) - 1]
        return {"answer": answer, "passages": ["P1"], "nothing_found": False}
    if call.purpose == "check":
        return {"checks": []}
    told = [
        f"{match['text'].strip().split('. ')[0].rstrip('.')} [{match['key']}]."
        for match in _PASSAGE.finditer(call.text)
    ]
    return " ".join(told) + "\n\n=== PARTS ===\n" + "\n".join(f"{number}: answered" for number in range(1, 5))
