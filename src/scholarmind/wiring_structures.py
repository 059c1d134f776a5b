"""Turn settings into what keeps the graph of papers and the tree of summaries in step with the documents, and what asks them."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scholarmind.library.retrieval import LibraryRetriever
from scholarmind.library_ports import Follower
from scholarmind.ports import Embedder, Overview, Relations
from scholarmind.settings import Settings

if TYPE_CHECKING:
    from scholarmind.adapters.store import LocalStore


def followers(settings: Settings, store: "LocalStore", second: Embedder | None = None) -> tuple[Follower, ...]:
    """Return what keeps the structures in step with the documents, as far as these settings want any, and last the second vectors."""
    found: list[Follower] = []
    if settings.graph:
        from scholarmind.library.followers import GraphFollowing  # noqa: PLC0415

        found.append(GraphFollowing(store=store, graph=store.graph))
    if settings.tree:
        from scholarmind.library.followers import TreeFollowing  # noqa: PLC0415

        found.append(TreeFollowing(store=store, tree=store.tree))
    if second is not None:
        from scholarmind.library.followers import MultilingualFollowing  # noqa: PLC0415

        found.append(MultilingualFollowing(store=store, space=store.multilingual, embedder=second))
    return tuple(found)


def states(settings: Settings, store: "LocalStore") -> str:
    """Return in which state the structures are: what is found rests on that, too."""
    versions = {"tree": store.tree.version} if settings.tree else {}
    versions |= {"graph": store.graph.version} if settings.graph else {}
    return ", ".join(f"{name} {version()}" for name, version in versions.items())


def overview(settings: Settings, store: "LocalStore", retriever: LibraryRetriever) -> Overview | None:
    """Return what reads the tree of summaries, within what the retriever may see."""
    if not settings.tree:
        return None
    from scholarmind.library.overview_retrieval import LibraryOverview  # noqa: PLC0415

    return LibraryOverview(
        tree=store.tree,
        retrieval=retriever.retrieval,
        within=retriever.within,
        mode=retriever.mode,
        now=datetime.now(UTC).year,
    )


def relations(settings: Settings, store: "LocalStore", retriever: LibraryRetriever) -> Relations | None:
    """Return what answers from the graph of papers, within what the retriever may see."""
    if not settings.graph:
        return None
    from scholarmind.library.relating.graph_answers import LibraryRelations  # noqa: PLC0415

    return LibraryRelations(graph=store.graph, retriever=retriever, now=datetime.now(UTC).year, within=retriever.within)
