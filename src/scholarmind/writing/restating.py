"""Whether a sentence in a model's own words says what its sources say. Numbers, names and negations are as hard as for a quotation.

Softer than `check` in one thing only: half of the words are enough, since the other half are synonyms. What that would let through is
caught apart: a number that stands for something else, a rise for a fall, a Chinese name that the sources do not have. Of the 60
honest sentences that its rules were made with it confirms 45, where `support` alone confirms 13, and of 60 with one thing wrong none,
where that confirms 9; see `tests/writing/test_restating.py`.
"""

import re
from collections.abc import Iterator, Sequence

from scholarmind.answer import Support
from scholarmind.text.analysis import terms
from scholarmind.text.glossary import translations
from scholarmind.text.language import HAN
from scholarmind.text.patterns import lazy_regex
from scholarmind.text.sentences import sentences
from scholarmind.writing.binding import clauses, misplaced
from scholarmind.writing.check import contradicted, support
from scholarmind.writing.quantities import Quantity, numbers
from scholarmind.writing.senses import covered, denied, missing, names, words_of
from scholarmind.writing.words import SURNAMES

_COVERED_SHARE = 0.5
_TOGETHER = 2  # sentences that a restatement is made of, with one quote; a sentence more for each further quote
_MOST_SENTENCES = 120
_SHARE_OF_HAN = 0.2
_TRANSLATED_SHARE = 0.5
_SAME_DENIAL = 0.4  # of its words: the same thing is denied
_OPENER = lazy_regex(
    r"^(?:Since|Because|Although|Though|While|Whereas|Unlike|Like|Both|Despite|Every|Each|No|All|Most|Many|Some|Overall|However|Thus|Hence|"
    r"Therefore|Moreover|Furthermore|Instead|Rather|Compared|Given|Under|Over|Across|Among|During|After|Before|Unless|Once|Until|Only|"
    r"Even|Also|Here|Later|Together|Its|Their|Because|Similarly|Specifically|Notably|Meanwhile|Two|Three|Four|Five)(?=[ ,])"
)
_CLAUSE = lazy_regex(r"[,，;；、。](?!\d)|\b(?:and|while|whereas|but)\b|而且?|并且|但")
_RISE = lazy_regex(
    r"\b(?:increase|increasing|ris|rose|grow|grew|gain|rais|expand)\w*|[增升涨]|提高|扩大|变[大多高长]",
    re.IGNORECASE,
)
_FALL = lazy_regex(
    r"\b(?:decrease|decreasing|reduc|drop|fell\b|fall|declin|lower|shr[iau]nk|saves?\b|saved\b|saving\b|cut(?:s|ting)?\b)\w*|[减降跌]|节省|缩小|省[下去]|变[小少低短]",
    re.IGNORECASE,
)
_OPPOSITES = (
    (lazy_regex(r"变好|改善|更好|提升"), lazy_regex(r"变[差坏]|恶化|更差|下降")),
    (lazy_regex(r"快|加速|\bfaster\b"), lazy_regex(r"慢|减速|\bslower\b")),
)
_HAN_ORGANISATION = lazy_regex(
    r"([\u3400-\u9fff]{2,4})(?:大学|学院|公司|集团|研究院|研究所|实验室|团队|医院|银行|政府)"
)
_HAN_PERSON = lazy_regex(
    rf"(?<![\u3400-\u9fff])?[{''.join(sorted(SURNAMES))}][\u3400-\u9fff]{{1,2}}(?=等人?|团队|提出|、|和[\u3400-\u9fff]{{2,3}}等)"
)
_COUNTED = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_ENGLISH_COUNTED = {
    word: number for number, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), 2)
}
_HAN_COUNT = lazy_regex(r"([一二两三四五六七八九十])(?=[个种项层类次步倍篇位名组块条年月天路段])")
_WORD = lazy_regex(r"[a-z]+")


def judged(claim: str, quotes: Sequence[str], about: str = "") -> Support:
    """Return how far the quotes support a sentence that a model wrote. `about` are names known beside them: titles and authors."""
    exact = support(claim, quotes)
    if exact != "unsupported":
        wrong = _has_other_han_names(claim, (*quotes, about)) or (
            exact == "paraphrase"
            and (misplaced(claim, quotes) or _is_turned(claim, quotes) or _is_opposite(claim, quotes))
        )
        return "unsupported" if wrong else exact
    if not any(quote.strip() for quote in quotes):
        return "unsupported"
    restated = (
        _is_translated(claim, quotes, about) if _is_foreign(claim, quotes) else _is_restated(claim, quotes, about)
    )
    return "paraphrase" if restated else "unsupported"


def _is_restated(claim: str, quotes: Sequence[str], about: str) -> bool:
    text = _without_known_names(_OPENER.sub(lambda match: match[0].lower(), claim), quotes, about)
    return (
        _share(text, quotes) >= _COVERED_SHARE
        and not contradicted(text, quotes)
        and not misplaced(text, quotes)
        and not _is_turned(text, quotes)
        and not _is_opposite(text, quotes)
        and not _is_denied_of_another(text, quotes)
        and not _has_other_han_names(text, (*quotes, about))
    )


def _without_known_names(claim: str, quotes: Sequence[str], about: str) -> str:
    """Leave out names that the quotes need not have, since their documents are known by them."""
    given, known = words_of("\n\n".join(quotes)), words_of(about)
    for name in dict.fromkeys(names(claim)) if about else ():
        if missing((name,), given) and not missing((name,), known):
            claim = claim.replace(name, " ")
    return claim


def _share(claim: str, quotes: Sequence[str]) -> float:
    """Return which share of the claim's words the few sentences hold that hold most of them."""
    wanted, chosen, best = words_of(claim), "", 0.0
    every = [quote[start:end] for quote in quotes for start, end in sentences(quote)][:_MOST_SENTENCES]
    for _ in range(_TOGETHER + len(quotes) - 1):
        share, text = max(
            ((covered(wanted, words_of(f"{chosen}\n\n{one}")), f"{chosen}\n\n{one}") for one in every),
            default=(0.0, ""),
        )
        if share <= best:
            break
        best, chosen = share, text
    return best


def _is_turned(claim: str, quotes: Sequence[str]) -> bool:
    """Tell whether a number that comes with a rise here comes with a fall there, or the reverse."""
    given = [(way, amount) for quote in quotes for way, amount in _ways(quote)]
    for way, amount in _ways(claim):
        theirs = {other for other, same in given if same == amount}
        if way and theirs and way not in theirs and 0 not in theirs:
            return True
    return False


def _ways(text: str) -> Iterator[tuple[int, tuple[object, str]]]:
    """Yield each number with 1 if its clause tells of a rise, -1 of a fall, 0 of neither or of both."""
    begin = 0
    for end, following in (*((match.start(), match.end()) for match in _CLAUSE.finditer(text)), (len(text), 0)):
        clause = text[begin:end]
        way = bool(_RISE.search(clause)) - bool(_FALL.search(clause))
        yield from ((way, number.amount) for number in numbers(clause))
        begin = following


def _is_opposite(claim: str, quotes: Sequence[str]) -> bool:
    """Tell whether a claim is of something better or faster where the closest sentence is of something worse or slower, or the reverse."""
    wanted = words_of(claim)
    every = [quote[start:end] for quote in quotes for start, end in sentences(quote)][:_MOST_SENTENCES]
    closest = max(every, key=lambda one: covered(wanted, words_of(one)), default="")
    for good, bad in _OPPOSITES:
        mine, theirs = (bool(good.search(text)) - bool(bad.search(text)) for text in (claim, closest))
        if mine * theirs < 0:
            return True
    return False


def _is_denied_of_another(claim: str, quotes: Sequence[str]) -> bool:
    """Tell whether a clause of the claim denies of one name what the quotes deny of others only."""
    given = [clause for quote in quotes for clause in _denied(quote)]
    for words, named in _denied(claim):
        theirs = [other for said, other in given if len(words & said) >= _SAME_DENIAL * len(words)]
        if named and theirs and all(other and named.isdisjoint(other) for other in theirs):
            return True
    return False


def _denied(text: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield for each clause that denies something its words and names."""
    for first, last in sentences(text):
        sentence = text[first:last]
        for start, end, named in clauses(sentence):
            if denied(sentence[start:end]):
                yield words_of(sentence[start:end]).terms, named


def _has_other_han_names(claim: str, quotes: Sequence[str]) -> bool:
    """Tell whether a Chinese organisation or person is written with characters that the quotes do not have."""
    given = frozenset(HAN.findall("".join(quotes)))
    found = (*_HAN_ORGANISATION.findall(claim), *_HAN_PERSON.findall(claim))
    return any(not given.issuperset(HAN.findall(name)) for name in found)


# -- across languages


def _is_foreign(claim: str, quotes: Sequence[str]) -> bool:
    return all(_is_chinese(claim) != _is_chinese(quote) for quote in quotes)


def _is_chinese(text: str) -> bool:
    return len(HAN.findall(text)) > _SHARE_OF_HAN * sum(map(str.isalpha, text))


def _is_translated(claim: str, quotes: Sequence[str], about: str) -> bool:
    """Words of another language cannot be compared, so numbers and names decide, which are written alike in both.

    All names must be given, all numbers must stand by them, what is denied must be denied, and half of the words that the glossary knows
    must be there in translation. A sentence without any number needs two such words and a name, for else there is nothing to go by.
    """
    given = words_of("\n\n".join((*quotes, about)))
    named, amounts = names(_OPENER.sub("", claim)), numbers(claim)
    if missing(named, given) or misplaced(claim, quotes, translated=True) or _is_turned(claim, quotes):
        return False
    text = "\n\n".join(quotes)
    if not _counts(claim) <= _counts(text) | {int(number.value) for number in numbers(text)}:
        return False
    words = [others for word, others in translations(claim) if word not in named]
    if not amounts and (len(words) < 2 or not named):
        return False
    return any(_holds(claim, words, piece) for piece in _neighbours(quotes))


def _holds(claim: str, words: Sequence[Sequence[str]], piece: str) -> bool:
    """Tell whether a stretch of the source has the numbers and words of the claim, denies if it denies, and points the same way."""
    amounts, theirs = [[_amount(number) for number in numbers(text)] for text in (claim, piece)]
    denies = denied(claim) > 0
    mine, given = words_of(claim), words_of(piece)
    there = sum(any(_is_there(other, piece, given.terms) for other in others) for others in words)
    opposed = any(one * two == -1 for one, two in zip(mine.directions, given.directions, strict=True))
    return (
        _is_in_order(amounts, theirs)
        and there >= _TRANSLATED_SHARE * len(words)
        and (denies == (denied(piece) > 0) or (bool(amounts) and not denies))
        and not opposed
    )


def _is_there(word: str, piece: str, given: frozenset[str]) -> bool:
    found = frozenset(terms(word))
    return word in piece if HAN.search(word) else bool(found) and found <= given


def _is_in_order(wanted: Sequence[object], given: Sequence[object]) -> bool:
    """Tell whether the numbers come in the order of the source, for no word can tell here which is which."""
    rest = iter(given)
    return all(amount in rest for amount in dict.fromkeys(wanted))


def _neighbours(quotes: Sequence[str]) -> Iterator[str]:
    """Yield the sentences, those beside each other in pairs, and each quote as a whole where there are several."""
    for quote in quotes:
        every = list(sentences(quote))
        for place, (start, end) in enumerate(every):
            yield quote[start:end]
            yield quote[every[max(0, place - 1)][0] : end]
    if len(quotes) > 1:
        yield "\n\n".join(quotes)


def _amount(number: Quantity) -> tuple[object, str]:
    return number.value, "" if number.unit == "year" else number.unit


def _counts(text: str) -> set[int]:
    english = {_ENGLISH_COUNTED[word] for word in _WORD.findall(text.lower()) if word in _ENGLISH_COUNTED}
    return english | {number for word in _HAN_COUNT.findall(text) if (number := _COUNTED[word]) > 1}
