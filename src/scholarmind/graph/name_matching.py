"""When two names are one, which name is a variant of another, and when two authors of one name are one person. Pure."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache

from scholarmind.citing.citation_styles import person, plain
from scholarmind.relations import Merged, NodeKind
from scholarmind.text.language import lazy_regex

# -- names that everybody writes in several ways, and what may stand behind or before a name: only data

# what is told of a thing behind its name: "the SQuAD dataset" is SQuAD
_GENERIC = frozenset(
    "model models dataset datasets data-set corpus corpora benchmark benchmarks score scores metric metrics task tasks architecture "
    "architectures network networks algorithm algorithms method methods framework frameworks leaderboard challenge suite".split()
)

_GENERIC_HAN = "模型|数据集|数据|语料库|语料|基准测试|基准|分数|得分|指标|任务|架构|网络|算法|方法|框架|榜单"
_ARTICLES = frozenset({"the", "a", "an"})
_METRICS = {
    "accuracy": "acc accuracies 准确率 正确率 精度 精确度",
    "f1": "f1score f1measure f-1 fscore fmeasure macrof1score f1值 f值 f1分数",
    "exactmatch": "em exactmatches 精确匹配 完全匹配 精确匹配率",
    "perplexity": "ppl perplexities 困惑度",
    "precision": "prec 查准率 精确率",
    "recall": "rec 召回率 查全率",
    "wer": "worderrorrate 词错误率",
    "map": "meanaverageprecision",
    "mrr": "meanreciprocalrank 平均倒数排名",
    "ndcg": "normalizeddiscountedcumulativegain normaliseddiscountedcumulativegain",
    "auc": "areaunderthecurve auroc rocauc",
    "rmse": "rootmeansquareerror rootmeansquarederror 均方根误差",
    "mae": "meanabsoluteerror 平均绝对误差",
    "mse": "meansquareerror meansquarederror 均方误差",
    "bpc": "bitspercharacter bitperchar",
    "top1accuracy": "top1 top1acc",
    "top5accuracy": "top5 top5acc",
}

_VENUES = {
    "neurips": "neurip nips neuralinformationprocessingsystem advancesinneuralinformationprocessingsystem",
    "iclr": "internationalconferenceonlearningrepresentation",
    "icml": "internationalconferenceonmachinelearning",
    "naacl": "naaclhlt northamericanchapteroftheassociationforcomputationallinguistic",
    "eacl": "europeanchapteroftheassociationforcomputationallinguistic",
    "tacl": "transactionsoftheassociationforcomputationallinguistic",
    "findings": "findingsoftheassociationforcomputationallinguistic",
    "acl": "annualmeetingoftheassociationforcomputationallinguistic associationforcomputationallinguistic",
    "emnlp": "empiricalmethodsinnaturallanguageprocessing emnlpijcnlp",
    "coling": "internationalconferenceoncomputationallinguistic",
    "cvpr": "computervisionandpatternrecognition",
    "iccv": "internationalconferenceoncomputervision",
    "eccv": "europeanconferenceoncomputervision",
    "aaai": "aaaiconferenceonartificialintelligence",
    "ijcai": "internationaljointconferenceonartificialintelligence",
    "kdd": "sigkdd knowledgediscoveryanddatamining knowledgediscoverydatamining",
    "sigir": "researchanddevelopmentininformationretrieval",
    "www": "theworldwideweb worldwidewebconference thewebconf",
    "jmlr": "journalofmachinelearningresearch",
    "icassp": "acousticsspeechandsignalprocessing",
    "interspeech": "",
    "arxiv": "corr arxivpreprint computingresearchrepository arxivorg",
}


def _reversed(table: dict[str, str]) -> dict[str, str]:
    return {other: key for key, others in table.items() for other in (key, *others.split())}


METRICS = _reversed(_METRICS)
VENUES = _reversed(_VENUES)
_VENUES_BY_LENGTH = tuple(sorted((name for name in VENUES if len(name) > 20), key=len, reverse=True))
# the size of a model, or how it was trained on: BERT-base, LLaMA-7B, Llama-2-7b-chat. "XL" is none: Transformer-XL
_SIZES = frozenset(
    "base large small tiny mini medium huge giant big xlarge xxlarge xxl nano micro cased uncased chat instruct hf base-uncased "
    "base-cased large-uncased large-cased".split()
)

_SIZES_HAN = "基础版|大型版|小型版|大模型版|基础|大型|小型|大号|小号"


# -- keys of names

_LONGEST = 300  # characters of a name that are looked at
_FOR_BODIES = {"paper", "author", "institution", "year"}  # their last word is not put into the singular
_MARKS = lazy_regex(  # accents of Latin and Greek letters, ё, vowel signs of Arabic and Hebrew; others make other letters
    r"(?<=[a-z\u0370-\u03ff\u1f00-\u1fff])[\u0300-\u036f]+|(?<=е)\u0308|[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]"
)

_OTHER_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "œ": "oe", "æ": "ae", "þ": "th"})
_SIGNS = lazy_regex(r"(?<=\d)\.(?=\d)|(?<=\w)(?:\+\+|\+|#)(?!\w)|(?<=(?<!\w)a)\*")  # 3.5, C++, C#, A*
_KEPT = lazy_regex(r"[^\W_]|[\u0300-\u036f\u0900-\u0dff\u0e31-\u0e4e\u3099\u309a\ue000-\ue010]")
_NO_LETTERS = lazy_regex(r"[\W_]+")
_VERSION = lazy_regex(r"(?:(?<=[\s\-_])|(?<=[A-Za-z]{3}))(?:[Vv]|[Vv]ersion )\s?(?=\d)")
_POINT_ZERO = lazy_regex(r"(?<=\d)\.0(?![\d.])")
_PERCENT = lazy_regex(r"\s*[(（\[]\s*%\s*[)）\]]|\s*%\s*$")
_UNMISTAKABLE = lazy_regex(r"[A-Z].*[A-Z]|\d")
_BEHIND_HAN = lazy_regex(rf"(?<=[A-Za-z0-9])\s*(?:{_GENERIC_HAN})$")
_YEAR = lazy_regex(r"(?:19|20)\d\d")
_EDITION = lazy_regex(
    r"^(?:in\s+)?(?:proceedings of (?:the )?)?(?:\d+(?:st|nd|rd|th)\s+)?(?:annual\s+)?", re.IGNORECASE
)

_ARXIV = lazy_regex(r"^\s*arxiv\b", re.IGNORECASE)
_GREEK = dict(
    zip("αβγδεθλμπστφω", "alpha beta gamma delta epsilon theta lambda mu pi sigma tau phi omega".split(), strict=True)
)

_LONGEST_ABBREVIATION = 8
_NUMBER_OF_LAYERS = 16  # ResNet-50 is a ResNet; below, a number is a version
_CAPITAL_OR_NUMBER = lazy_regex(r"[A-Z\d]")
_LATIN = lazy_regex(r"[A-Za-z]")
_PARAMETERS = lazy_regex(r"\d+(?:\.\d+)?(?:x\d+)?[BMbm]|[BMbm]\d+(?:\.\d+)?[BMbm]")
_PATCHES = lazy_regex(r"(?:[A-Za-z]{1,2}|base|large|huge)/\d{1,2}", re.IGNORECASE)
_LAYERS = lazy_regex(r"\d{2,4}")
_LAST_WORD = lazy_regex(r"^(.*?[^\s\-‐‑–_(])(?:[\s\-‐‑–_,]+|\s*[(（])([^\s\-‐‑–_()（）,]+)[)）]?$")
_GLUED = lazy_regex(r"^(.*[A-Z]{2,}|.*[A-Z]{2,}[a-z]?)(BASE|LARGE|SMALL|base|large|small)$")
_NO_SIZE = lazy_regex(  # what "base", "large" and the like are part of
    r"(?:^|\b)(?:data|knowledge|rule|code|case|feature|fire|user|fact|vocabulary)[\s\-]?bases?$|\b(?:the|a|an|very|as|too|more)\s+\w+$",
    re.IGNORECASE,
)

_SIZE_HAN = lazy_regex(rf"^(.*[A-Za-z0-9])[\s\-]*(?:{_SIZES_HAN})$")
_ET_AL = lazy_regex(
    r"^\s*([^\d(（,，]{2,60}?)(?:[\s,，]+(?:et\s+al\.?|and\s+others)|\s*等人?)?[\s,，]*[(（\[]?\s*((?:19|20)\d\d)[a-z]?\s*[)）\]]?\s*$"
)


def scope_of(collection: str, document: str) -> str:
    """Return the scope of what is known by its name only within this document, as its authors are."""
    return f"{collection}/{document}"


@lru_cache(maxsize=65_536)
def key_of(kind: NodeKind, name: str) -> str:
    """Return what two names of a kind have in common if they are one; '' for what is no name."""
    name = plain(name[:_LONGEST])
    if kind == "author":
        # the key of a person: given names before the family name, in letters that are always the same
        author = person(name)
        if author.body or author.native:
            return letters(author.family + author.given)
        words = re.split(r"[\s.]+", f"{author.given} {author.family} {author.suffix}")
        return " ".join(filter(None, map(letters, words)))
    if kind == "year":
        return letters(name.removesuffix("年"))
    if kind == "venue":
        return _venue(name)
    if kind in _FOR_BODIES:
        return letters(_without_article(name)) if kind == "institution" else letters(name)
    name = _POINT_ZERO.sub("", _VERSION.sub("", _without_generic(_without_article(_PERCENT.sub("", name)))))
    key = letters(_singular(_in_latin(name)))
    return METRICS.get(key, key) if kind == "metric" else key


def letters(text: str) -> str:
    """Return the letters and digits of a text in any script, without case, accents, spaces and most signs."""
    folded = text.lower() if text.isascii() else _without_marks(text)
    if folded.isalnum():
        return folded
    signs = {match.start() for match in _SIGNS.finditer(folded)}
    if folded.isascii() and not signs:
        return _NO_LETTERS.sub("", folded)
    plus = {place + 1 for place in signs if folded[place : place + 2] == "++"}
    kept = (c for place, c in enumerate(folded) if place in signs or place in plus or _KEPT.match(c))
    return "".join(kept)


def _without_marks(text: str) -> str:
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold()).translate(_OTHER_LETTERS)
    return unicodedata.normalize("NFC", _MARKS.sub("", folded))


def is_full(key: str) -> bool:
    """Tell whether an author's key has more than initials before the family name, so that it says who it is."""
    first, *rest = key.split(" ")
    return len(first) > 1 or not first.isascii() if rest else bool(first)


def family(kind: NodeKind, name: str) -> str:
    """Return the name that this one is a variant of by its form: BERT for BERT-base, LLaMA for LLaMA-7B. '' if it is none.

    Whether it is one in truth depends on more: what is the title or alias of a document, or was proposed, stands for itself.
    """
    if kind != "method":
        return ""
    rest = plain(name[:_LONGEST])
    if _NO_SIZE.search(rest):
        return ""
    while shorter := _without_size(rest):
        rest = shorter
    changed = rest != plain(name[:_LONGEST]) and len(letters(rest)) > 1
    return rest if changed and _CAPITAL_OR_NUMBER.search(rest) else ""


def written_as_authors(name: str) -> tuple[str, int] | None:
    """Return the family name and the year of "Devlin et al. (2019)", "Vaswani 2017" or "崔一鸣等（2021）"; None for any other name."""
    found = _ET_AL.match(name)
    if not found:
        return None
    who = re.split(r"\s+(?:and|&|und|et)\s+|与|和|、", found[1].strip())[0].strip()
    return (person(who).family if " " in who else who, int(found[2])) if who else None


def _without_size(name: str) -> str:
    """Return the name without a size behind it, '' if there is none."""
    if found := _SIZE_HAN.match(name):
        return found[1]
    found = _LAST_WORD.match(name)
    if found and _is_size(found[2]):
        return found[1]
    glued = _GLUED.match(name)
    return glued[1] if glued else ""


def _is_size(word: str) -> bool:
    if word.casefold() in _SIZES or _PARAMETERS.fullmatch(word) or _PATCHES.fullmatch(word):
        return True
    return bool(_LAYERS.fullmatch(word)) and int(word) >= _NUMBER_OF_LAYERS and not _YEAR.fullmatch(word)


def _venue(name: str) -> str:
    """Return the key of a venue: without its year and edition, and one for all of its usual names."""
    if _ARXIV.match(name):
        return "arxiv"
    bare = _EDITION.sub("", _YEAR.sub(" ", name).strip(" ,.'’()"))
    key = letters(_singular(_without_article(bare.replace("&", " and "))))
    if key in VENUES:
        return VENUES[key]
    long = next((known for known in _VENUES_BY_LENGTH if known in key), "")
    return VENUES.get(long, key)


def _without_article(name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest if rest and first.casefold() in _ARTICLES else name


def _without_generic(name: str) -> str:
    """Return the name without a word such as "dataset" behind it, where what is left can be nothing but a name."""
    name = _BEHIND_HAN.sub("", name)
    rest, _, last = name.replace("-score", " score").rpartition(" ")
    return rest if rest and last.casefold() in _GENERIC and _UNMISTAKABLE.search(rest) else name


def _in_latin(name: str) -> str:
    """Spell the Greek letters of a Latin name: β-VAE is beta-VAE."""
    if name.isascii() or not _LATIN.search(name):
        return name
    return "".join(_GREEK.get(character, character) for character in name)


def _singular(name: str) -> str:
    """Return the name with its last word in a form that singular and plural share."""
    rest, last = re.match(r"(?s)(.*?)([^\s\-‐‑–_]*)$", name).groups()  # pyright: ignore[reportOptionalMemberAccess]
    return rest + _one(last)


def _one(word: str) -> str:
    """Return a word as its plural and its singular would both come out; abbreviations keep an S of their own."""
    bare = word
    lower = word.casefold()
    if len(word) > 3 and lower.endswith("s") and not lower.endswith(("ss", "us", "is")) and not _is_capitals(word):
        bare = word[:-1]
    lower = bare.casefold()
    if len(bare) > 4 and lower.endswith("ie"):
        return bare[:-2] + "y"
    return bare[:-1] if len(bare) > 4 and lower.endswith(("sse", "xe", "che", "she")) else bare


def _is_capitals(word: str) -> bool:
    """Tell whether the S is part of an abbreviation: NeurIPS and WNLS, but neither LSTMs nor TRANSFORMERS."""
    return word.endswith("S") and (not word.isupper() or len(word) < _LONGEST_ABBREVIATION)


# -- variants: BERT-base is BERT, unless it stands for itself


def variants(names: Iterable[str], own: Iterable[str]) -> Iterator[Merged]:
    """Yield which methods are variants of which. `own` are names that stand for themselves: titles, aliases, what is proposed."""
    themselves = {key_of("method", name) for name in own}
    for name in dict.fromkeys(names):
        rest = family("method", name)
        if rest and key_of("method", name) not in themselves:
            reason = f"{name} is a variant of {rest}, by its name"
            yield Merged(kind="method", name=name, scope="", into=rest, into_scope="", by="rules", reason=reason)


# -- authors of one name

_BY_CHANCE = 1000  # so many pairs of authors have two of one name among them, for all that can be said
_COMMON = 20  # documents with one name, from which on only co-authors prove who is who
_SOME = 3  # co-authors who are named in a reason
_BODY_HAN = re.compile(r"(?:大学|学院|公司|研究院|研究所|团队|实验室|集团|小组|委员会|中心|课题组)$")
_UNMISTAKABLE_BODY = re.compile(r"[A-Z].*[A-Z]|\d|\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorName:
    """A name as it stands over a document, and the node that it belongs to by now."""

    key: str
    name: str
    node: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Byline:
    """Who wrote a document, and what stands beside the names and can prove who they are.

    `writers` may leave those out whose names no other document has; `size` counts them all.
    """

    document: int  # any number that is its own
    scope: str  # of its authors
    writers: Sequence[AuthorName]
    size: int
    institutions: Mapping[str, str] = field(default_factory=dict[str, str])  # name by key
    cites: AbstractSet[int] = frozenset()  # other documents that it cites, or whose methods it improves on


@dataclass(frozen=True, slots=True)
class _DocumentPair:
    """Two documents, and the names that both have: each as the one and as the other writes it."""

    one: Byline
    other: Byline
    shared: list[tuple[AuthorName, AuthorName]]

    @property
    def needed(self) -> int:
        """So many others must have written both, for a name to be one person."""
        fewer, more = sorted((self.one.size, self.other.size))
        return min(1 + fewer * more // _BY_CHANCE, max(2, fewer // 2))

    @property
    def is_crowded(self) -> bool:
        """Tell whether there are so many authors that one name in both means nothing."""
        return self.one.size * self.other.size > _BY_CHANCE


def proven(new: Sequence[Byline], known: Sequence[Byline], take: Callable[[Merged], bool] = bool) -> Iterator[Merged]:
    """Yield who of the new documents is who of these and of the known ones, and why; nothing that is known to be one already.

    `take` tells whether two are one from then on: whom somebody told apart does not stand between others who are one.
    """
    groups = Groups()
    having: dict[str, list[tuple[Byline, AuthorName]]] = {}
    for byline in (*known, *new):
        for writer in byline.writers:
            having.setdefault(writer.key, []).append((byline, writer))
    for one in new:
        for pair in _pairs(one, having):
            beside = _beside(pair)
            telling = [writer for writer, _ in pair.shared if is_full(writer.key)]
            for mine, theirs in pair.shared:
                if groups.are_one(mine.node, theirs.node):
                    continue
                tie = "" if _is_common(mine, having) else beside
                reason = _reason(mine, telling, pair.needed, tie)
                merged = Merged(
                    kind="author",
                    name=mine.name,
                    scope=pair.one.scope,
                    into=theirs.name,
                    into_scope=pair.other.scope,
                    by="rules",
                    reason=reason,
                )
                if reason and take(merged):
                    groups.join(mine.node, theirs.node)
                    yield merged


def near(bylines: Iterable[Byline], names: AbstractSet[str]) -> Iterator[tuple[Byline, Byline]]:
    """Yield documents by one person, as it seems, two by two, that may prove it: linear in what stands beside these names.

    Each comes with the last one before it that has the same co-author or institution, and with those that it cites.
    """
    last: dict[str, Byline] = {}
    known: dict[int, Byline] = {}
    for byline in bylines:
        known[byline.document] = byline
        beside = [writer.key for writer in byline.writers if writer.key not in names and is_full(writer.key)]
        for tie in (*beside, *(f"at {place}" for place in byline.institutions)):
            if tie in last:
                yield last[tie], byline
            last[tie] = byline
        yield from ((known[other], byline) for other in byline.cites if other in known)


def _pairs(one: Byline, having: Mapping[str, Sequence[tuple[Byline, AuthorName]]]) -> Iterable[_DocumentPair]:
    """Return the documents that share names with this one, the most names first. Linear in the places where its names stand."""
    pairs: dict[int, _DocumentPair] = {}
    for mine in one.writers:
        for other, theirs in having[mine.key]:
            if other.document != one.document:
                if other.document not in pairs:
                    pairs[other.document] = _DocumentPair(one, other, [])
                pairs[other.document].shared.append((mine, theirs))
    telling = (pair for pair in pairs.values() if len(pair.shared) > 1 or not _is_common(pair.shared[0][0], having))
    return sorted(telling, key=lambda pair: -len(pair.shared))


def _is_common(writer: AuthorName, having: Mapping[str, Sequence[object]]) -> bool:
    """Tell whether so many documents have a name that only co-authors tell its bearers apart. That of a company is none."""
    return len(having[writer.key]) >= _COMMON and not is_body(writer.name)


def _reason(mine: AuthorName, telling: Sequence[AuthorName], needed: int, beside: str) -> str:
    """Return why this is one person, or ''. `telling` are the full names that both documents have."""
    if is_body(mine.name):
        return f"{mine.name} is a body, not a person"
    others = len(telling) - is_full(mine.key)
    if not is_full(mine.key) and not others:
        return ""  # "W. Zhang" may be anybody
    if others < needed:
        return beside
    first = [writer.name for writer in telling[: _SOME + 1] if writer.key != mine.key][:_SOME]
    more = f" and {others - len(first)} more" if others > len(first) else ""
    return f"wrote both with {', '.join(first)}{more}"


def _beside(pair: _DocumentPair) -> str:
    """Return what else ties two documents together that have few enough authors for it to tell something."""
    if pair.is_crowded:
        return ""
    one, other = pair.one, pair.other
    place = next((name for key, name in one.institutions.items() if key in other.institutions), "")
    if place:
        return f"both from {place}"
    return "one builds on the other" if other.document in one.cites or one.document in other.cites else ""


class Groups:
    """Numbers of things that turn out to be one."""

    def __init__(self) -> None:
        self._leader: dict[int, int] = {}

    def are_one(self, one: int, other: int) -> bool:
        """Tell whether two are known to be one."""
        return self.leader(one) == self.leader(other)

    def join(self, one: int, other: int) -> None:
        """Take two for one from now on."""
        self._leader[self.leader(one)] = self.leader(other)

    def leader(self, node: int) -> int:
        """Return the one that stands for all that are one with this."""
        while (leader := self._leader.get(node, node)) != node:
            self._leader[node] = self._leader.get(leader, leader)
            node = leader
        return node


@lru_cache(maxsize=16_384)
def is_body(name: str) -> bool:
    """Tell whether an author is a company or a group, which is the same wherever it is named."""
    author = person(name)
    return author.body and bool(_BODY_HAN.search(name) if author.native else _UNMISTAKABLE_BODY.search(name))
