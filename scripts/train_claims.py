"""Fit the weights of the judge of claims, and say by cross-validation how well they carry over.

python scripts/train_claims.py --pairs FILE [FILE ...] --corpus DIR [DIR ...] [--write]

`--pairs` are judged by hand: {"source": [...], "sentence", "label": "true" or "false", "kind"} a line. From them and from plain text
(`corpus.jsonl` in each DIR) false sentences are made by changing true ones, and sentences are held against texts that do not have them.
All that comes from one source is in one fold; figures are of the pairs alone. Needs scikit-learn, which the package itself does not.
"""

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import GroupKFold

from scholarmind.judge.claims import is_suspect
from scholarmind.judge.signs import Comparison
from scholarmind.judge.wording import read
from scholarmind.text.analysis import sentences

WEIGHTS = Path(__file__).parents[1] / "src/scholarmind/judge/claims.json"
HAN = re.compile(r"[\u3400-\u9fff]")
TURNED = (
    "more less|higher lower|before after|increased decreased|rose fell|larger smaller|earlier later|above below|first last|better worse|"
    "increase decrease|longer shorter|"
    "faster slower|most least|高 低|多 少|大 小|增加 减少|上升 下降|早 晚|以前 以后|之前 之后|提高 降低|长 短"
)
OPPOSITE = {one: other for pair in TURNED.split("|") for one, other in (pair.split(), pair.split()[::-1])}
WIDENED = {
    "some": "all",
    "most": "all",
    "many": "all",
    "several": "all",
    "often": "always",
    "usually": "always",
    "sometimes": "always",
    "多数": "所有",
    "部分": "全部",
    "一些": "所有",
    "许多": "所有",
    "通常": "总是",
    "主要": "完全",
}
HEDGES = re.compile(
    r"\b(?:may|might|could|probably|possibly|perhaps|about|approximately|nearly|almost|only|mainly|partly) "
    r"|可能|也许|大约|左右|几乎|仅|只(?=[有能在是限需])"
)
PER_CORPUS = 150
SHARE = 0.5  # of what is made, beside the pairs
FOLDS, SEEDS = 10, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    source: tuple[str, ...]
    sentence: str
    label: bool
    kind: str
    group: str
    made: bool = False

    @property
    def chinese(self) -> bool:
        return HAN.search(self.sentence) is not None


def judged(path: Path) -> Iterator[Pair]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Pair(
            source=tuple(row["source"]),
            sentence=row["sentence"],
            label=row["label"] == "true",
            kind=row["kind"],
            group=row["source"][0][:60],
        )


def changed(sentence: str, others: Sequence[str], chance: random.Random) -> Iterator[tuple[str, str]]:
    """Yield false sentences made of a true one: each with its kind."""
    if number := re.search(r"(?<![A-Za-z\d])\d[\d,.]*\d|(?<![A-Za-z\d])\d", sentence):
        digits = number[0]
        other = (
            digits[:-1] + str((int(digits[-1]) + chance.randint(1, 8)) % 10)
            if len(digits) < 3 or chance.random() < 0.5
            else digits[:-2] + digits[-1] + digits[-2]
        )
        if other != digits:
            yield "number", sentence.replace(digits, other, 1)
    words = [
        word for word in OPPOSITE if (word in sentence if HAN.match(word) else re.search(rf"\b{word}\b", sentence))
    ]
    if words:
        word = chance.choice(words)
        yield "comparison", re.sub(word if HAN.match(word) else rf"\b{word}\b", OPPOSITE[word], sentence, count=1)
    words = [word for word in WIDENED if (word in sentence if HAN.match(word) else re.search(rf"\b{word}\b", sentence))]
    if words:
        word = chance.choice(words)
        yield "general", re.sub(word if HAN.match(word) else rf"\b{word}\b", WIDENED[word], sentence, count=1)
    if HEDGES.search(sentence):
        yield "part", HEDGES.sub("", sentence, count=1)
    yield from negated(sentence)
    yield from (renamed_chinese if HAN.search(sentence) else renamed)(sentence, others, chance)


def negated(sentence: str) -> Iterator[tuple[str, str]]:
    if re.search(r"\bnot |没有|不|未", sentence):
        yield "negation", re.sub(r"\bnot |没有|不|未", "", sentence, count=1)
    elif auxiliary := re.search(r"\b(?:was|were|is|are|has|have|had|can|will|could)\b", sentence):
        yield "negation", f"{sentence[: auxiliary.end()]} not{sentence[auxiliary.end() :]}"
    elif auxiliary := re.search(r"[是会能可由被在]", sentence):
        yield "negation", f"{sentence[: auxiliary.start()]}不{sentence[auxiliary.start() :]}"


NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w-]+(?: [A-Z][\w-]+)*")
WORD = re.compile(r"\b[a-z]{5,}\b")


def renamed(sentence: str, others: Sequence[str], chance: random.Random) -> Iterator[tuple[str, str]]:
    """Swap two names, put another in place of one, and another word in place of one with the same ending."""
    names = list(dict.fromkeys(NAME.findall(" x " + sentence) + re.findall(r"^[A-Z]\w+(?: [A-Z]\w+)+", sentence)))
    if len(names) > 1 and not any(one in other for one in names for other in names if one != other):
        one, other = chance.sample(names, 2)
        yield "swapped", sentence.replace(one, "\0").replace(other, one).replace("\0", other)
    strange = [name for other in others for name in NAME.findall(other) if name not in sentence]
    if names and strange:
        yield "name", sentence.replace(chance.choice(names), chance.choice(strange), 1)
    words = WORD.findall(sentence)
    if words:
        word = chance.choice(words)
        same = [
            each for other in others for each in WORD.findall(other) if each[-2:] == word[-2:] and each not in sentence
        ]
        if same:
            yield "relation", re.sub(rf"\b{word}\b", chance.choice(same), sentence, count=1)
    halves = [each.split(", ", 1) for each in (sentence, *others) if ", " in each]
    if len(halves) > 1 and sentence.count(", "):
        yield "mixed", f"{halves[0][0]}, {halves[1][1]}"


def renamed_chinese(sentence: str, others: Sequence[str], chance: random.Random) -> Iterator[tuple[str, str]]:
    runs = chinese_runs(sentence)
    strange = [run for other in others for run in chinese_runs(other) if run not in sentence]
    if len(runs) > 1:
        one, other = chance.sample(runs, 2)
        yield "swapped", sentence.replace(one, "\0").replace(other, one).replace("\0", other)
    if runs and strange:
        run = chance.choice(runs)
        same = [each for each in strange if len(each) == len(run)] or strange
        yield "relation", sentence.replace(run, chance.choice(same), 1)
    halves = [each.split("，", 1) for each in (sentence, *others) if "，" in each]
    if len(halves) > 1 and "，" in sentence:
        yield "mixed", f"{halves[0][0]}，{halves[1][1]}"


def chinese_runs(text: str) -> list[str]:
    """Return the runs of two to four characters between those of grammar: mostly words or names."""
    found, run = [], ""
    for token in (*read(text).tokens, None):
        if token and token.content and HAN.match(token.form) and token.end - token.start == 1:
            run += token.form
        else:
            if 2 <= len(run) <= 4 and run in text:
                found.append(run)
            run = ""
    return list(dict.fromkeys(found))


def reordered(sentence: str) -> Iterator[str]:
    """Yield true sentences made of a true one: its opening phrase at its end, its brackets or its last clause left out."""
    opening = re.match(
        r"((?:In|On|At|By|During|After|Since) [^,]{3,30}), (?=the |a |it |he |she |they )([^.;]+)\.$", sentence
    )
    if opening:
        body = opening[2]
        yield f"{body[0].upper()}{body[1:]} {opening[1][0].lower()}{opening[1][1:]}."
    bare = re.sub(r" ?[(（][^()（）]{1,60}[)）]", "", sentence)
    if bare != sentence and len(bare) > 30:
        yield bare
    cut = re.match(r"(.{30,}?)(?:, (?:and|which|where|who|including) |；|，并)", sentence)
    if cut and not re.search(
        r"\b(?:if|unless|only|when|while|although|not|no|neither)\b|若|如果|除|仅|只|虽", sentence
    ):
        yield cut[1] + ("。" if HAN.search(sentence) else ".")


PASSIVE = re.compile(
    r"(?P<object>(?:(?:The|the|A) )?[A-Z]?\w+(?: [A-Z]\w+)*) (?:was|were) (?P<verb>[a-z]+ed|built|written|won|led|made) by "
    r"(?P<subject>(?:the [a-z]+(?: [A-Z]\w+)*|[A-Z]\w+(?: [A-Z]\w+)*))(?P<time> in \d{4})?"
)
PAST = {"written": "wrote"}


def voices(text: str, others: Sequence[str], chance: random.Random) -> Iterator[tuple[str, bool]]:
    """Yield what a passive sentence says in the active voice, and what neither says: roles swapped, or another verb."""
    for match in list(PASSIVE.finditer(text))[:2]:
        one, verb, other, time = match["object"], match["verb"], match["subject"], match["time"] or ""
        if one.lower() in {"it", "he", "she", "they", "which", "that", "who", "and", "this", "these"}:
            continue
        past = PAST.get(verb, verb)
        verbs = [found for each in others for found in re.findall(r"\b[a-z]{3,}ed\b", each) if found != verb] or [
            "poisoned"
        ]
        strange = chance.choice(verbs)
        for sentence, label in (
            (f"{other} {past} {one}{time}.", True),
            (f"It was {other} that {past} {one}{time}.", True),
            (f"{one} was {verb} by {other}{time}.", True),
            (f"{one} {past} {other}{time}.", False),
            (f"{other} was {verb} by {one}{time}.", False),
            (f"{other} was {strange} by {one}{time}.", False),
            (f"{one} was {strange} by {other}{time}.", False),
            (f"{other} {strange} {one}{time}.", False),
        ):
            yield sentence[0].upper() + sentence[1:], label


def made(folder: Path, chance: random.Random) -> Iterator[Pair]:
    """Make pairs of plain text."""
    texts = [
        json.loads(line)["text"][:1500] for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    chance.shuffle(texts)
    paragraphs = [(text, [text[a:b] for a, b in sentences(text)]) for text in texts]
    paragraphs = [(text, some) for text, some in paragraphs if len(some) > 2]
    for index, (text, some) in enumerate(paragraphs):
        for sentence, label in voices(text, some, chance):
            yield Pair(
                source=(text,), sentence=sentence, label=label, kind="voice", group=f"{folder.name}{index}", made=True
            )
    for index, (text, _) in enumerate(paragraphs[:PER_CORPUS]):
        group = f"{folder.name}{index}"
        yield from made_of_text(text, group, chance, qualified_first=index % 3 == 0)
        other = chance.choice(paragraphs)[0]
        if other != text:
            sentence = chance.choice([text[a:b] for a, b in sentences(text)])
            yield Pair(source=(other,), sentence=sentence, label=False, kind="unrelated", group=group, made=True)


def made_of_text(text: str, group: str, chance: random.Random, *, qualified_first: bool = False) -> Iterator[Pair]:
    """Yield a sentence of a text put otherwise, and changed, and beside the text without it."""
    some = [text[a:b] for a, b in sentences(text)]
    own = [one for one in some if (12 if HAN.search(one) else 40) < len(one) < 260]
    if not own:
        return
    qualified = [one for one in own if HEDGES.search(one)]
    sentence = chance.choice(qualified if qualified and qualified_first else own)
    for each in reordered(sentence):
        yield Pair(source=(text,), sentence=each, label=True, kind="reordered", group=group, made=True)
    rest = [one for one in some if one != sentence]
    false = [
        *changed(sentence, rest, chance),
        *(lie for each in reordered(sentence) for lie in changed(each, rest, chance)),
    ]
    chance.shuffle(false)
    false.sort(key=lambda each: each[0] != "part")
    for kind, each in false[:3]:
        if each not in text:
            yield Pair(source=(text,), sentence=each, label=False, kind=kind, group=group, made=True)
    yield Pair(source=(" ".join(rest),), sentence=sentence, label=False, kind="absent", group=group, made=True)


def made_of_pairs(pairs: Sequence[Pair], chance: random.Random) -> Iterator[Pair]:
    """Change true sentences of the pairs, and hold them against other sources and against a source that lost what they were taken from."""
    true = [pair for pair in pairs if pair.label]
    for pair in true:
        parts = [text[a:b] for text in pair.source for a, b in sentences(text)]
        false = list(changed(pair.sentence, parts, chance))
        chance.shuffle(false)
        yield from (
            Pair(source=pair.source, sentence=each, label=False, kind=kind, group=pair.group, made=True)
            for kind, each in false[:2]
        )
        other = chance.choice([each for each in true if each.group != pair.group and each.chinese == pair.chinese])
        yield Pair(
            source=other.source, sentence=pair.sentence, label=False, kind="unrelated", group=pair.group, made=True
        )
        same = Comparison.of(pair.sentence, parts)
        if pair.kind == "paraphrase" and same.near:
            chosen = same.near[0].source
            left = [part for index, part in enumerate(parts) if index != chosen]
            if len(left) > 1:
                yield Pair(
                    source=tuple(left), sentence=pair.sentence, label=False, kind="absent", group=pair.group, made=True
                )


def fitted(x: np.ndarray, y: np.ndarray, weight: np.ndarray, seed: int) -> GradientBoostingClassifier:
    model = GradientBoostingClassifier(
        n_estimators=150,
        max_depth=3,
        learning_rate=0.06,
        subsample=0.5,
        max_features=0.3,
        min_samples_leaf=8,
        random_state=seed,
    )
    return model.fit(x, y, sample_weight=weight)


def thresholds(score: np.ndarray, label: np.ndarray, share: float = 0.03) -> tuple[float, float]:
    """Return the scores below which 3 % of the true ones lie, and above which 3 % of the false ones."""
    true, false = np.sort(score[label]), np.sort(score[~label])[::-1]
    return float(true[int(share * len(true))]), float(false[int(share * len(false))])


def weights(pairs: Sequence[Pair]) -> np.ndarray:
    """Every language counts the same, and so does what was made beside the pairs, times `SHARE`."""
    count = Counter((pair.chinese, pair.made, pair.label) for pair in pairs)
    return (
        np.array([(SHARE if pair.made else 1.0) / count[pair.chinese, pair.made, pair.label] for pair in pairs])
        * len(pairs)
        / 4
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, nargs="+", required=True)
    parser.add_argument("--corpus", type=Path, nargs="*", default=[])
    parser.add_argument("--write", action="store_true", help="replace the weights beside the module")
    chosen = parser.parse_args()
    chance = random.Random(7)  # noqa: S311
    own = [pair for path in chosen.pairs for pair in judged(path)]
    every = [*own, *made_of_pairs(own, chance)]
    for folder in chosen.corpus:
        every += made(folder, chance)
    report(every, write=chosen.write)


def report(pairs: Sequence[Pair], *, write: bool) -> None:
    signs = [Comparison.of(pair.sentence, pair.source).signs for pair in pairs]
    kept = [index for index, found in enumerate(signs) if found]
    pairs, signs = [pairs[n] for n in kept], [signs[n] for n in kept]
    names = sorted({name for found in signs for name in found})
    x = np.array([[float(found.get(name, 0)) for name in names] for found in signs])
    y, weight = np.array([pair.label for pair in pairs]), weights(pairs)
    groups = np.array([pair.group for pair in pairs])
    score = np.zeros(len(pairs))
    for seed in range(SEEDS):
        for fit, hold in GroupKFold(FOLDS, shuffle=True, random_state=seed).split(x, y, groups):
            score[hold] += fitted(x[fit], y[fit], weight[fit], seed).decision_function(x[hold]) / SEEDS
    suspect, by_hand = np.array([is_suspect(found) for found in signs]), np.array([not pair.made for pair in pairs])
    limits: dict[str, tuple[float, float]] = {}
    for chinese, name in ((False, "en"), (True, "zh")):
        mine = np.array([pair.chinese is chinese for pair in pairs])
        low, high = limits[name] = thresholds(score[mine & by_hand], y[mine & by_hand])
        refused, confirmed = score < low, (score > high) & ~suspect
        sys.stdout.write(f"{name}: limits {low:.2f} {high:.2f}\n")
        keys = [(not pair.made, pair.label, pair.kind) for pair in pairs]
        wider = {(True, True, ""), (True, False, ""), (False, True, ""), (False, False, "")}
        for key in sorted({*keys, *wider}, reverse=True):
            some = mine & np.array([each == key or (*each[:2], "") == key for each in keys])
            if some.any():
                sys.stdout.write(
                    f"  {'by hand' if key[0] else 'made'} {'true' if key[1] else 'false'} {key[2] or 'ALL':16} {some.sum():4} "
                    f"confirmed {confirmed[some].mean():.3f} refused {refused[some].mean():.3f}\n"
                )
    if write:
        dump(x, y, weight, names, limits, "unread")


def dump(
    x: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    names: Sequence[str],
    limits: dict[str, tuple[float, float]],
    name: str,
) -> None:
    """Write the trees under a name: each node is [sign, limit, left, right], or a number at the leaf."""
    trees: list[object] = []
    start = 0.0
    for seed in range(SEEDS):
        model = fitted(x, y, weight, seed)
        start += float(model._raw_predict_init(x[:1])[0, 0]) / SEEDS  # noqa: SLF001
        for (estimator,) in model.estimators_:
            tree = estimator.tree_
            trees.append(nested(tree, 0, model.learning_rate / SEEDS))
    record = {
        "signs": names,
        "start": round(start, 4),
        "limits": {name: [round(one, 3) for one in pair] for name, pair in limits.items()},
        "trees": trees,
    }
    every = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    WEIGHTS.write_text(json.dumps({**every, name: record}, separators=(",", ":")) + "\n", encoding="utf-8")


def nested(tree: object, node: int, rate: float) -> object:
    left, right = tree.children_left[node], tree.children_right[node]  # type: ignore[attr-defined]
    if left < 0:
        return round(float(tree.value[node, 0, 0]) * rate, 4)  # type: ignore[attr-defined]
    limit = round(float(tree.threshold[node]), 4)  # type: ignore[attr-defined]
    return [int(tree.feature[node]), limit, nested(tree, left, rate), nested(tree, right, rate)]  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
