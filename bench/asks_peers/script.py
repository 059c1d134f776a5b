"""What the scripted server says to each peer, in the form in which that peer asks."""

import json

from library import ANSWER, PARTS, QUESTION
from scholarmind.testing.model_servers import Call


def said(call: Call) -> str:
    """Return a plan to who asks for one, a summary of a passage, the answer to the question, or that to a part of it."""
    if call.schema_name == "SubQuestions":  # the LangGraph graph
        return json.dumps({"questions": PARTS})
    if "list of relevant sub-questions in json markdown" in call.text:  # LlamaIndex
        return json.dumps({"items": [{"sub_question": part, "tool_name": "library"} for part in PARTS]})
    if "different versions of the given user" in call.text:  # LangChain
        return "\n".join(PARTS)
    if '"relevance_score"' in call.text:  # paper-qa
        return json.dumps({"summary": "It reaches 71.3 % on Osprey.", "relevance_score": 8})
    return ANSWER if QUESTION in call.text else "It reaches 71.3 % on Osprey."
