"""How cost grows from a thousand passages to a million: run bench/search.py at each size, print a table, draw docs/growth.svg.

python bench/growth.py --sizes 1000 10000 100000 1000000
python bench/growth.py --from docs/growth.jsonl        # only the table and the picture, from figures that were kept
"""

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "docs/growth.jsonl"
PICTURE = ROOT / "docs/growth.svg"
LINES = {
    "hybrid": ("#2563eb", lambda row: row["search_ms"]["all"]["p50"]),
    "hybrid, 1 % filter": ("#16a34a", lambda row: row["search_ms"]["1 %"]["p50"]),
    "hybrid, 30 % filter": ("#d97706", lambda row: row["search_ms"]["30 %"]["p50"]),
    "vectors alone": ("#9333ea", lambda row: row["legs_ms"]["vector"]["p50"]),
    "keywords alone": ("#64748b", lambda row: row["legs_ms"]["keyword"]["p50"]),
}
WIDTH, HEIGHT, LEFT, BOTTOM, RIGHT, TOP = 760, 420, 60, 50, 170, 30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--from", dest="kept", type=Path, help="figures of an earlier run")
    arguments = parser.parse_args()
    if arguments.kept is None:
        KEPT.unlink(missing_ok=True)
        for size in arguments.sizes:
            command = [sys.executable, str(ROOT / "bench/search.py"), "--passages", str(size), "--output", str(KEPT)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    rows = [json.loads(line) for line in (arguments.kept or KEPT).read_text(encoding="utf-8").splitlines()]
    rows.sort(key=lambda row: row["passages"])
    print(table(rows))
    PICTURE.write_text(picture(rows), encoding="utf-8")


def table(rows: list[dict[str, Any]]) -> str:
    head = "| passages | hybrid p50 / p95 | 1 % | 30 % | with embedding | open | replace p95 | recall@50 mean / worst | RSS | on disk |"
    lines = [head, "|" + "---|" * 10]
    for row in rows:
        search, recall = row["search_ms"], row["recall_at_50"]
        cells = (
            f"{row['passages']:,}",
            f"{search['all']['p50']} / {search['all']['p95']} ms",
            f"{search['1 %']['p50']} ms",
            f"{search['30 %']['p50']} ms",
            f"{row['with_embedding_ms']['p50']} ms",
            f"{row['open_and_first_search_ms']:.0f} ms",
            f"{row['replace_ms']['p95']} ms",
            f"{recall['mean']} / {recall['worst']}",
            f"{row['rss_mb']} MB",
            f"{sum(row['megabytes'].values()):,.0f} MB",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def picture(rows: list[dict[str, Any]]) -> str:
    """Both axes by powers of ten: a straight line of slope one is linear growth."""
    sizes = [row["passages"] for row in rows]
    times = [value(row) for _, value in LINES.values() for row in rows]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    first, last = math.log10(sizes[0]), math.log10(sizes[-1])

    def x(size: float) -> float:
        return LEFT + (math.log10(size) - first) / ((last - first) or 1) * (WIDTH - LEFT - RIGHT)

    def y(time: float) -> float:
        return HEIGHT - BOTTOM - (math.log10(time) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="18" font-size="14">Median time of a search, by size of the library</text>',
    ]
    for power in range(low, high + 1):
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(10**power):.1f}" y2="{y(10**power):.1f}" stroke="#e2e8f0"/>'
        )
        parts.append(f'<text x="{LEFT - 8}" y="{y(10**power) + 4:.1f}" text-anchor="end">{10**power:g} ms</text>')
    label = f'y="{HEIGHT - BOTTOM + 20}" text-anchor="middle"'
    parts += [f'<text x="{x(size):.1f}" {label}>{size:,}</text>' for size in sizes]
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">passages</text>')
    for place, (name, (colour, value)) in enumerate(LINES.items()):
        points = " ".join(f"{x(row['passages']):.1f},{y(value(row)):.1f}" for row in rows)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{x(row["passages"]):.1f}" cy="{y(value(row)):.1f}" r="3" fill="{colour}"/>' for row in rows
        ]
        parts.append(f'<text x="{WIDTH - RIGHT + 14}" y="{TOP + 20 + place * 20}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    main()
