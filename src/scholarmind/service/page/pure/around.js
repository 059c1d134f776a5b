// What is around a thing in the graph: its ties by kind, and where its nearest neighbours stand in a drawing.

const MOST = 7; // neighbours on each side of a drawing

/** Return the ties of the first node by kind: [{kind, ties: [{other, edges, out}]}], the kind with ".back" where they come from others. */
export function tiesOf({ nodes: [centre], edges }) {
  const kinds = new Map();
  for (const edge of edges) {
    const out = edge.source.number === centre.number;
    if (!out && edge.target.number !== centre.number) continue;
    const kind = `${edge.relation}${out ? "" : ".back"}`;
    const other = out ? edge.target : edge.source;
    const ties = kinds.get(kind) ?? kinds.set(kind, new Map()).get(kind);
    const tie = ties.get(other.number) ?? ties.set(other.number, { other, edges: [], out }).get(other.number);
    tie.edges.push(edge);
  }
  return [...kinds].map(([kind, ties]) => ({ kind, ties: [...ties.values()] }));
}

/**
 * Return a drawing: what points at the thing on its left, what it points at on its right, each neighbour once, those of most kinds and
 * proofs first, so that every kind that there is has one; with how many are left out.
 */
export function drawnAround(kinds, { wide, high, across, between }) {
  const side = (out) => {
    const chosen = new Map();
    const groups = kinds.map(({ kind, ties }) => ties.filter((tie) => tie.out === out).sort((a, b) => b.edges.length - a.edges.length).map((tie) => ({ ...tie, kind })));
    for (let rank = 0; groups.some((group) => rank < group.length); rank += 1)
      for (const group of groups) if (rank < group.length && chosen.size < MOST && !chosen.has(group[rank].other.number)) chosen.set(group[rank].other.number, group[rank]);
    return [...chosen.values()].sort((a, b) => a.kind.localeCompare(b.kind));
  };
  const [left, right] = [side(false), side(true)];
  const tall = (count) => count * high + Math.max(0, count - 1) * between;
  const height = tall(Math.max(left.length, right.length, 1));
  const start = left.length ? wide + across : 0;
  const centre = { x: start, y: (height - high) / 2 };
  const place = (ties, x) => ties.map((tie, index) => ({ ...tie, x, y: (height - tall(ties.length)) / 2 + index * (high + between) }));
  const bend = (x1, y1, x2, y2) => `M${x1} ${y1}C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`;
  const boxes = [...place(left, 0), ...place(right, start + wide + across)].map((box) => ({
    ...box,
    path: box.out ? bend(centre.x + wide, centre.y + high / 2, box.x, box.y + high / 2) : bend(box.x + wide, box.y + high / 2, centre.x, centre.y + high / 2),
  }));
  const all = new Set(kinds.flatMap(({ ties }) => ties.map((tie) => `${tie.out} ${tie.other.number}`)));
  return { centre, boxes, height, width: start + wide + (right.length ? across + wide : 0), more: all.size - boxes.length };
}
