// What the page works out, without a browser: `node --test`. Each test says what somebody would see.

import assert from "node:assert/strict";
import { test } from "node:test";

const page = new URL("../../../src/scholarmind/service/page/", import.meta.url);
const load = (name) => import(new URL(name, page));
const { parse, plainOf } = await load("pure/markdown.js");
const { claimBefore, counted, placed, placesFor, withClaims } = await load("pure/citations.js");
const { added, drawn, moved, reworded, rowsOf, waitingFor, waves, without, wouldCircle } = await load("pure/plan.js");
const { isOver, nothing, stateOf, step, withRecord } = await load("pure/progress.js");
const { reader } = await load("pure/sse.js");
const { findQuote, markIn, unitsOf } = await load("pure/units.js");
const { examples, nameOf } = await load("pure/examples.js");
const { filterOf } = await load("pure/filters.js");
const { nextOrder, placeOfCell, stateOfCell, toggled } = await load("pure/columns.js");
const { pieces } = await load("pure/drafts.js");
const { asMarkdown, asText } = await load("pure/copying.js");
const { authorsIn } = await load("pure/authors.js");
const { placeOf, to } = await load("router.js");
const { filled } = await load("language.js");

const part = (id, ...depends_on) => ({ id, text: `part ${id}`, depends_on, role: "find", asks: [] });
const citation = (key, start, more = {}) => ({
  key, start, end: start + key.length + 2, document: key, collection: "default", title: key, section: [], page: null,
  authors: ["Ada Lovelace"], year: 1843, document_start: 10, document_end: 20, quote: "some words", ...more,
});

// -- Markdown

test("brackets are citations only where they are cited", () => {
  const [block] = parse("A [Ada, 1843] and [another, 1900].", new Set(["Ada, 1843"]));
  assert.deepEqual(block.inline.map((piece) => [piece.kind, piece.text ?? piece.key]), [["text", "A "], ["cite", "Ada, 1843"], ["text", " and [another, 1900]."]]);
});

test("every piece knows its place in the text", () => {
  const text = "# Head\n\n- **one** *two* `three` \\[four\\] [Ada, 1843]\n\n| a | b |\n| --- | --- |\n| 1 | [Ada, 1843] |";
  const blocks = parse(text, new Set(["Ada, 1843"]));
  const pieces = blocks.flatMap((block) => block.inline ?? block.items?.flatMap((item) => item.inline) ?? [block.head, ...block.rows].flat(2));
  for (const piece of pieces) {
    const there = text.slice(piece.start, piece.end);
    if (piece.kind === "cite") assert.equal(there, `[${piece.key}]`);
    else assert.ok(there.includes(piece.text), `${JSON.stringify(piece)} is not ${JSON.stringify(there)}`);
  }
  assert.deepEqual(blocks.map((block) => block.kind), ["heading", "list", "table"]);
  assert.equal(plainOf(blocks[1].items[0].inline), "one two three [four] [Ada, 1843]");
});

test("HTML, links and pictures stay the text that they are", () => {
  const hostile = '<img src=x onerror=alert(1)> [x](javascript:alert(1)) ![y](//example.org/y.png) <script>1</script>';
  assert.equal(parse(hostile).map((block) => plainOf(block.inline)).join(), hostile);
});

test("stars that nothing closes are stars", () => {
  assert.equal(plainOf(parse("2 * 3 * 4 and **open")[0].inline), "2 * 3 * 4 and **open");
  assert.deepEqual(parse("*all of it.*")[0].inline.map((piece) => [piece.style, piece.text]), [["emphasis", "all of it."]]);
});

test("a text that is still being written is shown as far as it goes", () => {
  const whole = "**Bold** and | a | table\n\n| x | y |\n| --- | --- |\n| 1 | 2 |";
  for (let end = 0; end <= whole.length; end += 1) assert.ok(Array.isArray(parse(whole.slice(0, end))));
});

test("a megabyte of one word is read in no time that anybody notices", () => {
  const word = "a".repeat(1 << 20);
  assert.equal(parse(word)[0].inline[0].text.length, 1 << 20);
});

// -- places and marks

test("characters beyond sixteen bits count as one, as the service counts them", () => {
  const text = "𝛼𝛽 said";
  const at = unitsOf(text);
  assert.equal(text.slice(at(3), at(7)), "said");
});

test("words are marked where the service says, and nowhere if they are not there", () => {
  const passage = { text: "One. Two\n three. Four.", start: 100, end: 122 };
  const quoted = { start: 105, end: 116, quote: "Two three." };
  assert.equal(passage.text.slice(...markIn(passage, quoted)), "Two\n three.");
  assert.equal(passage.text.slice(...markIn(passage, { ...quoted, start: 0, end: 3 })), "Two\n three.");
  assert.equal(markIn(passage, { start: 105, end: 116, quote: "Five" }), null);
  assert.equal(markIn(passage, { start: 105, end: 116, quote: "" }), null);
  assert.equal(findQuote("a (b", "(b")?.[0], 2);
});

// -- citations

const ANSWER = {
  answer: "It scores 80.5. [Ada, 1843] [Bob, 1900] Another sentence. [Ada, 1843]",
  claims: [
    { text: "It scores 80.5.", status: "verified", citations: ["Ada, 1843", "Bob, 1900"], start: 0, end: 15 },
    { text: "Another sentence.", status: "paraphrase", citations: ["Ada, 1843"], start: 40, end: 57 },
  ],
  citations: [citation("Ada, 1843", 16), citation("Bob, 1900", 28), citation("Ada, 1843", 58, { document_start: 90, document_end: 99, quote: "other words" })],
  parts: [{ id: "1", text: "Score?", status: "answered", missing: "", evidence: [], answer: "80.5" }],
  verdict: "complete", confidence: 0.9, calls: [], fallbacks: [], spent: {},
};

test("a click opens the place behind these very brackets, with all others of the sentence", () => {
  const known = placed(ANSWER);
  const pieces = parse(ANSWER.answer, known.keys)[0].inline.filter((piece) => piece.kind === "cite");
  const [first, second, third] = pieces.map((piece) => placesFor(ANSWER.answer, known, piece));
  assert.deepEqual(first.places.map((place) => [place.key, place.start]), [["Ada, 1843", 10], ["Bob, 1900", 10]]);
  assert.equal(second.places[second.index].key, "Bob, 1900");
  assert.deepEqual(third.places.map((place) => place.start), [90]);
  assert.equal(third.claim.status, "paraphrase");
  assert.equal(claimBefore(ANSWER.answer, known.claims, 58)?.status, "paraphrase");
});

test("sentences keep their kind when the text is cut into pieces", () => {
  const known = placed(ANSWER);
  const pieces = withClaims(parse(ANSWER.answer, known.keys)[0].inline, known.claims);
  const marked = pieces.filter((piece) => piece.claim?.status === "paraphrase").map((piece) => piece.text).join("");
  assert.equal(marked, "Another sentence.");
  assert.equal(pieces.map((piece) => piece.text ?? `[${piece.key}]`).join(""), ANSWER.answer);
  assert.deepEqual(counted(known.claims), { verified: 1, paraphrase: 1 });
});

// -- plans

test("waves: what waits comes after what it waits for", () => {
  const parts = [part(1, 3), part(2), part(3, 2), part(4)];
  assert.deepEqual(waves(parts).map((wave) => wave.map((each) => each.id)), [[2, 4], [3], [1]]);
  assert.deepEqual(waves([part(1, 2), part(2, 1)]).flat().length, 2);
});

test("no two boxes of a drawing lie over each other, and lines go to the right", () => {
  const parts = [part(1), part(2), part(3, 1, 2), part(4, 3), part(5, 1)];
  const size = { wide: 200, high: 60, across: 50, between: 10 };
  const { places, lines, width, height } = drawn(parts, size);
  const all = [...places.values()];
  for (const one of all)
    for (const other of all)
      assert.ok(one === other || Math.abs(one.x - other.x) >= size.wide || Math.abs(one.y - other.y) >= size.high);
  assert.ok(all.every((each) => each.x + size.wide <= width && each.y >= 0 && each.y + size.high <= height));
  assert.equal(lines.length, 4);
  const crossing = drawn([part(1), part(2, 1), part(3, 1, 2)], size);
  const passing = crossing.lines.find((line) => line.from === 1 && line.to === 3).path;
  const [, height1] = /H[\d.]+C[\d.]+ ([\d.]+)/.exec(passing); // where the line leaves the second wave, it is beside its box
  const box = crossing.places.get(2);
  assert.ok(Number(height1) < box.y || Number(height1) > box.y + size.high);
  assert.ok(lines.every((line) => places.get(line.from).x < places.get(line.to).x));
});

test("a plan that was changed is still one that can be carried out", () => {
  let parts = [part(1), part(2, 1), part(3, 2)];
  assert.ok(wouldCircle(parts, 1, 3));
  assert.equal(waitingFor(parts, 1, 3, true), parts);
  parts = added(parts, "more");
  assert.equal(parts.at(-1).id, 4);
  parts = waitingFor(parts, 4, 3, true);
  parts = without(parts, 3);
  assert.deepEqual(parts.at(-1).depends_on, []);
  assert.deepEqual(moved(parts, 4, -1).map((each) => each.id), [1, 4, 2]);
  assert.equal(moved(parts, 1, -1), parts);
  const asked = [{ ...part(1), asks: [{ text: "old" }] }];
  assert.deepEqual(reworded(asked, 1, "new")[0].asks, []);
  assert.deepEqual(reworded(asked, 1, "part 1")[0].asks, [{ text: "old" }]);
});

test("each thing that a part asks is a row, and what only compares is none", () => {
  const parts = [{ ...part(1), asks: [{ text: "a" }, { text: "b" }] }, part(2), { ...part(3, 1), role: "compare" }];
  assert.deepEqual(rowsOf(parts).map((row) => row.id), ["1.1", "1.2", "2"]);
});

// -- runs

const EVENTS = [
  { number: 1, type: "run_started", run: "r", question: "Q?", effort: "", library: "1", resumed: false, at: 0 },
  { number: 2, type: "planned", plan: { question: "Q?", parts: [part(1), part(2, 1)], decided_by: "rules" }, estimate: null, seconds: 0.2, at: 0.2 },
  { number: 3, type: "part_started", part: 1, question: "part 1", waited_for: [], at: 0.3 },
  { number: 4, type: "part_evidence", part: 1, question: "part 1", passages: 7, documents: [], best: [], seconds: 0.1, at: 0.4 },
  { number: 5, type: "answer_piece", text: "Good", draft: 1, at: 1 },
  { number: 6, type: "answer_piece", text: "bye", draft: 1, at: 1.1 },
];

test("a run grows with its events, and an event that comes twice changes nothing", () => {
  const run = [...EVENTS, ...EVENTS].reduce(step, nothing("r"));
  assert.equal(run.text, "Goodbye");
  assert.deepEqual(run.rows.map((row) => stateOf(run, row)), ["found", "waiting"]);
  assert.equal(run.parts[1].passages, 7);
  assert.equal(run.spans.length, 2);
});

test("a draft that is begun anew takes the place of the one before", () => {
  const run = [...EVENTS, { number: 7, type: "answer_piece", text: "New", draft: 2, at: 2 }].reduce(step, nothing("r"));
  assert.equal(run.text, "New");
});

test("events that nobody has heard of are passed over", () => {
  const run = step(EVENTS.reduce(step, nothing("r")), { number: 9, type: "something_new", at: 3 });
  assert.equal(run.text, "Goodbye");
  assert.equal(run.last, 9);
});

test("a record alone shows a run that is done", () => {
  const record = { question: "Q?", state: "done", error: "", created: 1, finished: 2, attempts: 1, conversation: "c", changes: null, plan: { parts: [part(1)] }, answer: { ...ANSWER, plan: { parts: [part(1)] } } };
  const run = withRecord(nothing("r"), record);
  assert.equal(run.text, ANSWER.answer);
  assert.equal(stateOf(run, run.rows[0]), "answered");
  assert.equal(run.parts[1].state, "answered");
  assert.ok(isOver(run.state));
});

// -- streams

test("events are whole however the bytes are cut, and signs of life are none", () => {
  const stream = 'retry: 1000\n\n: still here\n\nid: 4\nevent: planned\ndata: {"a":\ndata: 1}\n\nid: 5\r\nevent: end\r\ndata: {}\r\n\r\n';
  for (const size of [1, 3, 7, 1000]) {
    const read = reader();
    const events = [];
    for (let at = 0; at < stream.length; at += size) events.push(...read(stream.slice(at, at + size)));
    assert.deepEqual(events, [{ id: "4", event: "planned", data: '{"a":\n1}' }, { id: "5", event: "end", data: "{}" }], `cut into ${size}`);
  }
});

// -- the library

test("examples are made of what documents are called, and of no hostile name", () => {
  const say = (key, values) => `${key} ${Object.values(values).join(" ")}`;
  const named = ["BERT: a", "GPT: b", "T5: c", "XLNet: d", "ALBERT: e"].map((title) => ({ title, metadata: {} }));
  assert.equal(examples(named, say).length, 3);
  assert.deepEqual(examples(named, say), examples(named, say));
  assert.notDeepEqual(examples(named, say, 1), examples(named, say));
  assert.equal(nameOf({ title: "<img onerror=x>: y", metadata: {} }), null);
  assert.equal(nameOf({ title: "\u202eevil: y", metadata: {} }), null);
  assert.deepEqual(examples([{ title: "Only one", metadata: {} }], say), ["example.title.1 Only one"]);
  assert.deepEqual(examples([], say), []);
});

test("what is typed into the finder is never part of a filter's grammar", () => {
  assert.equal(filterOf('a" or b'), '(title ~ "a\\"" or author ~ "a\\"") and (title ~ "or" or author ~ "or") and (title ~ "b" or author ~ "b")');
  assert.equal(filterOf("", { from: "2019", to: "20x", language: "zh" }), 'year >= 2019 and language = "zh"');
  assert.equal(filterOf(""), "");
});

test("an answer is taken away as text and as Markdown, with its sources", () => {
  const say = (key) => key;
  assert.match(asText("Q?", ANSWER, say), /^Q\?\n\nIt scores 80\.5\. \[Ada, 1843\][\s\S]*Ada, 1843: Ada Lovelace \(1843\) Ada, 1843/);
  assert.match(asMarkdown("Q?", ANSWER, say), /# Q\?[\s\S]*## completeness[\s\S]*- Score\? — status\.answered[\s\S]*## sources/);
});

test("authors are named in natural order, whatever a bibliography does", () => {
  assert.equal(authorsIn(["Quill, Ada", "Noor Hale", "王, 小明", "Smith, J., Jr"]), "Ada Quill, Noor Hale, 王小明, Smith, J., Jr");
  assert.equal(authorsIn(["Quill, Ada", "Hale, Noor", "Vale, Tom"], 2), "Ada Quill, Noor Hale …");
  assert.equal(authorsIn([], 3), "");
});

// -- addresses and texts

test("every place has an address that leads back to it", () => {
  const name = "a/b c#%é中";
  assert.deepEqual([placeOf(to("document", "x y", name)).id, placeOf(to("document", "x y", name)).collection], [name, "x y"]);
  assert.equal(placeOf(to("run", "1")).place, "run");
  assert.equal(placeOf("").place, "ask");
  assert.equal(placeOf("#/nothing/here/at/all").place, "nowhere");
  assert.equal(placeOf("#/library/%E0%A4%A").collection, "%E0%A4%A");
});

test("texts are filled in, by number where they say so", () => {
  assert.equal(filled("{n} {n|part|parts}", { n: 1 }), "1 part");
  assert.equal(filled("{n} {n|part|parts} {name}", { n: 2, name: "{n}" }), "2 parts {n}");
});

// -- what is found in a PDF, what sources disagree on, what a library is narrowed to

const { findAll, piecesOf, textOf } = await load("pure/finding.js");
const { disagreements, numbersIn } = await load("pure/citations.js");
const { yearsOf } = await load("pure/filters.js");

test("words are found across the pieces and lines of a page", () => {
  const items = [{ str: "Sparse atten", hasEOL: false }, { str: "tion in", hasEOL: true }, { str: "the dark. SPARSE", hasEOL: true }];
  const { text, starts } = textOf(items);
  assert.deepEqual(findAll(text, "sparse").map(([start]) => start), [0, text.indexOf("SPARSE")]);
  const [found] = findAll(text, " attention  in the ");
  assert.deepEqual(piecesOf(items, starts, found), [{ item: 0, from: 7, to: 12 }, { item: 1, from: 0, to: 7 }, { item: 2, from: 0, to: 3 }]);
  assert.deepEqual(findAll(text, "  "), []);
  assert.deepEqual(findAll("a.c abc", "a.c"), [[0, 3]]);
});

test("what sources disagree on stands side by side, its numbers apart", () => {
  const row = { id: "1", text: "How many?", status: "conflicting", missing: "these state different numbers: A, 2001; B, 2002" };
  const claims = [
    { part: "1", text: "It is 91.4% of 1,200.", citations: ["A, 2001"], start: 0, end: 20 },
    { part: "1", text: "It is 88.2%.", citations: ["B, 2002"], start: 30, end: 40 },
    { part: "1", text: "It is old.", citations: ["C, 2003"], start: 50, end: 60 },
  ];
  const citations = [citation("A, 2001", 21), citation("B, 2002", 41), citation("C, 2003", 61)];
  const [found] = disagreements({ parts: [row, { ...row, id: "2", status: "answered" }] }, { claims, citations });
  assert.deepEqual(found.sides.map((side) => side.place.key), ["A, 2001", "B, 2002"]);
  assert.deepEqual(found.sides[0].pieces.filter((piece) => piece.number).map((piece) => piece.text), ["91.4%", "1,200"]);
  assert.equal(numbersIn("no number").length, 1);
  assert.deepEqual(disagreements({ parts: [{ ...row, status: "answered" }] }, { claims, citations }), []);
});

test("years without a document have a place among those with some", () => {
  const years = yearsOf([{ value: "2019", documents: 4 }, { value: "2016", documents: 1 }]);
  assert.deepEqual(years.map(({ year, documents }) => [year, documents]), [["2016", 1], ["2017", 0], ["2018", 0], ["2019", 4]]);
  assert.deepEqual(yearsOf([]), []);
});

test("a chosen value is taken as it stands", () => {
  assert.equal(filterOf("", { author: 'O"Neil', from: "2019", venue: "" }), 'year >= 2019 and author = "O\\"Neil"');
});

// -- tables and drafts

test("a column is chosen and left out again, as it is written in either language", () => {
  assert.deepEqual(toggled("task; best result", "metric"), { there: false, text: "task; best result; metric" });
  assert.deepEqual(toggled("Task;best result;", "task"), { there: true, text: "best result" });
  assert.deepEqual(toggled("任务；方法", "局限"), { there: false, text: "任务；方法；局限" });
  assert.deepEqual(toggled("", "task"), { there: false, text: "task" });
});

test("a click on a head sorts rising, falling, not", () => {
  assert.deepEqual(["", "year", "-year", "task"].map((sort) => nextOrder(sort, "year")), ["year", "-year", "", "year"]);
});

test("a cell leads to its words, or to what comes nearest", () => {
  const row = { document: "bert", collection: "default", paper: "Devlin et al., 2019", title: "BERT", year: 2019 };
  const words = { text: "16 heads", start: 5, end: 13, page: 3, section: ["Results"] };
  const cell = (more) => ({ stated: true, value: "16", by: "rules", source: words, nearest: null, ...more });
  assert.equal(placeOfCell(row, cell()).quote, "16 heads");
  assert.equal(placeOfCell(row, cell({ source: null, nearest: words, stated: false })).start, 5);
  assert.equal(placeOfCell(row, null), null);
  const states = [null, cell(), cell({ stated: false }), cell({ by: "hand", stated: false }), cell({ by: "metadata" })].map(stateOfCell);
  assert.deepEqual(states, ["open", "said", "none", "hand", "meta"]);
});

test("a draft is cut where its claims stand, whatever its letters take", () => {
  const text = "𝔸 begins. One claim. Two claims. End.";
  const at = (words) => [...text.slice(0, text.indexOf(words))].length;
  const claim = (words) => ({ start: at(words), end: at(words) + [...words].length });
  const found = pieces(text, [claim("Two claims."), claim("One claim.")]);
  assert.deepEqual(found.map((piece) => [piece.text, Boolean(piece.claim)]), [["𝔸 begins. ", false], ["One claim.", true], [" ", false], ["Two claims.", true], [" End.", false]]);
  assert.equal(found.map((piece) => piece.text).join(""), text);
});

// -- files that are added, rows that are not in the library, two answers

const { filesOf, otherProblems } = await load("pure/adding.js");
const { absentNote, absentRows } = await load("pure/absent.js");
const { partsOfBoth, worksOfBoth } = await load("pure/compare.js");

test("each file of a batch says how far it is, and why it was left out", () => {
  const batch = { names: ["a.pdf", "b c.pdf", "d.md"], sizes: [100, 300, 100], sent: 0.5, job: null, trouble: "" };
  const states = (more) => filesOf({ ...batch, ...more }).map((each) => each.state);
  assert.deepEqual(states({}), ["searching", "waiting", "waiting"]);
  assert.deepEqual(states({ trouble: "too large" }), ["failed", "failed", "failed"]);
  const problems = [
    { where: "a.pdf", reason: "it is broken", advice: "get it again", lasting: false },
    { where: "b_c.pdf, page 2", reason: "nothing to read", advice: "scan it", lasting: true },
    { where: "on-line catalogues", reason: "away", advice: "", lasting: false },
  ];
  const job = { state: "done", files: ["a.pdf", "b_c.pdf", "d.md"], report: { problems } };
  assert.deepEqual(states({ sent: 1, job: { ...job, state: "running", report: null } }), ["searching", "searching", "searching"]);
  const over = filesOf({ ...batch, sent: 1, job });
  assert.deepEqual(over.map((each) => [each.name, each.state]), [["a.pdf", "failed"], ["b c.pdf", "partial"], ["d.md", "answered"]]);
  assert.equal(over[0].reason, "it is broken get it again");
  assert.deepEqual(otherProblems({ ...batch, job }).map((each) => each.where), ["on-line catalogues"]);
});

test("what was being added before the page was opened has names and no sizes", () => {
  const files = filesOf({ names: ["a.pdf"], sizes: null, sent: 0, job: { state: "running", files: ["a.pdf"], report: null }, trouble: "" });
  assert.deepEqual(files, [{ name: "a.pdf", state: "searching", reason: "" }]);
});

test("a part that nothing came of is not called found", () => {
  const run = (more) => ({ parts: { 1: { state: "answered", passages: 0, answer: "", ...more } } });
  const row = { id: "1", part: 1, text: "?" };
  assert.equal(stateOf(run({}), row), "empty");
  assert.deepEqual([{ passages: 2 }, { answer: "five" }, { counted: "5" }, { passages: undefined }].map((more) => stateOf(run(more), row)), ["found", "found", "found", "found"]);
  assert.equal(stateOf(run({}), { ...row, status: "answered" }), "answered");
});

test("rows that are not in the library are kept in the note of their part", () => {
  const ratings = [{ part: 3, good: true, note: absentNote(["3.1", "3.2", "3.1"]) }, { part: 0, good: false, note: "short" }, { part: 4, good: true, note: absentNote(["4"]) }];
  assert.deepEqual(absentRows(ratings), ["3.1", "3.2", "4"]);
  assert.deepEqual(absentRows(ratings, 4), ["4"]);
  assert.deepEqual(absentRows([]), []);
});

test("two answers are compared by the words of their parts and by their works", () => {
  const answer = (rows, ...keys) => ({ parts: rows.map(([text, status]) => ({ text, status })), citations: keys.map((key) => citation(key, 0)) });
  const first = answer([["Who proposed BERT?", "answered"], ["What is lost?", "partial"]], "Ada, 1843", "Bob, 1900");
  const second = answer([["who proposed  BERT", "not in the library"], ["What came?", "answered"]], "Bob, 1900", "Cai, 1950");
  assert.deepEqual(partsOfBoth(first, second).map((row) => row.states), [["answered", "not in the library"], ["partial", null], [null, "answered"]]);
  assert.deepEqual(worksOfBoth(first, second).map(({ work, cited }) => [work.key, ...cited]), [["Bob, 1900", true, true], ["Ada, 1843", true, false], ["Cai, 1950", false, true]]);
});

// -- what is around a thing in the graph

const { drawnAround, tiesOf } = await load("pure/around.js");

test("ties are grouped by kind and direction, and each neighbour is drawn once and over nobody else", () => {
  const node = (number) => ({ number, name: `n${number}` });
  const edge = (from, relation, target) => ({ source: node(from), relation, target: node(target) });
  const many = Array.from({ length: 12 }, (_, index) => edge(1, "USES", 20 + index));
  const kinds = tiesOf({ nodes: [node(1), node(2)], edges: [edge(1, "CITES", 2), edge(1, "CITES", 2), edge(3, "CITES", 1), edge(2, "CITES", 3), ...many, edge(1, "USES", 2)] });
  assert.deepEqual(kinds.map(({ kind, ties }) => [kind, ties.length]), [["CITES", 1], ["CITES.back", 1], ["USES", 13]]);
  assert.equal(kinds[0].ties[0].edges.length, 2);
  const size = { wide: 100, high: 40, across: 50, between: 10 };
  const { boxes, centre, width, height, more } = drawnAround(kinds, size);
  assert.equal(boxes.filter((box) => box.out).length, 7);
  assert.deepEqual([...new Set(boxes.map((box) => box.kind))].sort(), ["CITES", "CITES.back", "USES"]);
  assert.equal(new Set(boxes.filter((box) => box.out).map((box) => box.other.number)).size, 7);
  assert.equal(more, 6);
  for (const one of [...boxes, centre])
    for (const other of boxes) assert.ok(one === other || one.x !== other.x || Math.abs(one.y - other.y) >= size.high);
  assert.ok(boxes.every((box) => box.x + size.wide <= width && box.y >= 0 && box.y + size.high <= height));
});

test("a thing that nothing is around has a drawing without boxes", () => {
  assert.deepEqual(drawnAround([], { wide: 100, high: 40, across: 50, between: 10 }).boxes, []);
});
