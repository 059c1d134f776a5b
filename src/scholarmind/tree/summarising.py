"""Say what a node of the tree is about, without a model: a title, and a summary of sentences from its own passages.

A summary takes the sentences that share most with all the others, each saying something new. A title names the documents that most of the
node is from, what its passages stand under, and phrases that tell it from others. Summaries that a model writes are in
`library.summary_tree`.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log, sqrt
from typing import Protocol, TypeVar

from scholarmind.relations import Summary, SummarySentence, SummarySources, SummaryTask, SummaryText
from scholarmind.text.analysis import sentences, spans, terms
from scholarmind.text.language import HAN
from scholarmind.text.untrusted import is_order

# -- telling words and names: those that weigh most in some sentences, as they are written

_KEPT = 0.6  # of its occurrences has a word in a longer name, or it stands by itself
_WORDS = 3  # of a phrase
_MOST_SIGNS = 8  # of a phrase in Chinese
_NEIGHBOURS = 2  # that a Chinese word has at least, on either side
_TRIED = 40  # words
_GIVEN = 2.0  # times what its words weigh is a key word worth that its documents give themselves
_PLAIN = 0.4  # of what it weighs is a single word worth that is no name
_WORD = re.compile(r"[^\W\d_](?:.*[^\W_])?", re.DOTALL)  # begins with a letter
_NAME = re.compile(r"\S*[A-Z0-9]\S*|.*[ \-].*", re.DOTALL)  # has a capital or a number, or is of several words
_NO_NOUN = re.compile(r"[a-z]+(?:ed|ly|est|ous|ful|able|ible)")
_POSSESSIVE = re.compile(r"['’]s?$")
# at an end of two Chinese characters these tell that they are no word
_PARTICLES = (
    "的了和与及为在对将并等其该这那是有被把以所从中之于也可或而且个们各由向到后前上下不我你他她它年月日至都再又则即只每"
)

_NOT_TOLD = frozenset(
    "january february march april may june july august september october november december paper author authors colleagues work "
    "works preprint appeared appear published publish presented posted released proposed version university institute "
    "school college department research conference workshop journal proceedings transactions arxiv figure table "
    "section appendix et al all also any both each either every few many more most much other others same several "
    "some only per than against within without between across about above below after before during over under into "
    "onto out up down off up-to one two three four five six seven eight nine ten first second third later earlier new "
    "old far long short high low large larger largest small smaller smallest big good better best well very too still "
    "even just next last can could might must should would been being get gets got give gives given go goes keep "
    "keeps make makes made take takes use uses using show shows say says see seen let need needs e.g i.e cf vs gb mb "
    "tb gpu gpus cpu hence thus however therefore because while although if not".split()
)

_NOT_TOLD_HAN = re.compile(
    "作者|论文|团队|发表|公开|预印本|报告|大学|研究院|公司|提出|采用|使用|进行|结果|此外|因此|但是"
    "|改进|实验|评测|比较|可以|需要|相同|不同|之前|之后|方法|工作|达到|包括"
)

_Span = tuple[int, int]


def _phrases(
    sentences: Sequence[str],
    weights: Mapping[str, float],
    context: Sequence[str],
    *,
    given: Iterable[str] = (),
    told: Iterable[str] = (),
    least: int = 2,
) -> Iterator[str]:
    """Yield phrases of the sentences that so many of the context have, the most telling first, none with a term that was told before.

    The context tells where words end that have no spaces, and which of the key words that are given it says.
    """
    text, around = "\n".join(sentences), "\n".join(context)
    rated = [*_written(text, weights, around), *_said(given, weights, context)]
    known = set(told)
    for _, phrase in sorted(rated, key=lambda one: -one[0]):
        found = set(terms(phrase))
        if found and not found & known and sum(phrase in sentence for sentence in context) >= least:
            yield phrase
            known |= found


def _is_name(phrase: str) -> bool:
    """Tell whether a phrase is written like a name, or says more than a single plain word."""
    return bool(_NAME.fullmatch(phrase)) or len(HAN.findall(phrase)) > 2


def _said(given: Iterable[str], weights: Mapping[str, float], context: Sequence[str]) -> Iterator[tuple[float, str]]:
    """Yield the key words that several texts say, as one of these writes them, with what each is worth."""
    folded = [text.casefold() for text in context]
    for word in given:
        found = [place for place, text in enumerate(folded) if word.casefold() in text]
        own = [weights.get(term, 0.0) for term in terms(word)]
        if len(found) > 1 and own:
            start = folded[found[0]].index(word.casefold())
            yield _GIVEN * sum(own) / len(own), context[found[0]][start : start + len(word)]


def _written(text: str, weights: Mapping[str, float], around: str) -> Iterator[tuple[float, str]]:
    """Yield the words of a text with what each is worth; those that nearly always stand together as one."""
    for start, end, found in _rated(text, weights)[:_TRIED]:
        phrase = _sign_word(around, text[start:end]) if HAN.match(text[start]) else _name(text, around, start, end)
        if phrase and phrase in text and _tells(phrase):
            weight = max(weights.get(term, 0.0) for term in found)
            yield weight * (1 if _is_name(phrase) else _PLAIN), phrase


def _tells(phrase: str) -> bool:
    """Tell whether a phrase can be what something is about: no function word, no month, nothing of how papers are published."""
    if HAN.search(phrase):
        return not _NOT_TOLD_HAN.search(phrase)
    return not _NO_NOUN.fullmatch(phrase)


def _rated(text: str, weights: Mapping[str, float]) -> list[tuple[int, int, frozenset[str]]]:
    """Return the words of a text that say something, the weightiest first, each at its first place."""
    first: dict[frozenset[str], _Span] = {}
    for start, end, found in spans(text):
        word = text[start:end]
        if found & weights.keys() and len(word) > 1 and _WORD.fullmatch(word) and word.lower() not in _NOT_TOLD:
            first.setdefault(found, (start, end))
    rated = sorted(first.items(), key=lambda item: (-max(weights.get(term, 0.0) for term in item[0]), item[1]))
    return [(*place, found) for found, place in rated]


def _name(text: str, around: str, start: int, end: int) -> str:
    """Return a word with its neighbours that nearly always stand beside it."""
    usual = around.count(text[start:end])
    for _ in range(_WORDS - 1):
        longer = [
            span
            for span in (_with_word_before(text, start, end), _with_word_after(text, start, end))
            if around.count(text[slice(*span)]) >= max(2, _KEPT * usual) and span != (start, end)
        ]
        if not longer:
            break
        start, end = longer[0]
    return _POSSESSIVE.sub("", text[start:end])


def _with_word_before(text: str, start: int, end: int) -> _Span:
    found = re.search(r"([^\W\d_][\w-]+) $", text[max(0, start - 40) : start])
    return (start - len(found[0]), end) if found and _says(found[1]) else (start, end)


def _with_word_after(text: str, start: int, end: int) -> _Span:
    found = re.match(r" ([^\W\d_][\w-]+)", text[end : end + 40])
    return (start, end + len(found[0])) if found and _says(found[1]) else (start, end)


def _says(word: str) -> bool:
    return word.lower() not in _NOT_TOLD and any(found for _, _, found in spans(word))


def _sign_word(text: str, pair: str) -> str:
    """Return the Chinese word that two characters belong to, or '' where they are the end of one and the beginning of another."""
    word = pair
    while len(word) < _MOST_SIGNS and (longer := _longer(text, word)):
        word = longer
    word = word.strip(_PARTICLES)
    varied = all(len(signs) >= _NEIGHBOURS for signs in _neighbours(text, word)) if word else False
    return word if len(word) > 1 and varied else ""


def _longer(text: str, word: str) -> str:
    """Return a word with the sign that nearly always stands before or after it, or ''."""
    before, after = _neighbours(text, word)
    grown = [(count / before.total(), sign + word) for sign, count in before.most_common(1)]
    grown += [(count / after.total(), word + sign) for sign, count in after.most_common(1)]
    usual = [(share, longer) for share, longer in grown if share >= _KEPT and all(map(HAN.match, longer))]
    return max(usual)[1] if usual else ""


def _neighbours(text: str, word: str) -> tuple[Counter[str], Counter[str]]:
    """Count the signs right before and right after a word; each one at a mark or at an end is another."""
    before, after = Counter[str](), Counter[str]()
    place = text.find(word)
    while place >= 0:
        for counter, at in ((before, place - 1), (after, place + len(word))):
            sign = text[at] if 0 <= at < len(text) else ""
            counter[sign if HAN.match(sign) else f"{sign}{place}"] += 1
        place = text.find(word, place + 1)
    return before, after


# -- titles

PARTS = re.compile(", |: ")
Known = TypeVar("Known")
_MOST_PARTS = 3  # names or phrases
_LEADING = 0.6  # of the passages are from the documents that a title names
_COMMON = 0.5  # of the passages stand under the heading that a title names
_LONGEST_PART = 40  # characters of a name or a heading
_NUMBER = re.compile(
    r"^(?:\d+(?:\.\d+)*\.?\s+|(?:[A-Z](?:\.\d+)*|[IVX]+)\.\s*|第?[一二三四五六七八九十]+[章节、.．]\s*)(?=\S)"
)

_SENTENCE_CASE = re.compile(r"[A-Z][a-z]+(?: [^A-Z]*)?")
_SAYS_LITTLE = re.compile(
    r"(?:abstract|introduction|overview|background|summary|conclusions?|references|appendix.*|摘要|引言|绪论|概述|背景|总结|结论|小结|参考文献|附录.*)",
    re.IGNORECASE,
)


def _title_of(
    sentences: Sequence[str], weights: Mapping[str, float], context: Sequence[str], sources: SummarySources
) -> str:
    """Return what a node is about, such as `RoBERTa, XLNet: training data`; its parts are joined by commas.

    What gives orders to a machine is no part of it, be it a name, a heading or a key word.
    """
    names, headings, subjects = (
        _without_orders(sources.names),
        _without_orders(sources.headings),
        _without_orders(sources.subjects),
    )
    leading, heading = _leading(names), _heading(headings)
    if leading and heading:
        return f"{', '.join(leading)}: {_lower(heading)}"
    wanted = 2 if heading or len(leading) == 1 else 1 if leading else _MOST_PARTS
    known = _terms_of((*leading, heading, *(names if leading else ())))
    found = [] if leading or heading else _shared(subjects, wanted)
    told = known | _terms_of(found) | sources.aside
    more = _phrases(sentences, weights, context, given=subjects, told=told)
    found += islice(more if wanted > 1 else filter(_is_name, more), wanted - len(found))
    if not leading:
        found += _unsaid(names, found)[: wanted - len(found)]
    first = ", ".join(leading) or heading
    if not first and not found:  # there is little text: what is said once has to do
        found += islice(_phrases(sentences, weights, context, least=1), wanted)
    return f"{first}: {', '.join(found)}" if first and found else first or ", ".join(found)


def _without_orders(known: Mapping[str, Known]) -> dict[str, Known]:
    return {text: value for text, value in known.items() if not is_order(text)}


def _leading(names: Mapping[str, int]) -> list[str]:
    """Return the few documents that most of the passages are from, or none."""
    most = sorted(names, key=lambda name: -names[name])[:_MOST_PARTS]
    for count in range(1, len(most) + 1):
        if sum(names[name] for name in most[:count]) >= _LEADING * sum(names.values()):
            return most[:count] if all(len(name) <= _LONGEST_PART for name in most[:count]) else []
    return []


def _heading(headings: Mapping[str, int]) -> str:
    """Return the heading that most of the passages stand under, or an empty text."""
    counts: dict[str, int] = {}
    for heading, count in headings.items():
        bare = _NUMBER.sub("", heading).strip()
        counts[bare] = counts.get(bare, 0) + count
    best = max(counts, key=lambda heading: counts[heading], default="")
    is_common = bool(best) and counts[best] > 1 and counts[best] >= _COMMON * sum(counts.values())
    return best if is_common and len(best) <= _LONGEST_PART and not _SAYS_LITTLE.fullmatch(best) else ""


def _shared(subjects: Mapping[str, frozenset[int]], count: int) -> list[str]:
    """Return key words that several documents share, each time the one of most documents that none before is of."""
    waiting = {subject: on for subject, on in subjects.items() if len(on) > 1 and len(subject) <= _LONGEST_PART}
    found: list[str] = []
    left = frozenset[int]().union(*waiting.values())
    while waiting and len(found) < count:
        best = max(waiting, key=lambda subject: (len(waiting[subject] & left), len(waiting[subject])))
        on = waiting.pop(best)
        if len(on & left) > 1:
            found += _unsaid((best,), found)
            left -= on
    return found


def _unsaid(names: Iterable[str], told: Iterable[str]) -> list[str]:
    """Return the names of which no word was told."""
    known = _terms_of(told)
    return [name for name in names if len(name) <= _LONGEST_PART and not known & set(terms(name))]


def _terms_of(texts: Iterable[str]) -> set[str]:
    return {term for text in texts for term in terms(text)}


def _lower(heading: str) -> str:
    return heading[0].lower() + heading[1:] if _SENTENCE_CASE.fullmatch(heading) else heading


# -- summaries

_MOST = 6  # sentences
_CHARACTERS = 600  # of a summary, about 150 tokens
_CHARACTERS_ABOVE = 900  # above level 1
_HAN_WORTH = 2.5  # a Chinese character says as much as so many letters
_STANDING = 8  # passages that a sentence names, of all that have it
_SHORTEST, _LONGEST = 40, 400  # characters of a sentence that is taken gladly
_ONLY_ONE = 0.25  # what one text alone has weighs little, however rare it is
_SAID = 0.25  # of its weight is left to a term that was said
_HEARD = 0.6  # of its weight is left to a sentence of a document that was heard
_LEANING = 0.5  # of its weight is left to a sentence that leans on the one before it
_UNNAMED = 0.75  # of its weight is left to a sentence that names none of the documents
_LETTERS = 0.75  # letters and spaces at least, of the signs of a sentence: less is a table or a formula
_BREAKS = 3  # lines of a sentence: more are a form or a list
_HEADED = 0.6  # of the second line of a sentence is longer than a first line that is a heading
_ENDS = re.compile(r"[.!?。！？…][\"'”’)\]」』）]*$")
_LEANS = re.compile(
    r"(?:It|They|He|She|Its|Their|His|Her|These|Those|This|That|Such|Both|Another|Others?|Here|There|Then|However|Therefore|Thus|Hence"
    r"|Moreover|Furthermore|Finally|Also|Second|Third|Instead|Nevertheless|Nonetheless|Similarly|Likewise|Conversely|But|And|So|Or|Yet)\b"
    r"|The (?:authors?|latter|former|same|other|second|third|price|result|claim|paper|preprint|report)\b"
    r"|In (?:contrast|addition|particular|other words|words)\b|For (?:example|instance)\b"
    r"|它|他|她|这|此|其|该|因此|然而|但是|但|同时|另外|此外|最后|所以|同一|上述|以上|后者|前者|作者|论文|后续|随后|为此|技术报告|第[二三四五六]|另一|而|也|还|不过|并且|例如|比如"
)


class Summariser(Protocol):
    """Makes summaries, one for each task in its order. What it says must stand in the texts of the task."""

    async def summarise(self, tasks: Sequence[SummaryTask]) -> list[Summary]: ...


class Extractive:
    """Makes summaries of sentences as they stand in the passages."""

    async def summarise(self, tasks: Sequence[SummaryTask]) -> list[Summary]:
        """Return a summary for each node."""
        return await asyncio.to_thread(lambda: [extract(task) for task in tasks])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    place: int
    text: str
    passages: tuple[int, ...]
    document: str
    terms: frozenset[str]
    weight: float  # 1, or less for one that does not stand by itself


def extract(task: SummaryTask) -> Summary:
    """Return the most telling sentences of a node in the order in which they stand, and its title."""
    # each sentence once, with all the passages that it stands in; none that gives orders to a machine
    passages: dict[str, dict[int, None]] = {}
    documents: dict[str, str] = {}
    for text in task.texts:
        for sentence in _sentences_of(text):
            passages.setdefault(sentence, {}).update(dict.fromkeys(text.passages))
            documents.setdefault(sentence, text.document)
    candidates = [
        _Sentence(
            place=place,
            text=_beginning(text),
            passages=tuple(on),
            document=documents[text],
            terms=frozenset(terms(text)),
            weight=_standing(text, task.sources.names),
        )
        for place, (text, on) in enumerate(passages.items())
        if not is_order(text)
    ]
    weights = _weights(candidates, task)
    fit = [sentence for sentence in candidates if _is_fit(sentence.text)] or candidates
    room = _CHARACTERS if task.node.level == 1 else _CHARACTERS_ABOVE
    chosen = sorted(_chosen(fit, weights, room), key=lambda sentence: sentence.place)
    told = tuple(SummarySentence(text=sentence.text, passages=sentence.passages[:_STANDING]) for sentence in chosen)
    telling = {term: weight * (1 - 1 / (1 + task.rarity.get(term, 0.0))) for term, weight in weights.items()}
    title = _title_of(
        [sentence.text for sentence in told],
        telling if any(telling.values()) else weights,
        [sentence.text for sentence in candidates],
        task.sources,
    )
    return Summary(title=title, sentences=told)


def _standing(text: str, names: Mapping[str, int]) -> float:
    """Return how well a sentence stands by itself: best if it says which document's subject it speaks of."""
    if _LEANS.match(text):
        return _LEANING
    return 1.0 if not names or any(name in text for name in names) else _UNNAMED


def _sentences_of(text: SummaryText) -> Iterator[str]:
    if text.child is not None:
        yield text.text
        return
    for start, end in sentences(text.text):
        yield text.text[start:end]


def _weights(candidates: Sequence[_Sentence], task: SummaryTask) -> dict[str, float]:
    """Return what each term says of the node: how many of its texts have it, and how rare it is elsewhere.

    Who wrote something, and where, says nothing of what it is about.
    """
    texts: dict[tuple[int, ...], set[str]] = {}
    for sentence in candidates:
        texts.setdefault(sentence.passages[:1], set()).update(sentence.terms)
    counts = Counter(term for found in texts.values() for term in found if term not in task.sources.aside)
    return {term: log(count + _ONLY_ONE) * (1 + task.rarity.get(term, 0.0)) for term, count in counts.items()}


def _chosen(candidates: Sequence[_Sentence], weights: Mapping[str, float], room: float) -> list[_Sentence]:
    """Return sentences one by one, each the best beside those before, as long as there is room."""
    left, waiting, chosen = dict(weights), list(candidates), list[_Sentence]()
    heard: Counter[str] = Counter()
    while waiting and len(chosen) < _MOST and room > 0:
        best = max(
            waiting, key=lambda sentence: (_worth(sentence, left) * _HEARD ** heard[sentence.document], -sentence.place)
        )
        waiting.remove(best)
        if chosen and (_size(best.text) > room or not _worth(best, left)):
            break
        chosen.append(best)
        heard[best.document] += 1
        room -= _size(best.text)
        left |= {term: left[term] * _SAID for term in best.terms if term in left}
    return chosen


def _worth(sentence: _Sentence, weights: Mapping[str, float]) -> float:
    said = sum(weights.get(term, 0.0) for term in sorted(sentence.terms))
    return sentence.weight * said / sqrt(1 + len(sentence.terms))


def _is_fit(text: str) -> bool:
    letters = sum(map(str.isalpha, text)) + text.count(" ")
    is_prose = letters >= _LETTERS * len(text) and text.count("\n") <= _BREAKS and not _is_headed(text)
    return is_prose and _SHORTEST <= _size(text) <= _LONGEST and bool(_ENDS.search(text)) and not text[0].islower()


def _is_headed(text: str) -> bool:
    """Tell whether a heading is glued to a sentence: a first line that is much shorter than the next one."""
    first, _, rest = text.partition("\n")
    return len(first) < _HEADED * len(rest.partition("\n")[0])


def _beginning(text: str) -> str:
    """Return a text that is longer than a summary as far as there is room for it, up to the end of a word."""
    size = _size(text)
    if size <= _CHARACTERS:
        return text
    room = text[: int(_CHARACTERS * len(text) / size)]
    return room[: room.rfind(" ")] if " " in room else room


def _size(text: str) -> float:
    """Return how long a text is, in letters of an alphabet."""
    return len(text) + (_HAN_WORTH - 1) * len(HAN.findall(text))
