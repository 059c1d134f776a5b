"""Checks of a plan: coverage, and whether a part guesses, points outside of itself, speaks another language, or asks what another asks."""

import re
from collections.abc import Sequence
from dataclasses import replace

from scholarmind.plan import Role
from scholarmind.planning.decomposition.clause_rewriting import completed, names_in
from scholarmind.planning.drafts import PartDraft, moved, referred
from scholarmind.planning.question_words import (
    CHINESE,
    CHINESE_FUNCTION,
    FUNCTION,
    REFERENCES,
    MaskedLine,
    Protector,
    content,
    question,
    statement,
    what_is,
)
from scholarmind.text.analysis import fold, sentences, terms
from scholarmind.text.language import HAN, language_of, lazy_regex

# -- plans by rules: nothing is asked in vain, and every word that says something stands in some part

_MARKER = re.compile(r"(?:(?<=\s)|^)\(?\d{1,2}[.)、](?!\d)|（\d{1,2}）")  # the number of an item of a list
_LEAST = 2  # Chinese characters that say something by themselves
_COURTESY = frozenset(
    "method methods approach approaches model models paper papers work works company companies 方法 模型 论文 技术 算法 "
    "answer answers question questions following below please thanks thank hello hi hey help kindly want know "
    "would like could additionally "
    "furthermore moreover finally first second third firstly secondly thirdly lastly next then two-part "
    "multi-part 问题 回答 谢谢 你好 您好 "
    "首先 其次 最后 然后 帮 我 想 知道 请问 你知道 知道 有人 求问 谁知道 以下 下列 年 个 时 里 后 前 来 起 会 能 可以 "
    "every 为 到 从 至 以 所 之 等 吧 啊 一 二 三 两 各 每 每个 每种 于 针对 关于 每篇 每项 每家 每一个 哪些 论述 评价 阐".split()
)


def asked_more_closely(drafts: list[PartDraft]) -> list[PartDraft]:
    """Return the drafts without `What is A?` where A is compared anyway in something that is named: `applications of A`."""
    compared = {place for draft in drafts if draft.role != "find" for place in draft.after}
    named = {place for draft in drafts for place in referred(draft.text)}
    close = {drafts[place].entity for place in compared if drafts[place].aspect}
    bare = {
        place
        for place in compared - named
        if (entity := drafts[place].entity) in close and drafts[place].text == what_is(entity)
    }
    kept = [place for place in range(len(drafts)) if place not in bare]
    places: list[tuple[int, ...]] = [() if place in bare else (kept.index(place),) for place in range(len(drafts))]
    return [moved(draft, places) for place, draft in enumerate(drafts) if place not in bare]


def nothing_lost(question: str, drafts: list[PartDraft], background: Sequence[str] = ()) -> list[PartDraft]:
    """Return the drafts; words of the question that stand in none of them are put back into the last one that looks something up."""
    lost = lost_words(question, [*(draft.text for draft in drafts), *background])
    if not lost or len(drafts) == 1:
        return drafts
    finds = [place for place, draft in enumerate(drafts) if draft.role == "find"]
    free = [place for place in finds if not referred(drafts[place].text)] or finds
    place = next((place for place in reversed(free) if content(drafts[place].text)), free[-1])
    text = drafts[place].text
    body = statement(text)
    chinese = bool(CHINESE.search(body))
    joined = f"（{' '.join(lost)}）" if chinese else f" ({' '.join(lost)})"
    return [
        *drafts[:place],
        replace(drafts[place], text=body + joined + text[len(body) :].strip()),
        *drafts[place + 1 :],
    ]


def lost_words(question: str, texts: list[str]) -> list[str]:
    """Return the words of a question that say something and stand in none of the texts, in order."""
    whole = " ".join(texts).lower()
    known = {word for text in texts for word in content(text)}
    lost: list[str] = []
    for word in dict.fromkeys(content(_MARKER.sub(" ", question))):
        if word in known or word in _COURTESY or word in whole:
            continue
        if CHINESE.match(word):
            lost += [rest for rest in (_uncovered(word, whole),) if _says(rest, whole)]
            continue
        if not _related(word, known):
            lost.append(word)
    return lost


def _says(rest: str, whole: str) -> bool:
    """Tell whether Chinese characters that stand nowhere say something by themselves."""
    return len(rest) >= _LEAST and rest not in _COURTESY and rest not in whole


def _uncovered(word: str, whole: str) -> str:
    """Return the characters of a Chinese run that stand in no pair of it that is known."""
    if len(word) == 1:
        return "" if word in whole else word
    known = [word[place : place + 2] in whole for place in range(len(word) - 1)]
    covered = [any(known[max(0, place - 1) : place + 1]) for place in range(len(word))]
    return "".join(character for character, found in zip(word, covered, strict=True) if not found)


def _related(word: str, known: set[str]) -> bool:
    """Tell whether another form of a word is there: `implies` - `imply`, `larger` - `large`."""
    stem = word[: max(3, len(word) - 3)]
    return word.isalpha() and len(word) > 3 and any(other.startswith(stem) and other.isalpha() for other in known)


# -- plans by a model: what they left out

# words that only tie the steps of a question together: a plan says the same by its references
_TIES = frozenset(
    "located found situated place took takes person one name named called known come comes came does made make became become held "
    "happened happens occurred kind type sort 人 位 名 那 个 所 叫 叫做 位于 来自 属于 具体".split()
)

_SMALL_WORD = 4  # letters, in languages whose small words we do not know
_LEAST_HALF = 3  # letters of each half of `birthplace` for `place of birth`


def left_out(question: str, texts: list[str]) -> list[str]:
    """Return the words of a question that say something and stand in no text, in whatever form."""
    lost = [word for word in lost_words(question, texts) if word not in _TIES]
    if not lost:
        return []
    whole = " ".join(texts)
    known, forms = set(re.findall(r"\w+", fold(whole))), set(terms(whole))
    small = 0 if language_of(question) in {"en", "zh", ""} else _SMALL_WORD
    return [
        word
        for word in lost
        if not (_forms(word) <= forms or _is_compound(word, known) or (word.isalpha() and len(word) <= small))
    ]


def named_in_vain(lost: Sequence[str], question: str, entities: Sequence[str]) -> list[str]:
    """Return those of the lost words that are numbers, or belong to names: what restricts a search, and is not said in another way."""
    named = fold(" ".join(entities))
    return [
        word
        for word in lost
        if any(map(str.isdigit, word)) or (word in named if CHINESE.search(word) else _is_name(word, question))
    ]


def _forms(word: str) -> set[str]:
    """Return the terms of a word; `pan-african` is the same as `pan african`, but `gpt-2` is more than a 2."""
    return set(terms(word if any(map(str.isdigit, word)) else word.replace("-", " ")))


def _is_compound(word: str, known: set[str]) -> bool:
    """Tell whether a word is made of two that are there: `birthplace` of `place of birth`."""
    cuts = range(_LEAST_HALF, len(word) - _LEAST_HALF + 1)
    return word.isascii() and word.isalpha() and any(word[:cut] in known and word[cut:] in known for cut in cuts)


def _is_name(word: str, question: str) -> bool:
    """Tell whether a word is a name or a number, as the question writes it."""
    written = re.search(rf"\b{re.escape(word)}\b", question, re.IGNORECASE)
    return written is None or (written.start() > 0 and not written[0].islower())


# -- guesses: names and numbers that nobody has said yet belong in no question

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
        self._numbers = _numbers(text) | {_NUMBER_WORDS[word] for word in _folded_words(text) if word in _NUMBER_WORDS}
        self._initials = "".join(word[0] for word in _folded_words(text)), "".join(word[0] for word in content(text))
        self._library = tuple(name for name in library if len(name) >= (_LEAST_NAME if name.isascii() else 2))
        self._passages = passages
        self._nouns_are_capital = language_of(said[0]) == "de"

    def guesses(self, text: str) -> list[str]:
        """Return the names and numbers of a text that nobody has said, as they stand there."""
        strange = [
            name
            for sentence in [text[start:end] for start, end in sentences(text)]
            for name in self._strange_names(sentence)
        ]
        folded = fold(text)
        strange += [name for name in self._library if fold(name) in folded and not self.holds(name)]
        strange += [word for word in lost_words(text, [self._said]) if _is_transcribed(word) and word in text]
        strange += [number for number in _numbers(text) - self._numbers if not any(number in name for name in strange)]
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
        # whether a word is another form of a number that was said: `II` of 2
        words = [
            word
            for word in _WORD.findall(name)
            if not self.holds(word) and _NUMBER_WORDS.get(word.lower()) not in self._numbers
        ]
        if self.holds(name) or not words or self._is_spelled_out(name):
            return True
        held = len(_WORD.findall(name)) - len(words)
        if held > 1 and len(words) == 1 and words[0].istitle() and words[0].lower() not in _NUMBER_WORDS:
            return True  # a longer form of a name that was said
        if self._nouns_are_capital and len(words) == 1 and words[0].istitle():
            return True
        begins = sentence.lstrip("\"'“‘(").startswith(words[0])
        return begins and len(words) == 1 and not self._is_name(words[0])

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


def _numbers(text: str) -> set[str]:
    """Return the numbers of a text, without the commas between thousands."""
    return {re.sub(r",(?=\d{3}(?!\d))", "", found) for found in _NUMBER.findall(text)}


def _is_transcribed(word: str) -> bool:
    """Tell whether Chinese characters look like the sounds of a foreign name: 爱因斯坦."""
    return len(word) > 2 and 3 * sum(map(_SOUNDS.__contains__, word)) >= 2 * len(word)


def _initials(text: str) -> str:
    return "".join(word[0] for word in _WORD.findall(text))


def _folded_words(text: str) -> list[str]:
    return [word for found in _WORD.findall(fold(text)) for word in ([found] if found.isascii() else [found, *found])]


# -- words that point outside of a part: `it` without a name before it, `the above`, `compare the results`

_POINTER = lazy_regex(
    r"\b(?:(?P<own>its|their|his|her)\b(?=\s+[a-z0-9])|(?:it|they|them|he|she|him|(?:this|these|those|such"
    r"|the (?:above(?:-mentioned)?|aforementioned|said|same|previous|preceding))"
    r"(?: (?!year|century|day|week|month|is\b|are\b|was\b|were\b)[a-z\-]+)?)(?=\s|[?.,;]|$))"
    r"(?! (?:is |was )?(?:possible|necessary|true|important|better|common|easy|hard|difficult|worth|likely|used to|means?|takes?)\b)",
    re.IGNORECASE,
)

_CHINESE_POINTER = lazy_regex(
    r"(?P<own>(?:它们?|他们?|她们?|其)的?)(?!中|他|余|次|实|人)"
    r"|(?:这些|那些|这[两三几]?[个种类项篇]|(?<!应)该|上述|以上|前述|前面的?|此)"
    r"(?:方法|模型|数据集|论文|技术|算法|系统|问题|机制|研究|机构|公司|作者|人|国家|城市)?"
)

_COMPARES = lazy_regex(
    r"\b(?:compar|contrast|differ|versus|vs\b|similarit)|比较|对比|对照|区别|差异|异同|不同", re.IGNORECASE
)

_PUTS = lazy_regex(
    r"\b(?:compar|contrast|differ|synthes|summary|summari|conclu|combine|combining|integrate|integrating|above|results?\b|findings?\b|answers?\b"
    r"|relationship|together|overall)|比较|对比|对照|区别|差异|异同|综合|总结|归纳|汇总|结论|上述|以上|结果|答案|整合|概括|概述",
    re.IGNORECASE,
)

_SEVERAL = lazy_regex(r" and |, |、|和")
_GENERIC = frozenset(
    "above result results answer answers finding findings part parts step steps previous preceding earlier following two three four "
    "information synthesize synthesise synthesis combine combined integrate conclude conclusion conclusions draw final overall summary "
    "similarities similarity sub-question sub-questions subquestion subquestions question questions based together aspect aspects "
    "entities entity sides side everything obtained retrieved collected gathered aforementioned them relationship write report".split()
)

_CHINESE_GENERIC = lazy_regex(
    r"上述|以上|前面|前述|之前|前[两三几]个|[两三几]个|[一二三四五]|各|部分|步骤|结果|答案|结论|综合|整合|归纳|汇总|总体|信息|内容|子?问题|得出"
    r"|给出|最终|根据|基于|进行|结合|所有|二者|两者|者|相似|点|做|将|把|得到|之处|性"
)


def points_back(text: str) -> re.Match[str] | None:
    """Return the word that points at something which the text has not named before it, if there is one."""
    pattern = _CHINESE_POINTER if CHINESE.search(text) else _POINTER
    match = pattern.search(text)
    if match is None:
        return None
    before = text[: match.start()]
    return None if content(before) or REFERENCES.search(before) else match


def only_points(text: str) -> bool:
    """Tell whether a part asks nothing but to put others together: `Compare the above`."""
    if not _PUTS.search(text):
        return False
    if CHINESE.search(text):
        left = CHINESE_FUNCTION.sub("", _CHINESE_GENERIC.sub("", REFERENCES.sub("", text)))
        return not re.search(r"\w", left)
    return all(word in _GENERIC or word.isdigit() for word in content(REFERENCES.sub(" ", text)))


def putting_together(text: str) -> Role:
    """Return which way of putting other parts together a text asks for."""
    return "compare" if _COMPARES.search(text) else "conclude"


def pointed(text: str, referent: str) -> str:
    """Return the text with the referent in the place of the word that points to it."""
    several = bool(_SEVERAL.search(referent))
    first = PartDraft(text="", entity=referent, topics=(referent,))
    found = [] if several else completed(Protector().line(text), [first], None)
    if len(found) == 1 and not found[0].after and points_back(found[0].text) is None:
        return found[0].text
    return question(_with_referent(Protector().line(text), referent))


def _with_referent(line: MaskedLine, referent: str) -> str:
    match = points_back(line.text)
    if match is None:
        return line.text
    owner = "的" if CHINESE.search(line.text) else "'s"
    owns = match["own"] and (owner == "'s" or match[0].endswith("的"))
    return f"{line.text[: match.start()]}{referent}{owner if owns else ''}{line.text[match.end() :]}"


# -- another language than that of the question; names are at home in every language

_SCRIPTS = frozenset("zh ja ko ru ar el th".split())
_LETTERS = re.compile(r"[^\W\d_]+")
_FEW = 3  # words that are left when those of the question are taken out: with fewer there is nothing to go by
_SURE = 2  # English function words that make English sure


def other_language(text: str, question: str) -> bool:
    """Tell whether the text is in another language than the question."""
    asked = language_of(question)
    if asked == "zh":
        return bool(_LETTERS.search(text)) and not HAN.search(text)
    told = language_of(text)
    if told in _SCRIPTS or asked in _SCRIPTS:
        return told != asked and bool(told)
    return _other_latin(text, question, asked)


def _other_latin(text: str, question: str, asked: str) -> bool:
    """Judge by the words that the question does not have; a text of names alone tells nothing."""
    if not asked or (asked == "en" and _count_english(_LETTERS.findall(question.lower())) < _SURE):
        return False
    known = set(_LETTERS.findall(question.lower()))
    rest = [word for word in _LETTERS.findall(text) if word.lower() not in known and not word[0].isupper()]
    first = _LETTERS.findall(text.lower())[:1]
    rest += [word for word in first if word not in known and word not in rest]
    if len(rest) < _FEW:
        return False
    told = language_of(" ".join(rest))
    if told == asked:
        return False
    return (
        told != "en" and _count_english(rest) < _SURE
        if asked == "en"
        else told == "en" and _count_english(rest) >= _SURE
    )


def _count_english(words: list[str]) -> int:
    return sum(word in FUNCTION for word in words)


# -- repeats, also in another order of words

# who does it to whom counts: here another order is another question
_DIRECTED = re.compile(
    r"\b(?:affect|influenc|impact|caus|lead|led|improv|depend|cit|inspir|outperform|beat|convert|translat|teach|taught|acquir|from|than)\w*"
    r"|影响|导致|引起|改进|引用|依赖|启发|优于|翻译|收购|从.+到|比",
    re.IGNORECASE,
)

_ASKED = {
    "who": r"\b(?:who|whom|whose)\b|谁|哪位",
    "when": r"\b(?:when|what year|which year|what date)\b|何时|什么时候|哪一?年",
    "where": r"\bwhere\b|哪里|哪儿|何地|何处|在哪",
    "how many": r"\bhow (?:many|much|large|big|long|often|old|far|tall|high)\b|多少|几个|多大|多长|多久|多高",
    "why": r"\bwhy\b|为什么|为何|原因",
    "how": r"\bhow\b(?! (?:many|much|large|big|long|often|old|far|tall|high))|如何|怎么|怎样",
    "not": r"\b(?:not|no|never|without|except|\w+n't)\b|不|没|未|无",
}

_QUESTION_WORDS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _ASKED.items()}
Sameness = tuple[object, ...]


def sameness(draft: PartDraft) -> Sameness:
    """Return what two parts that ask the same have in common."""
    # the terms of the words that say something; where there are none, the text itself
    words = terms(" ".join(content(draft.text))) or [" ".join(draft.text.lower().split())]
    order = tuple(words) if _DIRECTED.search(draft.text) else tuple(sorted(words))
    asked = frozenset(name for name, pattern in _QUESTION_WORDS.items() if pattern.search(draft.text))
    return draft.role, order, asked, frozenset(REFERENCES.findall(draft.text))
