"""The shape of the house: rooms and their sizes, who imports whom, functions used once, names that occur more than once.

python scripts/shape.py [--json]
"""

import argparse
import ast
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import grimp

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE, ENGINE = "scholarmind", "scholarmind.engine"
SHOWN = 12
_PRIVATE = re.compile(r"_[a-z]\w*")
_WORD = re.compile(r"\w+")


def modules() -> dict[str, Path]:
    """Return the files of the package by the names of their modules."""
    return {
        ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted((SOURCE / PACKAGE).rglob("*.py"))
    }


def room(module: str) -> str:
    """Return the folder that a module stands in; of the adapters and the library that below it, too."""
    parts = module.split(".")[1:]
    if len(parts) < 2:
        return "."
    return "/".join(parts[:2]) if parts[0] == "adapters" and len(parts) > 2 else parts[0]


def functions(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, int]]:
    """Yield each private function and method, by module and name, and how often its module uses the name."""
    for module, tree in trees.items():
        written = Counter(word for word in _WORD.findall(ast.unparse(tree)) if _PRIVATE.fullmatch(word))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _PRIVATE.fullmatch(node.name):
                yield f"{module}:{node.name}", written[node.name] - 1


def shape() -> dict[str, Any]:
    """Return all that is counted."""
    files = modules()
    trees = {module: ast.parse(path.read_text(encoding="utf-8")) for module, path in files.items()}
    lines = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in files.items()}
    rooms: dict[str, list[int]] = defaultdict(list)
    for module, count in lines.items():
        rooms[room(module)].append(count)
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    importers = {module: graph.find_modules_that_directly_import(module) for module in files}
    arrows = {(room(one), room(module)) for module, ones in importers.items() for one in ones}
    closure = {ENGINE, *graph.find_upstream_modules(ENGINE)}
    used = dict(functions(trees))
    classes = Counter(node.name for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    names = Counter(module.rpartition(".")[2] for module, path in files.items() if path.name != "__init__.py")
    return {
        "files": len(files),
        "lines": sum(lines.values()),
        "rooms": {name: {"files": len(some), "lines": sum(some)} for name, some in sorted(rooms.items())},
        "imported once": sorted(module for module, ones in importers.items() if len(ones) == 1),
        "private functions": len(used),
        "private functions used once": sum(count == 1 for count in used.values()),
        "engine": {"modules": len(closure), "lines": sum(lines[module] for module in closure)},
        "arrows between rooms": sum(one != other for one, other in arrows),
        "both ways": sorted(
            {"/".join(sorted((one, other))) for one, other in arrows if one < other and (other, one) in arrows}
        ),
        "class names more than once": {name: count for name, count in classes.most_common() if count > 1},
        "module names more than once": {name: count for name, count in names.most_common() if count > 1},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    found = shape()
    if parser.parse_args().json:
        print(json.dumps(found, indent=1))
        return
    print(f"{found['lines']:,} lines in {found['files']} files")
    for name, size in sorted(found["rooms"].items(), key=lambda one: -one[1]["lines"]):
        print(f"  {name:24} {size['files']:4} files {size['lines']:7,} lines")
    print(f"modules that one other imports: {len(found['imported once'])}")
    once, private = found["private functions used once"], found["private functions"]
    print(f"private functions: {private:,}, used once: {once:,} ({once / private:.0%})")
    print(
        f"what {ENGINE} imports, with lazy imports: {found['engine']['modules']} modules, {found['engine']['lines']:,} lines"
    )
    print(
        f"arrows between rooms: {found['arrows between rooms']}; both ways: {', '.join(found['both ways']) or 'none'}"
    )
    for what in ("class", "module"):
        names = found[f"{what} names more than once"]
        print(
            f"{what} names more than once: {len(names)}:",
            ", ".join(f"{name} {n}" for name, n in [*names.items()][:SHOWN]),
        )


if __name__ == "__main__":
    main()
