"""Lists of authors in every form that bibliographies have, to names without LaTeX that can be told apart later: "Given Family",
"Family, Given" with the particles in front, "{Body}" for what has no given name, "others".
"""

import re

from scholarmind.adapters.readers.bibliography.latex import decode, untagged

MOST_NAMES = 5_000
OTHERS = "others"
LONGEST_NAME = 300
_LONGEST_CODED = 2_000  # the same with its LaTeX
_LONGEST_LIST = 1_000_000

_AND = r"(?i:(?:^| )and(?= |$))"
_COMMA = r"[,，]"
_WORD = re.compile(r"[^\W\d_]+")
_ET_AL = re.compile(r"[ ,，~]*(?:\bet\.?[ ~]?al(?:ii|\b)\.?|\band others|等人?)$", re.IGNORECASE)
_ET_AL_ALONE = frozenset(
    {"others", "et al", "et al.", "etal", "etal.", "et. al.", "et alii", "and others", "…", "...", "等", "等人"}
)
_NATIVE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_INITIALS = re.compile(r"[^\W\d_]{1,2}|(?:[^\W\d_]\.[ -]?){1,4}")
_SUFFIX = re.compile(r"(?:jr|sr)\.?|ii|iii|iv", re.IGNORECASE)
_FAMILIES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石"
)
_DOUBLE_FAMILIES = frozenset(
    "欧阳 司马 上官 诸葛 东方 皇甫 尉迟 公孙 慕容 司徒 司空 夏侯 令狐 宇文 长孙 端木 歐陽 諸葛".split()
)
_PARTICLES = frozenset(
    "af al av bin da dal dalla de degli dei del della den der des di dos du el la las le los lo op 't ten ter van vom von zu "
    "zum zur".split()
)
_RARE_PARTICLES = frozenset({"av", "dal", "dalla", "lo"})  # which are not told from given names without a comma
_FIELD = re.compile(r"\b(family|given|prefix|suffix) ?= ?", re.IGNORECASE)
_NOT_SHORT = 4


def authors_of(text: str) -> tuple[str, ...]:
    """Return the names in a BibTeX field. It is cut up while the braces are there, for they tell what belongs together."""
    names: list[str] = []
    others = False
    for raw in _listed(" ".join(text[:_LONGEST_LIST].split())):
        part, cut = _ET_AL.subn("", raw[:_LONGEST_CODED].strip(" ,，~"))
        if part.casefold().strip("{} ") in _ET_AL_ALONE:
            part, cut = "", 1
        name = _name(part) if part else ""
        others = others or bool(cut) or (bool(name) and len(names) == MOST_NAMES)
        if name and len(names) < MOST_NAMES:
            names.append(name)
    return (*names, OTHERS) if others else tuple(names)


def tidy(text: str) -> tuple[str, ...]:
    """Return the names in text that is not LaTeX: one, or a list between semicolons."""
    found: list[str] = []
    for part in re.split(r"[;；]", untagged(" ".join(text[:_LONGEST_LIST].split()))):
        name, cut = _ET_AL.subn("", part[:_LONGEST_CODED].strip(" ,"))
        if name.casefold() in _ET_AL_ALONE:
            name, cut = "", 1
        found += [_in_small(name[:LONGEST_NAME])] if name else []
        found += [OTHERS] if cut else []
    return tuple(found)


def joined(family: str, given: str, *, prefix: str = "", suffix: str = "") -> str:
    """Return a name whose parts are known."""
    link = "" if prefix.endswith(("'", "’")) else " "
    family = " ".join(f"{prefix}{link}{family}".split())[:LONGEST_NAME]
    if not family or not given.strip():
        return body(family or given)
    parts = (family, suffix, given)
    return _in_small(", ".join(" ".join(part.split())[:LONGEST_NAME] for part in parts if part.strip()))


def body(name: str) -> str:
    """Return the name of somebody or something that has one name only. Where names have no spaces their letters tell what it is."""
    name = " ".join(name.split())[:LONGEST_NAME]
    if name.casefold() in _ET_AL_ALONE:
        return OTHERS
    tells = not name or (_NATIVE.search(name) and not _LATIN.search(name) and not re.search(r"[\s,，]", name))
    return name if tells else f"{{{name.strip('{}')}}}"


def _listed(text: str) -> list[str]:
    """Cut a list at its `and`s; where it has none, at what people put between names instead."""
    for sign in (_AND, r"[;；]", r"、"):
        parts = _cut(text, sign)
        if len(parts) > 1:
            return parts
    parts = _cut(text, r" \\?& ")
    if len(parts) > 1 and "," in parts[-1]:  # a company may have such a sign in its name, but then no comma
        return [name for part in parts for name in _between_commas(part)]
    return _between_commas(text)


def _between_commas(text: str) -> list[str]:
    """Tell a list between commas from one name that has commas."""
    parts = [part.strip() for part in _cut(text, _COMMA)]
    if len(parts) >= 4 and len(parts) % 2 == 0 and all(_INITIALS.fullmatch(part) for part in parts[1::2]):
        return [f"{family}, {given}" for family, given in zip(parts[::2], parts[1::2], strict=True)]
    if len(parts) >= 3 and (all(" " in part for part in parts) or all(map(_is_native_name, parts))):
        return parts
    two_people = (
        len(parts) == 2 and "，" in text and all(_is_native_name(part) and part[0] in _FAMILIES for part in parts)
    )
    return parts if two_people else [text]


def _is_native_name(part: str) -> bool:
    return bool(_HAN.fullmatch(part)) and 2 <= len(part) <= 4 and part not in _DOUBLE_FAMILIES


def _cut(text: str, sign: str) -> list[str]:
    """Split at a pattern, outside of braces."""
    if "{" not in text:
        return re.split(sign, text)
    parts: list[str] = []
    start = depth = 0
    for mark in re.finditer(rf"\\[{{}}]|[{{}}]|{sign}", text):
        if mark[0] in {"{", "}"}:
            depth = max(0, depth + (1 if mark[0] == "{" else -1))
        elif depth == 0 and mark[0][0] != "\\":
            parts.append(text[start : mark.start()])
            start = mark.end()
    return [*parts, text[start:]]


def _name(raw: str) -> str:
    if _is_one_group(raw):
        return body(decode(raw))
    if "=" in raw and (known := dict(_known(raw))).get("family"):
        return joined(
            known["family"], known.get("given", ""), prefix=known.get("prefix", ""), suffix=known.get("suffix", "")
        )
    parts = [name for part in _cut(raw, _COMMA) if (name := decode(part)[:LONGEST_NAME])]
    if len(parts) > 1:
        return _in_small(", ".join(parts))
    return _in_order(raw) if parts else ""


def _known(raw: str) -> list[tuple[str, str]]:
    """Return the parts of a name that BibLaTeX has in the form `family=Müller, given=Hans`."""
    pieces = _FIELD.split(raw)
    return [
        (field.casefold(), decode(value).strip(' ,"')) for field, value in zip(pieces[1::2], pieces[2::2], strict=True)
    ]


def _is_one_group(raw: str) -> bool:
    """Tell that one pair of braces holds all of it, and that they are not those around a letter with an accent."""
    if not (raw.startswith("{") and raw.endswith("}")) or (raw.startswith("{\\") and len(raw.split()) == 1):
        return False
    depth = 0
    for mark in re.finditer(r"[{}]", raw):
        depth += 1 if mark[0] == "{" else -1
        if depth == 0 and mark.end() < len(raw):
            return False
    return True


def _in_order(raw: str) -> str:
    """Return a name without commas, with one where it could not be told from the words alone which of them are the family name."""
    groups = _cut(raw, r"[ ~]")
    words = [word for group in groups if (word := decode(group))]
    name = " ".join(words)[:LONGEST_NAME]
    if len(words) < 2:
        return name
    if len(words) == 2 and all(map(_HAN.fullmatch, words)):
        given_first = len(words[1]) == 1 and len(words[0]) == 2 and words[0] not in _DOUBLE_FAMILIES
        return f"{words[1]}, {words[0]}" if given_first else name
    if words[0] in _PARTICLES:
        return body(name)
    suffix = words.pop() if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else ""
    begin = len(words) - 1
    if "y" in words[2:-1]:  # José Ortega y Gasset
        begin = words.index("y", 2) - 1
        return joined(" ".join(words[begin:]), " ".join(words[:begin]), suffix=suffix)
    if any(" " in word for word in words) or any(word in _RARE_PARTICLES for word in words[1:-1]):
        begin = next((place for place in range(1, begin) if words[place] in _PARTICLES), begin)
        return joined(" ".join(words[begin:]), " ".join(words[:begin]), suffix=suffix)
    return _in_small(name)


def _in_small(name: str) -> str:
    """Return the name without the capitals of whole words that some catalogues write. Short words may be initials."""
    family, comma, rest = name.partition(",")
    if comma and _is_shouted(family):
        family = " ".join(_capital(word) for word in family.split())
        words = rest.split(" ")
        rest = " ".join(_capital(word) if len(word) >= _NOT_SHORT and _is_shouted(word) else word for word in words)
        return f"{family},{rest}"
    if not comma and " " in name and name.isupper():
        return " ".join(
            _capital(word) if len(word) >= _NOT_SHORT and "." not in word else word for word in name.split()
        )
    return name


def _is_shouted(word: str) -> bool:
    return word.isupper() and "." not in word and sum(map(str.isalpha, word)) > 1


def _capital(word: str) -> str:
    if word.casefold() in _PARTICLES:
        return word.casefold()
    small = _WORD.sub(lambda found: found[0].capitalize(), word)
    return re.sub(r"^Mc([a-z])(?=[a-z]{2})", lambda found: f"Mc{found[1].upper()}", small)
