"""Lists of references as papers print them, with the truth of each: first author, year, title. All works are made up.

Names are of the kinds that go wrong: particles, hyphens, accents, Chinese ones, bodies. Styles: see `STYLES`.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict


class Truth(TypedDict):
    """A reference as it is printed (label and all), and what it says."""

    text: str
    label: str
    first_author: str  # the family name, or the name of a body
    year: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    given: str
    family: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    authors: tuple[Person, ...]
    year: int
    title: str
    kind: str  # conference, journal, preprint, book, thesis, web
    venue: str
    place: str
    volume: int
    number: int
    first: int
    last: int
    doi: str = ""
    arxiv: str = ""
    chinese: bool = False


FAMILIES = """Albrecht Bauer Castellano Dubois Eriksson Fischer García-Márquez Haddad Ivanova Jørgensen Kowalski Lindqvist
Müller Nguyen O'Neill Petrović Quist Rossi Schäfer Tanaka Ueda Vasquez Weiß Xu Yılmaz Zhang Wang Li Chen
Ångström Béranger Čapek El-Sayed Świątek Kim Park Patel Sharma Smith Brown Okafor Mbeki Novák Horváth
Papadopoulos Andersen Peña Núñez Lévesque Hoffmann Moreau Sato""".split()
PARTICLES = [
    "van der Berg",
    "de la Cruz",
    "von Arnim",
    "van den Heuvel",
    "Le Roux",
    "di Stefano",
    "van Houten",
    "de Vries",
]
GIVENS = """Anna Björn Carlos Daniel Elena François Greta Hiroshi Ingrid João Katarzyna Luis Marie-Claire Noah Olga Pedro
Rosa Søren Thomas Ursula Viktor Wei Xiaoming Yuki Zoë Jean-Luc Ming-Hao Priya Samuel Zhihao""".split()
BODIES = ["Open Vision Consortium", "World Climate Observatory", "Nordic Language Bank", "European Data Council"]
NOUNS = """retrieval networks translation inference parsing attention memory grammars proteins planning graphs embeddings
summarization calibration diffusion kernels segmentation classifiers corpora ontologies annotation""".split()
QUALITIES = """sparse hierarchical robust neural probabilistic multilingual scalable contextual discrete low-resource
end-to-end self-supervised compositional Bayesian adaptive modular""".split()
GOALS = (
    "composite questions|scientific documents|noisy speech|low-rank matrices|clinical notes|large collections|"
    "mobile robots|historical maps|source code|crystal structures|unseen domains"
).split("|")
VENUES = [
    "Computational Reasoning",
    "Language Resources and Tools",
    "Machine Perception",
    "Data Mining",
    "Knowledge Systems",
]
PLACES = ["Berlin, Germany", "Lisbon, Portugal", "Seattle, WA, USA", "Kyoto, Japan", "Toronto, Canada", "Vienna"]
HAN_FAMILIES = "张王李刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"
HAN_GIVENS = "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华玉兰建国志文"
HAN_TITLES = ["基于{}的{}方法研究", "面向{}的{}模型", "{}与{}综述", "一种改进的{}{}算法", "融合{}的{}技术"]
HAN_TERMS = "深度学习 知识图谱 文本检索 机器翻译 注意力机制 图神经网络 问答系统 情感分析 语义匹配 实体识别 多模态数据 强化学习".split()
HAN_VENUES = ["计算机学报", "软件学报", "中文信息学报", "自动化学报", "计算机研究与发展"]
NUMBERED = {"ieee", "nature", "vancouver", "gbt"}
MONTHS = "Jan. Feb. Mar. Apr. May Jun. Jul. Aug. Sep. Oct. Nov. Dec.".split()


def references(style: str, count: int, chance: random.Random) -> list[Truth]:
    """Return a list in its printed order."""
    works = [_work(chance, chinese=style == "gbt" and chance.random() < 0.5) for _ in range(count)]
    if style not in NUMBERED:
        works.sort(key=lambda work: (work.authors[0].family.casefold(), work.year))
    seen: set[str] = set()
    return [_truth(style, number, work, seen) for number, work in enumerate(works, start=1)]


def in_text(style: str, truth: Truth) -> str:
    """Return how the running text points at a reference."""
    if style in {"apa", "acl"}:
        return f"({truth['first_author']} et al., {truth['year']})"
    return f"[{truth['label'].strip('[].')}]"


def _truth(style: str, number: int, work: Work, seen: set[str]) -> Truth:
    label, text = STYLES[style](number, work)
    while label.startswith("[") and label in seen:
        label = label[:-1] + "a]" if label[-2].isdigit() else label[:-2] + chr(ord(label[-2]) + 1) + "]"
    seen.add(label)
    return Truth(
        text=f"{label} {text}".strip(),
        label=label,
        first_author=work.authors[0].family,
        year=work.year,
        title=work.title,
    )


def _work(chance: random.Random, *, chinese: bool) -> Work:
    kind = chance.choices(["conference", "journal", "preprint", "book", "thesis", "web"], [40, 30, 14, 8, 4, 4])[0]
    authors = _han_people(chance) if chinese else _people(chance, alone=kind in {"thesis", "book"})
    year, first = chance.randint(2008 if kind == "preprint" else 1988, 2024), chance.randint(1, 880)
    arxiv = f"{year % 100:02}{chance.randint(1, 12):02}.{chance.randint(10000, 29999)}"
    return Work(
        authors=authors,
        year=year,
        title=_han_title(chance) if chinese else _title(chance),
        kind="journal" if chinese and kind not in {"conference", "book"} else kind,
        venue=chance.choice(HAN_VENUES if chinese else VENUES),
        place="北京" if chinese else chance.choice(PLACES),
        volume=chance.randint(2, 61),
        number=chance.randint(1, 12),
        first=first,
        last=first + chance.randint(3, 24),
        doi=f"10.{chance.randint(1000, 9999)}/syn.{year}.{chance.randint(100, 9999)}" if chance.random() < 0.4 else "",
        arxiv=arxiv if kind == "preprint" else "",
        chinese=chinese,
    )


def _people(chance: random.Random, *, alone: bool) -> tuple[Person, ...]:
    if chance.random() < 0.04:
        return (Person(given="", family=chance.choice(BODIES)),)
    count = 1 if alone else chance.choice([1, 2, 2, 3, 3, 3, 4, 5, 8])
    families = chance.sample(FAMILIES, count)
    if chance.random() < 0.12:
        families[0] = chance.choice(PARTICLES)
    middle = " " + chance.choice("ABCDEFGHJKLMPRST") + "."
    return tuple(
        Person(given=chance.choice(GIVENS) + (middle if chance.random() < 0.3 else ""), family=family)
        for family in families
    )


def _han_people(chance: random.Random) -> tuple[Person, ...]:
    count = chance.randint(1, 5)
    names = (
        chance.choice(HAN_FAMILIES) + "".join(chance.sample(HAN_GIVENS, chance.randint(1, 2))) for _ in range(count)
    )
    return tuple(Person(given="", family=name) for name in names)


def _title(chance: random.Random) -> str:
    quality, other, noun, goal = (chance.choice(words) for words in (QUALITIES, QUALITIES, NOUNS, GOALS))
    name = "".join(chance.sample("BERTGLOXN", 4))
    return chance.choice(
        [
            f"{quality.capitalize()} {noun} for {goal}",
            f"Learning {quality} {noun} from {goal}",
            f"{name}: {quality} {noun} with {other} priors",
            f"Do {quality} {noun} help on {goal}?",
            f"On the limits of {quality} {noun}: a study of {goal}",
            f"Towards {quality}, {other} {noun} in 3D for {goal}",
            f"A survey of {noun} and {chance.choice(NOUNS)} for {goal}",
            f"{name}-{chance.randint(2, 9)}: {noun} are all you need",
        ]
    )


def _han_title(chance: random.Random) -> str:
    return chance.choice(HAN_TITLES).format(*chance.sample(HAN_TERMS, 2))


# --- names ---


def _initials(given: str, mark: str = ".", between: str = " ") -> str:
    parts = ["-".join(half[0] + mark for half in name.split("-")) for name in given.replace(".", "").split()]
    return between.join(parts)


def _given_first(people: tuple[Person, ...], *, initials: bool) -> list[str]:
    return [f"{_initials(p.given) if initials else p.given} {p.family}".strip() for p in people]


def _family_first(people: tuple[Person, ...], between: str = " ") -> list[str]:
    return [f"{p.family}, {_initials(p.given, between=between)}" if p.given else p.family for p in people]


def _joined(names: list[str], word: str, *, oxford: bool) -> str:
    if len(names) < 2:
        return names[0]
    comma = "," if oxford and (len(names) > 2 or word == "&") else ""
    return f"{', '.join(names[:-1])}{comma} {word} {names[-1]}"


# --- styles ---


def _ieee(number: int, work: Work) -> tuple[str, str]:
    names = _given_first(work.authors, initials=True)
    who = f"{names[0]} et al." if len(names) > 6 else _joined(names, "and", oxford=True)
    pages = f"pp. {work.first}–{work.last}"
    doi = f", doi: {work.doi}" if work.doi else ""
    text = {
        "conference": f"{who}, “{work.title},” in Proc. Int. Conf. {work.venue}, {work.place}, {work.year}, {pages}{doi}.",
        "journal": f"{who}, “{work.title},” J. {work.venue}, vol. {work.volume}, no. {work.number}, {pages}, "
        f"{MONTHS[work.number - 1]} {work.year}{doi}.",
        "preprint": f"{who}, “{work.title},” arXiv preprint arXiv:{work.arxiv}, {work.year}.",
        "book": f"{who}, {work.title}, 2nd ed. {work.place}: Elmtree Press, {work.year}.",
        "thesis": f"{who}, “{work.title},” Ph.D. dissertation, Dept. Comput. Sci., Univ. Norwood, {work.place}, {work.year}.",
        "web": f"{who}, “{work.title},” {work.year}. [Online]. Available: {_url(work)}",
    }[work.kind]
    return f"[{number}]", text.replace("?,”", "?”")


def _acl(_number: int, work: Work) -> tuple[str, str]:
    return (
        "",
        f"{_joined(_given_first(work.authors, initials=False), 'and', oxford=True)}. {work.year}. {_acl_rest(work)}",
    )


def _acl_rest(work: Work) -> str:
    title = work.title if work.title.endswith("?") else f"{work.title}."
    doi = f" https://doi.org/{work.doi}." if work.doi else ""
    return {
        "conference": f"{title} In Proceedings of the {work.volume}th Conference on {work.venue}, pages "
        f"{work.first}–{work.last}, {work.place}. Society for {work.venue}.",
        "journal": f"{title} Journal of {work.venue}, {work.volume}({work.number}):{work.first}–{work.last}.{doi}",
        "preprint": f"{title} arXiv preprint arXiv:{work.arxiv}.",
        "book": f"{title} Elmtree Press, {work.place}.",
        "thesis": f"{title} Ph.D. thesis, University of Norwood.",
        "web": f"{title} {_url(work)}.",
    }[work.kind]


def _apa(_number: int, work: Work) -> tuple[str, str]:
    who = _joined(_family_first(work.authors), "&", oxford=True)
    who = who if who.endswith(".") else who + "."
    title = work.title if work.title.endswith("?") else f"{work.title}."
    doi = f" https://doi.org/{work.doi}" if work.doi else ""
    return "", f"{who} ({work.year}). " + {
        "conference": f"{title} In Proceedings of the Conference on {work.venue} (pp. {work.first}–{work.last}).{doi}",
        "journal": f"{title} Journal of {work.venue}, {work.volume}({work.number}), {work.first}–{work.last}.{doi}",
        "preprint": f"{title} arXiv. https://arxiv.org/abs/{work.arxiv}",
        "book": f"{title} Elmtree Press.",
        "thesis": f"{title} [Doctoral dissertation, University of Norwood].",
        "web": f"{title} Retrieved from {_url(work)}",
    }[work.kind]


def _nature(number: int, work: Work) -> tuple[str, str]:
    names = _family_first(work.authors)
    who = f"{names[0]} et al." if len(names) > 5 else _joined(names, "&", oxford=False).replace(",  &", " &")
    who = who if who.endswith(".") else who + "."
    title = work.title if work.title.endswith("?") else f"{work.title}."
    return f"{number}.", f"{who} {title} " + {
        "conference": f"In Proc. {work.volume}th Conf. on {work.venue} {work.first}–{work.last} (Elmtree, {work.year}).",
        "journal": f"J. {work.venue} {work.volume}, {work.first}–{work.last} ({work.year}).",
        "preprint": f"Preprint at https://arxiv.org/abs/{work.arxiv} ({work.year}).",
        "book": f"(Elmtree Press, {work.year}).",
        "thesis": f"PhD thesis, Univ. Norwood ({work.year}).",
        "web": f"{_url(work)} ({work.year}).",
    }[work.kind]


def _vancouver(number: int, work: Work) -> tuple[str, str]:
    names = [f"{p.family} {_initials(p.given, '', '').replace('-', '')}".strip() for p in work.authors]
    who = ", ".join(names[:6]) + (", et al" if len(names) > 6 else "")
    title = work.title if work.title.endswith("?") else f"{work.title}."
    doi = f" doi:{work.doi}" if work.doi else ""
    return f"{number}.", f"{who}. {title} " + {
        "conference": f"In: Proceedings of {work.venue}; {work.year}; {work.place}. p. {work.first}–{work.last}.",
        "journal": f"J {work.venue}. {work.year};{work.volume}({work.number}):{work.first}–{work.last}.{doi}",
        "preprint": f"arXiv:{work.arxiv} [Preprint]. {work.year}.",
        "book": f"2nd ed. {work.place}: Elmtree Press; {work.year}.",
        "thesis": f"[dissertation]. Norwood: University of Norwood; {work.year}.",
        "web": f"{work.year}. Available from: {_url(work)}",
    }[work.kind]


def _lncs(number: int, work: Work) -> tuple[str, str]:
    who = ", ".join(_family_first(work.authors, between=""))
    title = work.title if work.title.endswith("?") else f"{work.title}."
    doi = f" https://doi.org/{work.doi}" if work.doi else ""
    return f"{number}.", f"{who}: {title} " + {
        "conference": f"In: Quist, A., Li, W. (eds.) {work.venue} {work.year}. LNCS, vol. {work.volume + 700}, pp. "
        f"{work.first}–{work.last}. Elmtree, Heidelberg ({work.year}).{doi}",
        "journal": f"J. {work.venue} {work.volume}({work.number}), {work.first}–{work.last} ({work.year}).{doi}",
        "preprint": f"arXiv preprint arXiv:{work.arxiv} ({work.year})",
        "book": f"Elmtree Press, {work.place} ({work.year})",
        "thesis": f"Ph.D. thesis, University of Norwood ({work.year})",
        "web": f"{_url(work)} ({work.year}), last accessed 3 May",
    }[work.kind]


def _gbt(number: int, work: Work) -> tuple[str, str]:
    if work.chinese:
        names, more = [p.family for p in work.authors], ", 等"
    else:
        names = [f"{p.family.upper()} {_initials(p.given, '').replace('-', ' ')}".strip() for p in work.authors]
        more = ", et al"
    who = ", ".join(names[:3]) + (more if len(names) > 3 else "")
    place = work.place.split(",")[0]
    rest = {
        "conference": f"[C]//{work.venue}. {place}: Elmtree, {work.year}: {work.first}-{work.last}.",
        "journal": f"[J]. {work.venue}, {work.year}, {work.volume}({work.number}): {work.first}-{work.last}.",
        "preprint": f"[EB/OL]. ({work.year}-05-03)[2024-06-01]. https://arxiv.org/abs/{work.arxiv}.",
        "book": f"[M]. {place}: Elmtree Press, {work.year}.",
        "thesis": f"[D]. {place}: University of Norwood, {work.year}.",
        "web": f"[EB/OL]. ({work.year}-02-11)[2024-06-01]. {_url(work)}.",
    }[work.kind]
    return f"[{number}]", f"{who}. {work.title}{rest}"


def _alpha(_number: int, work: Work) -> tuple[str, str]:
    families = [p.family.split()[-1].replace("'", "") for p in work.authors]
    letters = families[0][:3] if len(families) == 1 else "".join(f[0] for f in families[:3])
    label = f"[{letters}{'+' if len(families) > 4 else ''}{work.year % 100:02}]"
    names = _joined(_given_first(work.authors, initials=False), "and", oxford=True)
    rest = _acl_rest(work).rstrip(".")
    return label, f"{names}. {rest}, {work.year}."


def _url(work: Work) -> str:
    return (
        f"https://www.norwood-archive.example/reports/{work.year}/{work.title.split()[0].casefold()}-{work.first}.html"
    )


STYLES: dict[str, Callable[[int, Work], tuple[str, str]]] = {
    "ieee": _ieee,
    "acl": _acl,
    "apa": _apa,
    "nature": _nature,
    "vancouver": _vancouver,
    "lncs": _lncs,
    "gbt": _gbt,
    "alpha": _alpha,
}
