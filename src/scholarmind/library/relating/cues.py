"""Which relations the words of any question ask for, in English and Chinese."""

import re

from scholarmind.relations import Relation

_SAID: tuple[tuple[str, tuple[Relation, ...]], ...] = (
    (
        (
            r"\bimprov(?:e[sd]?|ing|ements?)\b(?! (?:the )?performance)|\b(?:successors?|variants?|build(?:s"
            r"|ing)? (?:up)?on|built (?:up)?on|based on|extend(?:s|ed)?)\b"
            r"|改进|后继|变体|基于|建立在|扩展"
        ),
        ("IMPROVES_ON",),
    ),
    (
        (
            r"\b(?:performance|performs?|results?|scores?|accurac(?:y|ies)|f1|bleu|rouge|perplexity|benchmarks?"
            r"|faster|speed-?up|gains?)\b"
            r"|性能|结果|得分|准确率|效果|表现|提升|指标|成绩"
        ),
        ("REPORTS", "EVALUATED_ON"),
    ),
    (
        r"\bdata ?sets?\b|\bcorpus\b|\bcorpora\b|\btrained on\b|\bevaluated\b|数据集|语料|评测|训练数据",
        ("EVALUATED_ON", "USES"),
    ),
    (
        (
            r"\bwho\b.{0,40}\b(?:propos|introduc|develop|invent|creat|wr[io]t|design|publish)\w*|\bauthors?\b"
            r"|\bproposed by\b|谁.{0,6}(?:提出|写|发明|开发)|作者|提出者"
        ),
        ("PROPOSES", "AUTHORED_BY"),
    ),
    (
        (
            r"\b(?:research )?(?:groups?|labs?|institutions?|universit(?:y|ies)|affiliat\w+|teams?"
            r"|organi[sz]ations?)\b|机构|研究组|团队|实验室|单位"
        ),
        ("AFFILIATED_WITH",),
    ),
    (r"\bcit(?:e[sd]?|ing|ations?)\b|引用", ("CITES", "MENTIONS")),
    (r"\b(?:use[sd]?|using|rel(?:y|ies) on|adopt\w*)\b|使用|采用|依赖", ("USES",)),
    (r"\b(?:published|venue|conference|journal|appeared)\b|发表|会议|期刊", ("PUBLISHED_IN",)),
)
_CUES: tuple[tuple[re.Pattern[str], tuple[Relation, ...]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), relations) for pattern, relations in _SAID
)


def relations_in(question: str) -> tuple[Relation, ...]:
    """Return the relations that a question asks for, each once."""
    found: dict[Relation, None] = {}
    for pattern, relations in _CUES:
        if pattern.search(question):
            found |= dict.fromkeys(relations)
    return tuple(found)
