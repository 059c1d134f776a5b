"""What a leg finds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """Passages by falling score, with the documents that they belong to."""

    passages: Numbers
    documents: Numbers
    scores: npt.NDArray[np.float32]

    def __getitem__(self, rows: Any) -> "Hits":
        return Hits(passages=self.passages[rows], documents=self.documents[rows], scores=self.scores[rows])

    def ranked(self) -> list[tuple[int, float]]:
        """Return (passage, score) pairs."""
        return list(zip(self.passages.tolist(), self.scores.tolist(), strict=True))


NOTHING = Hits(passages=np.empty(0, np.int64), documents=np.empty(0, np.int64), scores=np.empty(0, np.float32))


def passing(mask: Mask, documents: Numbers) -> Mask:
    """Tell for each document number whether the mask lets it pass; numbers beyond its end do not."""
    return mask[np.minimum(documents, len(mask) - 1)] & (documents < len(mask))
