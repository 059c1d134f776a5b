// The Markdown of answers, as data with places. Nothing in it ever becomes HTML by itself: whoever shows it makes elements of the data.

const LIST = /^(\s*)(?:[-*+]|(\d{1,4})[.)])\s+/;
const SIGN = /[[\\*`\n]/g;
const RULE = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/;

/** Return blocks: {kind, ...} with inline pieces {kind, text, start, end} whose places count in the whole text. */
export function parse(text, keys = new Set()) {
  const lines = linesOf(text);
  const blocks = [];
  for (let at = 0; at < lines.length; ) {
    const { line, start } = lines[at];
    const before = blocks.length;
    const heading = /^(#{1,6})\s+/.exec(line);
    if (!line.trim()) at += 1;
    else if (heading) {
      blocks.push({ kind: "heading", level: heading[1].length, inline: inlineOf(line, start, keys, heading[0].length) });
      at += 1;
    } else if (line.includes("|") && lines[at + 1] && RULE.test(lines[at + 1].line)) {
      const rows = [cellsOf(lines[at], keys)];
      for (at += 2; at < lines.length && lines[at].line.includes("|"); at += 1) rows.push(cellsOf(lines[at], keys));
      blocks.push({ kind: "table", head: rows[0], rows: rows.slice(1) });
    } else if (LIST.test(line)) {
      const items = [];
      let ordered = false;
      for (; at < lines.length && LIST.test(lines[at].line); at += 1) {
        const [mark, indent, number] = LIST.exec(lines[at].line);
        ordered ||= number !== undefined;
        const last = at + 1;
        let end = lines[at].line;
        for (; lines[at + 1]?.line.trim() && /^\s{2,}/.test(lines[at + 1].line) && !LIST.test(lines[at + 1].line); at += 1)
          end += `\n${lines[at + 1].line}`;
        items.push({ depth: Math.min(4, indent.length >> 1), inline: inlineOf(end, lines[last - 1].start, keys, mark.length) });
      }
      blocks.push({ kind: "list", ordered, items });
    } else {
      const quoted = /^>\s?/.exec(line);
      let whole = line;
      for (at += 1; at < lines.length && lines[at].line.trim() && !/^(#{1,6}\s|\s*[-*+]\s|>)/.test(lines[at].line); at += 1)
        whole += `\n${lines[at].line}`;
      blocks.push({ kind: quoted ? "quote" : "paragraph", inline: inlineOf(whole, start, keys, quoted ? quoted[0].length : 0) });
    }
    if (blocks.length > before) Object.assign(blocks.at(-1), { start, end: lines[at]?.start ?? text.length });
  }
  return blocks;
}

function linesOf(text) {
  const found = [];
  let start = 0;
  for (const line of text.split("\n")) {
    found.push({ line, start });
    start += line.length + 1;
  }
  return found;
}

function cellsOf({ line, start }, keys) {
  const cells = [];
  let from = line.trimStart().startsWith("|") ? line.indexOf("|") + 1 : 0;
  for (let at = from; at <= line.length; at += 1) {
    if (line[at] === "\\") at += 1;
    else if (at === line.length || line[at] === "|") {
      if (at < line.length || line.slice(from).trim()) cells.push(inlineOf(line.slice(0, at), start, keys, from));
      from = at + 1;
    }
  }
  return cells;
}

/** Return the pieces of a stretch: text, strong, emphasis, code, and the citations among the known keys. */
function inlineOf(whole, start, keys, from = 0) {
  const pieces = [];
  let text = "";
  let began = from;
  let style = "";
  const flush = (end) => {
    if (text) pieces.push({ kind: "text", style, text, start: start + began, end: start + end });
    text = "";
  };
  for (let at = from; at < whole.length; ) {
    SIGN.lastIndex = at;
    const sign = SIGN.exec(whole)?.index ?? whole.length;
    if (sign > at) {
      if (!text) began = at;
      text += whole.slice(at, sign);
      at = sign;
      continue;
    }
    const rest = whole.slice(at);
    const cited = rest[0] === "[" && /^\[((?:[^[\]\\]|\\.)+)\]/.exec(rest);
    const key = cited && cited[1].replace(/\\(.)/g, "$1");
    const code = /^`([^`]+)`/.exec(rest);
    const star = /^\*\*?/.exec(rest)?.[0];
    if (cited && keys.has(key)) {
      flush(at);
      pieces.push({ kind: "cite", key, start: start + at, end: start + at + cited[0].length });
      at += cited[0].length;
      began = at;
    } else if (rest[0] === "\\" && /^\\[!-/:-@[-`{-~]/.test(rest)) {
      if (text) flush(at); // one piece for a sign that was escaped, so that places stay true
      began = at;
      text = rest[1];
      at += 2;
      flush(at);
      began = at;
    } else if (code) {
      flush(at);
      pieces.push({ kind: "text", style: "code", text: code[1], start: start + at, end: start + at + code[0].length });
      at += code[0].length;
      began = at;
    } else if (star && (style === toStyle(star) || (!style && opens(rest, star)))) {
      flush(at);
      style = style ? "" : toStyle(star);
      at += star.length;
      began = at;
    } else {
      if (!text) began = at;
      text += rest[0] === "\n" ? " " : rest[0];
      at += 1;
    }
  }
  flush(whole.length);
  return pieces;
}

const toStyle = (mark) => (mark === "**" ? "strong" : "emphasis");
const opens = (rest, mark) => /\S/.test(rest[mark.length] ?? "") && rest.indexOf(mark, mark.length + 1) > 0;

/** Return the text of pieces, without marks. */
export const plainOf = (inline) => inline.map((piece) => (piece.kind === "cite" ? `[${piece.key}]` : piece.text)).join("");
