// An answer as text to take away: plain, or Markdown with its sources.

import { authorsIn } from "./authors.js";
import { parse, plainOf } from "./markdown.js";
import { worksOf } from "./citations.js";

/** Return an answer as plain text, with the works that it cites. */
export function asText(question, answer, t) {
  const keys = new Set(answer.citations.map((each) => each.key));
  const lines = parse(answer.answer, keys).map((block) => blockText(block));
  return [question, "", lines.join("\n\n"), ...sources(answer, t, (work) => `${work.key}: ${reference(work)}`)].join("\n");
}

/** Return an answer as Markdown, with its table of completeness and the works that it cites. */
export function asMarkdown(question, answer, t) {
  const rows = answer.parts.map((row) => `- ${row.text} — ${t(`status.${row.status}`)}${row.missing ? `: ${row.missing}` : ""}`);
  return [
    `# ${question}`,
    "",
    answer.answer,
    "",
    `## ${t("completeness")}`,
    "",
    ...rows,
    ...sources(answer, t, (work) => `- [${work.key}] ${reference(work)}`, "## "),
    "",
  ].join("\n");
}

function sources(answer, t, line, mark = "") {
  const works = worksOf(answer.citations.map((each) => ({ ...each, placeStart: 0, placeEnd: 0 })));
  return works.length ? ["", `${mark}${t("sources")}`, "", ...works.map(line)] : [];
}

function reference(work) {
  return [authorsIn(work.authors ?? [], 3), work.year && `(${work.year})`, work.title].filter(Boolean).join(" ");
}

function blockText(block) {
  switch (block.kind) {
    case "list":
      return block.items.map((item, index) => `${"  ".repeat(item.depth)}${block.ordered ? `${index + 1}.` : "-"} ${plainOf(item.inline)}`).join("\n");
    case "table":
      return [block.head, ...block.rows].map((row) => row.map(plainOf).map((cell) => cell.trim()).join("\t")).join("\n");
    default:
      return plainOf(block.inline);
  }
}
