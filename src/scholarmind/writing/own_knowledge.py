"""What a model answers without any document is marked as that, and counts as not in the library."""

from scholarmind.answer import Review, Row
from scholarmind.plan import Plan
from scholarmind.text.language import language_of
from scholarmind.writing.wording import harmless

_WORDS = {
    "en": {
        "mark": "*From the model's own knowledge, not your library:*",
        "refused": "*This needs no documents, so it would be answered from the model's own knowledge, and only your library may be used.*",
        "missing": "answered from the model's own knowledge, not from the library",
        "left": "not looked up: it needs no documents",
    },
    "zh": {
        "mark": "*以下来自模型自身的知识，不是您的资料库：*",
        "refused": "*这个问题不需要文档，只能由模型凭自身知识回答，而现在只允许使用您的资料库。*",
        "missing": "由模型自身的知识回答，不是来自资料库",
        "left": "没有检索：这个问题不需要文档",
    },
}


def own_knowledge(plan: Plan, *, allowed: bool) -> tuple[str, Review]:
    """Return the text and the review of an answer that rests on no document."""
    words = _WORDS["zh" if language_of(plan.question) == "zh" else "en"]
    paragraphs = [harmless(line) for line in plan.own_answer.split("\n") if line.strip()]
    text = "\n\n".join((words["mark"], *paragraphs)) if allowed else words["refused"]
    rows = tuple(
        Row(
            id=part.row_ids[0],
            part=part.id,
            text=part.text,
            status="not in the library",
            confidence=0.0,
            missing=words["missing" if allowed else "left"],
        )
        for part in plan.parts
    )
    return text, Review(rows=rows, verdict="not in the library", confidence=0.0)
