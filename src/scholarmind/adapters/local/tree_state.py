"""What the trees of a library are now, and what is still to be done to them."""

from dataclasses import dataclass, field

from scholarmind.adapters.local.database import Database
from scholarmind.model import NO_EMBEDDER
from scholarmind.relations import Space

_COLLECTIONS = "SELECT number, passages, vectors, unsuited FROM collections"
_TREES = "SELECT number, collection, space, fingerprint, state, passages FROM trees ORDER BY number"
OF_OURS = (
    "t.state IN ('building', 'whole') AND (t.space = 'words' OR t.fingerprint = ?)"  # others are only to be replaced
)
_DUE = f"SELECT max(n.due) FROM tree_nodes n JOIN trees t ON t.number = n.tree WHERE n.due > 0 AND {OF_OURS}"  # noqa: S608
MEND = 2  # of `due`: passages went
_SHAPE = 3  # of the trees that are grown and described as they are now; one of another serves until it is built anew
_REBUILT_SHARE = 0.5  # more passages without a place than this share of those with one, and all is built anew

Home = tuple[int, Space]  # the number of a collection, and what likeness is measured by


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A tree, by its number in the store."""

    number: int
    home: Home
    made: str  # for which embedder, and in which shape
    passages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Trees by their collection and space, and how many passages belong there. `due`: 0 nothing, 1 summaries, 2 to be mended."""

    belonging: dict[Home, int]
    made: str  # what a tree is made for now
    whole: dict[Home, Tree] = field(default_factory=dict[Home, Tree])
    building: dict[Home, Tree] = field(default_factory=dict[Home, Tree])
    old: tuple[Tree, ...] = ()
    due: int = 0

    @property
    def waiting(self) -> int:
        """Passages without a place."""
        return sum(self.lacking(home) for home in self.belonging)

    @property
    def is_behind(self) -> bool:
        """Whether anything is to be done."""
        return bool(self.building or self.old or self.due or self.outlived or self.to_plant or self.to_place)

    @property
    def outlived(self) -> list[Tree]:
        """Trees that nothing belongs to any more, or that are of another embedder or another shape while they are built."""
        empty = [tree for home, tree in self.whole.items() if not self.belonging.get(home)]
        stale = [tree for home, tree in self.building.items() if tree.made != self.made or not self.belonging.get(home)]
        return empty + stale

    @property
    def to_plant(self) -> list[Home]:
        """Where a tree is to be built at once."""
        return [home for home in self.belonging if home not in self.building and self._is_to_plant(home)]

    @property
    def to_place(self) -> list[Tree]:
        """Trees with passages that wait for their place in them."""
        return [
            tree
            for home, tree in self.whole.items()
            if home not in self.building and not self._is_to_plant(home) and self.lacking(home) > 0
        ]

    def lacking(self, home: Home) -> int:
        """Return how many passages have no place there."""
        tree = self.whole.get(home)
        placed = tree.passages if tree is not None and tree.made == self.made else 0
        return max(0, self.belonging.get(home, 0) - placed)

    def _is_to_plant(self, home: Home) -> bool:
        tree = self.whole.get(home)
        if tree is None or tree.made != self.made:
            return self.belonging[home] > 0
        # more than belong there: an embedder judged some passages in another way than before
        return self.lacking(home) > _REBUILT_SHARE * tree.passages or tree.passages > self.belonging[home]


def made_for(fingerprint: str) -> str:
    """Return what tells that a tree is of these vectors and of today's shape."""
    return f"{_SHAPE}:{fingerprint}"


def embedder_of(made: str) -> str:
    """Return the fingerprint of the embedder that the vectors of a tree are from, whatever its shape."""
    return made.partition(":")[2]


def state_of(database: Database, fingerprint: str, *, has_trees: bool) -> State:
    """Read it. Vectors of another embedder than ours are left alone."""
    made_with = database.about("fingerprint")
    if made_with not in {None, fingerprint}:
        return State(belonging={}, made=made_for(fingerprint))
    belonging: dict[Home, int] = {}
    for number, passages, vectors, unsuited in database.rows(_COLLECTIONS):
        belonging[number, "vector"] = vectors
        belonging[number, "words"] = passages if fingerprint == NO_EMBEDDER else unsuited
    state = State(belonging={home: count for home, count in belonging.items() if count}, made=made_for(fingerprint))
    if not has_trees:
        return state
    trees = {"whole": dict[Home, Tree](), "building": dict[Home, Tree]()}
    old: list[Tree] = []
    for number, collection, space, made, stage, passages in database.rows(_TREES):
        tree = Tree(number=number, home=(collection, space), made=made, passages=passages)
        if stage in trees:
            trees[stage][tree.home] = tree
        else:
            old.append(tree)
    return State(
        belonging=state.belonging,
        made=state.made,
        whole=trees["whole"],
        building=trees["building"],
        old=tuple(old),
        due=database.value(_DUE, (made_for(fingerprint),)) or 0,
    )
