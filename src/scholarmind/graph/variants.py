"""Names that are variants of another: BERT-base is BERT, unless it stands for itself. Pure."""

from collections.abc import Iterable, Iterator

from scholarmind.graph.naming import family, key_of
from scholarmind.relations import Merged


def variants(names: Iterable[str], own: Iterable[str]) -> Iterator[Merged]:
    """Yield which methods are variants of which. `own` are names that stand for themselves: titles, aliases, what is proposed."""
    themselves = {key_of("method", name) for name in own}
    for name in dict.fromkeys(names):
        rest = family("method", name)
        if rest and key_of("method", name) not in themselves:
            reason = f"{name} is a variant of {rest}, by its name"
            yield Merged(kind="method", name=name, scope="", into=rest, into_scope="", by="rules", reason=reason)
