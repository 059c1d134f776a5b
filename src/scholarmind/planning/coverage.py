"""Coverage: which words of a question stand in no part of its plan.

Of a plan by rules, lost words are put back into a part; of a model's plan, other forms of a word and what references say count as well.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from scholarmind.planning.drafts import PartDraft, moved, referred
from scholarmind.planning.question_words import CHINESE, content, statement, what_is
from scholarmind.text.analysis import fold, terms
from scholarmind.text.language import language_of

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
