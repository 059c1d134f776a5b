"""What kind of search a question needs: facts, reasons and relations, or an overview. By cues."""

import re

from scholarmind.plan import Kind

_GLOBAL = re.compile(
    r"\b(?:overviews?|surveys?|summary|summaries|summari[sz]e|(?:main|major|key|important|recent|latest"
    r"|notable)\s+(?:\w+\s+)?(?:improvements?|themes?|trends?|developments?|advances?|"
    r"contributions?|findings|approaches|directions?|challenges|ideas|topics|methods|research)|trends?|landscape"
    r"|state[- ]of[- ]the[- ]art|sota|literature|history of|evolution of|"
    r"how (?:has|have) .{1,80} (?:evolved|changed|developed)|across (?:all|the) (?:papers?|documents?|corpus"
    r"|library)|leading (?:approaches|methods|techniques)|"
    r"how (?:has|have) .{1,80} (?:shifted|moved)|(?:what(?:['’]s| is| are)|anything) (?:still )?(?:missing|lacking)"
    r"|(?:research|open) (?:gaps?|questions)"
    r"|themes? of|lines? of (?:research|work)"
    r"|what (?:is|are) .{1,40} (?:library|collection|papers) about|what .{1,40} (?:library|collection|papers) (?:is|are) about|"
    r"best practices|open problems|future directions|what is known about)\b"
    r"|综述|总结|概述|概括|概览|整体|趋势|主要(?:有哪些)?(?:的)?(?:改进|进展|观点|贡献|方法|方向|挑战|研究)|哪些(?:主要|重要|关键)|研究现状|现状|发展历程|演变|演进|进展|最佳实践"
    r"|发展方向|新?动向|走向|还缺|欠缺|空白|主要(?:讲|说|研究)|研究方向",
    re.IGNORECASE,
)
_REASONING = re.compile(
    r"\b(?:why|how (?:do|does|did|is|are|can|could|would|was|were)|explain|reasons?|because|causes?|caused"
    r"|consequences?|relat(?:e|es|ed|ion|ions|ionship)|influences?|impacts?|affects?|effects?|"
    r"lead to|led to|differ|differences?|compare|compared|comparison|versus|vs\.?|trade-?offs?|co-?authors?"
    r"|cite[sd]?|depends?|role of|improves? on|contribut(?:e|es|ed))\b"
    r"|为什么|为何|原因|如何|怎么|怎样|影响|关系|导致|区别|差异|不同|比较|对比|异同|优劣|原理|引用|合作|后果|作用|改进了|解释",
    re.IGNORECASE,
)
_FACTS = re.compile(
    r"^(?:how (?:do|does|did) .{1,80} perform\b)|^how (?:is|was) .{1,60} (?:called|spelled|known)|(?:表现|性能|大小)如何",
    re.IGNORECASE,
)


def kind_of(text: str) -> Kind:
    """Return the kind of a question."""
    if _GLOBAL.search(text):
        return "global"
    return "reasoning" if _REASONING.search(text) and not _FACTS.search(text) else "factual"
