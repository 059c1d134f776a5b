"""Telling words and names of some sentences: those that weigh most there, as they are written."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from scholarmind.text.analysis import spans, terms
from scholarmind.text.language import HAN

_KEPT = 0.6  # of its occurrences has a word in a longer name, or it stands by itself
_WORDS = 3  # of a phrase
_CHARACTERS = 8  # of a phrase in Chinese
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

Span = tuple[int, int]


def phrases(
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


def is_name(phrase: str) -> bool:
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
            yield weight * (1 if is_name(phrase) else _PLAIN), phrase


def _tells(phrase: str) -> bool:
    """Tell whether a phrase can be what something is about: no function word, no month, nothing of how papers are published."""
    if HAN.search(phrase):
        return not _NOT_TOLD_HAN.search(phrase)
    return not _NO_NOUN.fullmatch(phrase)


def _rated(text: str, weights: Mapping[str, float]) -> list[tuple[int, int, frozenset[str]]]:
    """Return the words of a text that say something, the weightiest first, each at its first place."""
    first: dict[frozenset[str], Span] = {}
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


def _with_word_before(text: str, start: int, end: int) -> Span:
    found = re.search(r"([^\W\d_][\w-]+) $", text[max(0, start - 40) : start])
    return (start - len(found[0]), end) if found and _says(found[1]) else (start, end)


def _with_word_after(text: str, start: int, end: int) -> Span:
    found = re.match(r" ([^\W\d_][\w-]+)", text[end : end + 40])
    return (start, end + len(found[0])) if found and _says(found[1]) else (start, end)


def _says(word: str) -> bool:
    return word.lower() not in _NOT_TOLD and any(found for _, _, found in spans(word))


def _sign_word(text: str, pair: str) -> str:
    """Return the Chinese word that two characters belong to, or '' where they are the end of one and the beginning of another."""
    word = pair
    while len(word) < _CHARACTERS and (longer := _longer(text, word)):
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
