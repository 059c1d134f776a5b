"""Names that nobody knows, recognised by their place in a sentence: what something is tested on, and what it is compared with. Pure.

"81.2 F1 on Foo, Bar 2 and Baz" and "在Foo和Bar上评测" name data sets; "outperforms Foo and Bar" names methods. A word that only has a
capital, as any place or person, is believed less than one that looks like a name of a data set or a method.
"""

import re
from collections.abc import Iterator, Sequence

from scholarmind.graph.known import HAN, Known, key_of
from scholarmind.graph.name_lists import names_listed
from scholarmind.graph.spotting import LOOKS_NAMED, NO_NAMES, NOT_METHODS, kind_of_base
from scholarmind.graph.things import thing
from scholarmind.relations import NodeKind, Thing

Span = tuple[int, int]

_HAN = re.compile(rf"[{HAN}]")
_TESTING = re.compile(
    r"\b(?:evaluat|test|experiment|benchmark|validat|result|assess|audit|prob(?:e|ing)|measur|state[ -]of[ -]the[ -]art"
    r"|scor|error|achiev|obtain|attain|reach|outperform|surpass|beat|exceed|improv|accurac|precision"
    r"|recall|perplexity|perform|pre-?train|train|fine-?tun|tun(?:ed|ing)|yield|gain|win|rank"
    r"|point|match|compared)|\d\.\d|\d[ ]?%"
)
_ON = re.compile(r"\b(?:[Oo]n|[Aa]cross)[ ]")
# words before "on" that do not tell where something was measured
_NOT_WHERE = re.compile(
    r"\b(?:buil\w+|based|rel(?:y|ies|ied)|depend\w*|focus\w*|runs?|running|implemented|deployed|improv(?:es?|ed|ing)|updates?|work\w*"
    r"|papers?|survey|drawing|draws|condition\w*|rests?|stands?|information|attention|effects?|impact|research|stud(?:y|ies)|hosted)[ ]$"
)
# words right before "on" by which even a plain word behind it is a data set: "was evaluated only on Traffic", "an AUC of 0.9 on"
_SURELY_TESTED = re.compile(
    r"(?:\b(?:evaluat\w+|test(?:ed|s)?|experiment\w*|benchmark\w*|(?:pre-?|fine-?)?(?:train|tun)(?:ed|ing)"
    r"|state[ -]of[ -]the[ -]art|accuracy|F1|precision|recall|results|first|best)(?:[ ][\w-]+){0,2}"
    r"|\b[A-Z]\w*[A-Z0-9]\w*[ ](?:score[ ])?(?:of[ ])?\d[\d.]*%?|\d[\d.]*%?[ ][A-Z]\w*[A-Z0-9]\w*"
    r"|\b(?:outperform\w*|surpass\w*|beats?)[ ][^,;.]{1,60})[ ]$"
)
_DATA_OF = re.compile(
    r"\b(?:data ?sets?|benchmarks?|corpora|corpus|test sets)"
    r"(?:,?[ ](?:such as|including|like|namely|called|named|dubbed|termed)|[ ]?[:(]|[ ]?—)[ ]?"
)
_IS_DATA = re.compile(
    r"(?:,[ ]|[ ](?:is|are)[ ])(?:an?|our|the)[ ](?:[\w-]+[ ]){0,5}?(?:data ?set|benchmark|corpus)\b(?![ ](?:for|server|method|model))"
)
_AGAINST = re.compile(
    r"\b(?:outperform(?:s|ed|ing)?|surpass(?:es|ed|ing)?|exceed(?:s|ed|ing)?(?:[ ]th(?:at|ose)[ ]of)?|beat(?:s|ing)?"
    r"|(?:better|faster|higher|lower|stronger|smaller|more[ ][a-z]+)[ ]than|(?:[Cc]ompared|[Rr]elative)[ ](?:with|to)|[Uu]nlike"
    r"|(?:buil(?:d|ds|t|ding)|improv(?:e|es|ed|ing))[ ](?:up)?on|over|extend(?:s|ed|ing)?|refin(?:es|ed|ing)"
    r"|[Ww]e[ ](?:evaluate|benchmark|compare|test|assess|audit|probe|measure)(?:e?d)?(?=[^.;]*[ ]on[ ]))[ ]"
)
_PART = re.compile(r"[ ](?:of|to|from|in|for)[ ]")
_ON_ANOTHER = re.compile(r"[ ]on\b")  # "on Foo and Bar on Baz": Bar is no data set
_HAN_ON = re.compile(
    r"[在于](?:[两三四五六七八九\d]?个?(?:公开|标准|基准|中文|英文|主流)*(?:数据集|基准|任务))?(?=[A-Za-z])"
)
_HAN_ON_ENDS = re.compile(r"[ ]?(?:等)?(?:(?!的?基础)[^，。；、]){0,12}?(?:上|中|里|数据集|测试集|基准|语料)")
_HAN_AGAINST = re.compile(
    r"(?:优于|超过了?|超越了?|胜过|好于|强于|高于|基于|采用了?|使用了?|改进了?|扩展了?|相比于?|与(?=[^，。；]{1,30}相比)"
    r"|以(?=[^，。；]{1,30}为(?:骨|基|起|底|主))|在(?=[^，。；]{1,30}的?基础上))(?=[A-Za-z])"
)
_LIKE_A_METHOD = re.compile(r"(?:LM|GPT|BERT|[Ff]ormer|LLaMA|Llama)(?:[-v\d].*)?$")
_TWO_NAMES = re.compile(r"[A-Z][a-z]+-[A-Z][a-z]+$")  # Swiss-Prot, in a place where a name must stand
_NO_THING = NO_NAMES | frozenset(
    "table figure fig section appendix equation algorithm theorem lemma chapter step monday tuesday wednesday thursday friday saturday"
    " sunday january february march april may june july august september october november december python java windows linux".split()
)


def named_by_place(text: str, start: int, end: int, known: Sequence[Known]) -> Iterator[Thing]:
    """Yield the data sets and methods that a sentence names, where names of such must stand."""
    is_chinese = _HAN.search(text, start, end) is not None
    data_sets = (_han_data_sets if is_chinese else _data_sets)(text, start, end)
    methods = (_han_methods if is_chinese else _methods)(text, start, end)
    kinds: tuple[tuple[NodeKind, Iterator[Span]], ...] = (("dataset", data_sets), ("method", methods))
    for kind, spans in kinds:
        for begin, stop in spans:
            if _may_be(text[begin:stop], kind, known):
                yield thing(kind, text[begin:stop])


def _data_sets(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _IS_DATA.finditer(text, start, end):
        name = text[max(start, match.start() - 40) : match.start()].rpartition(" ")[2]
        yield match.start() - len(name), match.start()
    for match in _DATA_OF.finditer(text, start, end):
        yield from _if_sure(text, names_listed(text, match.end(), end))
    tested = [match for match in _ON.finditer(text, start, end) if not _NOT_WHERE.search(_ahead(text, start, match))]
    if tested and _TESTING.search(text, start, end):
        for match in tested:
            yield from _measured_on(text, match, (start, end))


def _measured_on(text: str, on: re.Match[str], within: Span) -> list[Span]:
    """Return the names behind "on". At the head of a sentence they end with a comma: "On Foo, Bar and Baz win" is about one."""
    start, end = within
    spans = names_listed(text, on.end(), end, ends_before=_ON_ANOTHER)
    is_head = not text[start : on.start()].strip(" \n*_([")
    if is_head and len(spans) > 1 and "," not in text[spans[-1][1] : spans[-1][1] + 12]:
        spans = spans[:1]
    return spans if _SURELY_TESTED.search(_ahead(text, start, on)) else _if_sure(text, spans)


def _ahead(text: str, start: int, match: re.Match[str]) -> str:
    return text[max(start, match.start() - 72) : match.start()]


def _if_sure(text: str, spans: list[Span]) -> list[Span]:
    """Return names of which one at least looks like that of a data set, and not only like that of anything: "on Mason Street"."""
    return spans if any(LOOKS_NAMED.match(word) for span in spans for word in text[slice(*span)].split()) else []


def _methods(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _AGAINST.finditer(text, start, end):
        spans = names_listed(text, match.end(), end)
        if spans and not _PART.search(f" {text[match.end() : spans[0][0]]} "):
            yield from spans


def _han_data_sets(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _HAN_ON.finditer(text, start, end):
        spans = names_listed(text, match.end(), end)
        if spans and _HAN_ON_ENDS.match(text, spans[-1][1], end):
            yield from spans


def _han_methods(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _HAN_AGAINST.finditer(text, start, end):
        yield from names_listed(text, match.end(), end)


def _may_be(name: str, kind: NodeKind, known: Sequence[Known]) -> bool:
    """Tell whether a name may be one of this kind: no machine, no language, no firm, and nothing that is known to be another."""
    words = name.split()
    if len(name) < 2 or not any(map(str.isalpha, name)) or any(map(_is_no_name, words)):
        return False
    if kind == "dataset" and (_LIKE_A_METHOD.search(words[-1]) or kind_of_base(words[0], known) == "method"):
        return False
    whole, first = key_of(name), key_of(words[0])
    if any(whole in names.things for names in known):
        return False
    return all(names.things[first].kind == kind for names in known if first in names.things)


def _is_no_name(word: str) -> bool:
    return word.casefold() in _NO_THING or (NOT_METHODS.match(word) is not None and not _TWO_NAMES.match(word))
