"""What a part of a plan may speak of: names and numbers that nobody has said yet are guesses, and no guess belongs in a question."""

import re
from collections.abc import Sequence

from scholarmind.planning.complete import lost_words
from scholarmind.planning.completion import names_in
from scholarmind.planning.protected import REFERENCES, Protector
from scholarmind.planning.words import content
from scholarmind.text.analysis import fold, sentences, terms
from scholarmind.text.language import language_of, lazy_regex

_NUMBER = lazy_regex(r"\d+(?:[.,]\d+)*")
_WORD = lazy_regex(r"[^\W_]+")
_WITHOUT_SPACES = lazy_regex(r"[\u3040-\u30ff\uac00-\ud7af\u0e00-\u0eff]")  # kana, Hangul, Thai
_BRACKETS = lazy_regex(r"[()（）\[\]`<>$]")
_LATIN_NAME = lazy_regex(r"[A-Z][A-Za-z0-9]*(?:[.\-][A-Za-z0-9]+)*")
_ACRONYM = lazy_regex(r"[A-Z]{2,8}s?")
_NUMBER_WORDS = {
    word: str(number)
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
        "i ii iii iv v vi vii viii ix x xi xii",
        "一 二 三 四 五 六 七 八 九 十",
    )
    for number, word in enumerate(words.split(), 1)
} | {"两": "2", "twice": "2", "both": "2"}
# characters that Chinese writes the sounds of foreign names with
_SOUNDS = frozenset(
    "斯尔克特德拉马尼罗巴卡萨姆兰伦顿维诺夫伊娅莎莉雷奥森博格茨皮埃坦爱因里亚迪杰比哈瓦贝沃利欧米戈丹麦塔费"
)
_LEAST_NAME = 4  # letters of a name of the library, 2 in Chinese


class Grounds:
    """Everything that has been said: the question, the conversation before it, and what passages were found to say."""

    def __init__(self, said: Sequence[str], library: Sequence[str] = (), passages: str = "") -> None:
        """Take what was said; `library` are titles and people, `passages` texts that show which words are names."""
        text = "\n".join(said)
        self._said = text
        self._text = fold(text)
        self._terms = frozenset(terms(text))
        self._numbers = numbers(text) | {_NUMBER_WORDS[word] for word in _words(text) if word in _NUMBER_WORDS}
        self._initials = "".join(word[0] for word in _words(text)), "".join(word[0] for word in content(text))
        self._library = tuple(name for name in library if len(name) >= (_LEAST_NAME if name.isascii() else 2))
        self._passages = passages
        self._nouns_are_capital = language_of(said[0]) == "de"

    def guesses(self, text: str) -> list[str]:
        """Return the names and numbers of a text that nobody has said, as they stand there."""
        strange = [name for sentence in _sentences(text) for name in self._strange_names(sentence)]
        folded = fold(text)
        strange += [name for name in self._library if fold(name) in folded and not self.holds(name)]
        strange += [word for word in lost_words(text, [self._said]) if _is_transcribed(word) and word in text]
        strange += [number for number in numbers(text) - self._numbers if not any(number in name for name in strange)]
        return list(dict.fromkeys(strange))

    def holds(self, text: str) -> bool:
        """Tell whether every word of a text has been said."""
        return set(terms(text)) <= self._terms or fold(text) in self._text

    def touches(self, text: str) -> bool:
        """Tell whether any word of a text has been said, be it by its initials."""
        return not self._terms or bool(set(terms(text)) & self._terms) or self._is_said_short(_initials(text))

    def _strange_names(self, sentence: str) -> list[str]:
        line = Protector().line(_BRACKETS.sub(",", REFERENCES.sub("\u2060", sentence)))  # names hide in brackets
        names = _LATIN_NAME.findall(sentence) if _WITHOUT_SPACES.search(sentence) else names_in(line)
        strange = [name for name in names if not self._may_stand(name, sentence)]
        return [] if self._is_said_short(_initials(" ".join(strange))) else strange

    def _may_stand(self, name: str, sentence: str) -> bool:
        words = [word for word in _WORD.findall(name) if not self.holds(word) and not self._is_said_number(word)]
        if self.holds(name) or not words or self._is_spelled_out(name):
            return True
        held = len(_WORD.findall(name)) - len(words)
        if held > 1 and len(words) == 1 and words[0].istitle() and words[0].lower() not in _NUMBER_WORDS:
            return True  # a longer form of a name that was said
        if self._nouns_are_capital and len(words) == 1 and words[0].istitle():
            return True
        begins = sentence.lstrip("\"'“‘(").startswith(words[0])
        return begins and len(words) == 1 and not self._is_name(words[0])

    def _is_said_number(self, word: str) -> bool:
        """Tell whether a word is another form of a number that was said: `II` of 2."""
        return _NUMBER_WORDS.get(word.lower()) in self._numbers

    def _is_name(self, word: str) -> bool:
        """Tell whether a word at the beginning of a sentence is a name: capital where the passages have it, and never small."""
        if not word.istitle() or any(map(str.isdigit, word)):
            return True
        capital = re.search(rf"(?<=[^\s.?!:] ){re.escape(word)}\b", self._passages)
        return bool(capital) and not re.search(rf"\b{re.escape(word.lower())}\b", self._passages)

    def _is_spelled_out(self, name: str) -> bool:
        """Tell whether a short form is the initials of words that were said: `NLP` of natural language processing."""
        letters = name.removesuffix("s").lower()
        return bool(_ACRONYM.fullmatch(name)) and any(letters in initials for initials in self._initials)

    def _is_said_short(self, initials: str) -> bool:
        """Tell whether the long form of something was said by its initials: `Retrieval-Augmented Generation` for RAG."""
        return len(initials) > 1 and initials.lower() in self._terms


def numbers(text: str) -> set[str]:
    """Return the numbers of a text, without the commas between thousands."""
    return {re.sub(r",(?=\d{3}(?!\d))", "", found) for found in _NUMBER.findall(text)}


def _is_transcribed(word: str) -> bool:
    """Tell whether Chinese characters look like the sounds of a foreign name: 爱因斯坦."""
    return len(word) > 2 and 3 * sum(map(_SOUNDS.__contains__, word)) >= 2 * len(word)


def _initials(text: str) -> str:
    return "".join(word[0] for word in _WORD.findall(text))


def _words(text: str) -> list[str]:
    return [word for found in _WORD.findall(fold(text)) for word in ([found] if found.isascii() else [found, *found])]


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]
