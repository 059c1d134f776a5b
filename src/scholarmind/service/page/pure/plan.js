// Plans: in which order their parts are researched, where these stand in a drawing, and changes that leave a plan whole.

/** Return parts by wave: each wave waits for those before it. What waits for itself, or for nothing that is there, comes in the first. */
export function waves(parts) {
  const known = new Map(parts.map((part) => [part.id, part]));
  const depth = new Map();
  const depthOf = (part, above) => {
    if (depth.has(part.id)) return depth.get(part.id);
    if (above.has(part.id)) return 0;
    const below = part.depends_on.filter((id) => known.has(id)).map((id) => depthOf(known.get(id), new Set([...above, part.id])) + 1);
    depth.set(part.id, Math.max(0, ...below));
    return depth.get(part.id);
  };
  const found = [];
  for (const part of parts) (found[depthOf(part, new Set())] ??= []).push(part);
  return found.filter(Boolean);
}

const LANE = 10; // how much room a line takes that passes a wave

/** Return where boxes and lines of a drawing are: waves from left to right, each in the middle of the tallest; no line passes under a box. */
export function drawn(parts, { wide, high, across, between }) {
  const columns = waves(parts).map((column) => column.map((part) => ({ id: part.id, high })));
  const waveOf = new Map(columns.flatMap((column, wave) => column.map((item) => [item.id, wave])));
  const edges = parts.flatMap((part) => part.depends_on.filter((id) => waveOf.get(id) < waveOf.get(part.id)).map((id) => ({ from: id, to: part.id, lanes: [] })));
  for (const edge of edges) {
    const begin = columns[waveOf.get(edge.from)].findIndex((item) => item.id === edge.from);
    const upper = begin < columns[waveOf.get(edge.from)].length / 2;
    for (let wave = waveOf.get(edge.from) + 1; wave < waveOf.get(edge.to); wave += 1) {
      const lane = { high: LANE };
      edge.lanes.push(lane);
      if (upper) columns[wave].unshift(lane);
      else columns[wave].push(lane);
    }
  }
  const tall = (column) => column.reduce((sum, item) => sum + item.high, 0) + (column.length - 1) * between;
  const height = Math.max(high, ...columns.map(tall));
  const places = new Map();
  columns.forEach((column, wave) => {
    let y = (height - tall(column)) / 2;
    for (const item of column) {
      Object.assign(item, { x: wave * (wide + across), y });
      if (item.id !== undefined) places.set(item.id, { x: item.x, y, wave });
      y += item.high + between;
    }
  });
  const bend = (x1, y1, x2, y2) => `C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`;
  const lines = edges.map(({ from, to, lanes }) => {
    let [x, y] = [places.get(from).x + wide, places.get(from).y + high / 2];
    let path = `M${x} ${y}`;
    for (const lane of lanes) {
      path += `${bend(x, y, lane.x, lane.y + LANE / 2)}H${lane.x + wide}`;
      [x, y] = [lane.x + wide, lane.y + LANE / 2];
    }
    return { from, to, path: path + bend(x, y, places.get(to).x, places.get(to).y + high / 2) };
  });
  return { places, lines, width: columns.length * wide + Math.max(0, columns.length - 1) * across, height };
}

/** Return the rows that a plan will be judged by, before there is a judgement: one for each thing that a part asks. */
export function rowsOf(parts) {
  return parts.flatMap((part) => {
    if (part.role === "compare" || part.role === "combine" || (part.role && part.role !== "find" && !part.asks?.length)) return [];
    const asks = part.asks?.length > 1 ? part.asks : null;
    return asks
      ? asks.map((ask, index) => ({ id: `${part.id}.${index + 1}`, part: part.id, text: ask.text }))
      : [{ id: String(part.id), part: part.id, text: part.text }];
  });
}

// -- changes

/** Tell whether a part would wait for itself if it waited for another one. */
export function wouldCircle(parts, id, other) {
  const known = new Map(parts.map((part) => [part.id, part]));
  const above = [other];
  for (const each of above) {
    if (each === id) return true;
    for (const next of known.get(each)?.depends_on ?? []) if (!above.includes(next)) above.push(next);
  }
  return false;
}

/** Return the parts with one more at the end. */
export function added(parts, text = "") {
  const id = Math.max(0, ...parts.map((part) => part.id)) + 1;
  return [...parts, { id, text, kind: "factual", depends_on: [], role: "find", asks: [] }];
}

/** Return the parts without one of them, for which none waits any more. */
export function without(parts, id) {
  return parts.filter((part) => part.id !== id).map((part) => ({ ...part, depends_on: part.depends_on.filter((other) => other !== id) }));
}

/** Return the parts with the words of one changed; what it asked in other words is forgotten. */
export function reworded(parts, id, text) {
  return parts.map((part) => (part.id === id && part.text !== text ? { ...part, text, asks: [], known: "", known_from: [] } : part));
}

/** Return the parts with one of them a place earlier (-1) or later (1). */
export function moved(parts, id, by) {
  const from = parts.findIndex((part) => part.id === id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= parts.length) return parts;
  const next = [...parts];
  [next[from], next[to]] = [next[to], next[from]];
  return next;
}

/** Return the parts with one waiting for another one, or no more. */
export function waitingFor(parts, id, other, yes) {
  if (yes && wouldCircle(parts, id, other)) return parts;
  return parts.map((part) => {
    if (part.id !== id) return part;
    const rest = part.depends_on.filter((each) => each !== other);
    return { ...part, depends_on: yes ? [...rest, other].sort((a, b) => a - b) : rest };
  });
}
