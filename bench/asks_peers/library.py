"""What every peer is asked, and the library that it is asked over: a thousand made-up passages with vectors made of their words."""

import hashlib
import math
import re
from itertools import product

QUESTION = "What accuracy do Korvax, Bellis and Tindra reach on Osprey?"
PARTS = tuple(f"What accuracy does {system} reach on Osprey?" for system in ("Korvax", "Bellis", "Tindra"))
ANSWER = "Korvax, Bellis and Tindra reach 71.3, 68.9 and 74.0 % on Osprey."
DIMENSION = 256

_FIRST, _LAST = (
    ("Kor", "Bel", "Tin", "Mar", "Sul", "Ven", "Dor", "Pel", "Ras", "Lom"),
    ("vax", "lis", "dra", "tek", "lin"),
)
_SETS = ("Osprey", "Heron", "Falcon", "Plover", "Curlew", "Dunlin", "Avocet", "Merlin", "Siskin", "Linnet")
_ASPECTS = ("accuracy", "latency")
_REST = (
    "It was trained for three days on eight machines with the settings of the first study, and every figure is the mean of five runs "
    "with other seeds. The authors warn that the set is small, that it was collected in a single year, and that a system that has read "
    "the public part of it during training may look better than it is."
)


def passages() -> list[str]:
    """Return the thousand passages."""
    systems = [first + last for first, last in product(_FIRST, _LAST)]
    return [
        f"The {aspect} of {system} on {name} is {40 + (7 * place) % 59}.{place % 10}. {_REST}"
        for place, (system, name, aspect) in enumerate(product(systems, _SETS, _ASPECTS))
    ]


def vector(text: str) -> list[float]:
    """Return a vector of length one that is made of the words of a text: at once, so that no peer waits for an embedder."""
    numbers = [0.0] * DIMENSION
    for word in re.findall(r"\w+", text.lower()):
        numbers[int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest()) % DIMENSION] += 1.0
    length = math.hypot(*numbers) or 1.0
    return [number / length for number in numbers]
