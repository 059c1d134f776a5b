"""Whether a question may be about several concepts: by its words alone, far under a millisecond."""

import re
from collections.abc import Sequence

from scholarmind.model import Name
from scholarmind.planning.question_gate import gate_text, judge

_JOINING = re.compile(
    r"\b(?P<english>vs|versus|compared (?:to|with)|and|or|with|affect(?:s|ed|ing)?|impact(?:s|ed|ing)?|influence[sd]?"
    r"|differences?|relationships?|relations?|interactions?|trade-?offs?)\b"
    r"|(?P<chinese>以及|还是|相比|对比|比较|影响|区别|差异|不同|关系|联系|同时|另外|[和与跟及或、])"
)
_ONE_THING = re.compile(r"^(?:what are (?:the |some )?|list )?(?:the )?best practices (?:for|of|in|to)\b|最佳实践")


def several(question: str, names: Sequence[Name] = ()) -> tuple[bool, str]:
    """Tell whether a question looks like one about several concepts, and why; who is wrong here loses one call."""
    judgement = judge(question, names)
    if judgement.complexity == "composite":
        return True, judgement.reason
    text = gate_text(question, names).masked
    if judgement.probability == 0 or _ONE_THING.search(text):
        return False, "asks for one thing"
    found = _JOINING.search(text)
    return (True, f"joins several things with {found[0]!r}") if found else (False, judgement.reason)
