"""The cues that a question shows, and the countable things that the classifier weighs beside its meaning."""

import math

from scholarmind.planning.gate_cues import Cue
from scholarmind.planning.gate_cues_chinese import CHINESE
from scholarmind.planning.gate_cues_english import BRIDGES, ENGLISH
from scholarmind.planning.gate_text import GateText
from scholarmind.text.patterns import lazy_regex

_COUNTED = (
    lazy_regex(r"\b(?:what|who|whom|whose|which|when|where|why|how)\b|什么|谁|哪|何时|何地|多少|几|如何|怎么|怎样|为什么|为何|是否"),
    lazy_regex(r"\b(?:of|for)\b|的"),
    lazy_regex(r"(?<!^)\b(?:that|who|whom|whose|which|where|when)\b|所"),
    lazy_regex(r"['’]s?\b|其"),
    lazy_regex(r"\b(?:and|or|but|both|also|either|while)\b|和|与|及|或|并|且|、"),
    lazy_regex(r"[,，;；:：.。](?=.)"),
    lazy_regex(r"\d+"),
    lazy_regex(r"\bquoted\b|@"),
    lazy_regex(r"\b(?:in|on|at|by|from|to|with|during|after|before|between|under|into|through|since|until)\b|在|于|从|由|被|对"),
    lazy_regex(r"\b\w+ed (?:by|in|on|at|for|to|as|from|with|the)\b"
               r"|\b(?:born|made|held|known|written|sung|built|led|won|set|found|shown)\b"),
    lazy_regex(r"\b(?:more|most|less|least|fewer|best|worst|first|last|same|only|\w{3,}(?:er|est) than|\w{3,}est)\b|最|更|比"),
    lazy_regex(r"\bthe [\w-]+(?: [\w-]+)? (?:of|that|who|which|whose|where|in which|from|with|by|['’]s)\b"),
)  # fmt: skip
_OPENINGS = (
    lazy_regex(r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b"),
    lazy_regex(r"(?:what|which) (?!(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|the)\b)\w+"),
    lazy_regex(r"(?:(?:in|on|at|to|from|for|by|of|with|under) )?(?:what|who|whom|whose|which|when|where|why|how)\b"),
)
_TOKENS = lazy_regex("[\u3400-\u9fff]{1,2}|[^\\W\u3400-\u9fff]+|@")
CUES = tuple(dict.fromkeys(cue.name for cue in (*ENGLISH, *BRIDGES)))  # the Chinese ones bear the same names
SIZE = 2 + len(_COUNTED) + len(_OPENINGS) + 1 + len(CUES)


def seen(text: GateText) -> list[Cue]:
    """Return the cues that a question shows."""
    return [cue for cue in (CHINESE if text.chinese else (*ENGLISH, *BRIDGES)) if cue.pattern.search(text.masked)]


def features(text: GateText) -> list[float]:
    """Return the numbers of a question, each between 0 and about 3."""
    tokens = len(_TOKENS.findall(text.plain))
    cues = seen(text)
    miss = math.prod(1 - cue.weight for cue in cues)
    names = {cue.name for cue in cues}
    return [
        math.log1p(tokens),
        max(0.0, tokens - 12) / 10,
        *(math.sqrt(min(9, len(counted.findall(text.plain)))) for counted in _COUNTED),
        *(1.0 if opening.match(text.plain) else 0.0 for opening in _OPENINGS),
        1 - miss,
        *(1.0 if name in names else 0.0 for name in CUES),
    ]
