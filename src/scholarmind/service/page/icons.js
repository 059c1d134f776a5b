// Small drawings, all on a grid of 16, drawn with the colour of the text around them.

import { html } from "./kit.js";

const PATHS = {
  answered: "M3.500 8.500l3 3 6-7",
  partial: "M8 2.500a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11zM8 2.500v11M8 5l4.500 0M8 8h5.500M8 11h4.500",
  conflicting: "M3 6h10M3 10h10M10.500 3l-5 10",
  missing: "M4 8h8",
  failed: "M8 3v6M8 12.300v.2",
  waiting: "M8 4.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z",
  dot: "M8 6.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3z",
  close: "M4 4l8 8M12 4l-8 8",
  before: "M10 3L5 8l5 5",
  after: "M6 3l5 5-5 5",
  down: "M3 6l5 5 5-5",
  up: "M3 10l5-5 5 5",
  plus: "M8 3v10M3 8h10",
  send: "M8 13V3M3.500 7.500L8 3l4.500 4.500",
  copy: "M6 5.500h7v8H6zM3 10.500v-8h7",
  light: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  dark: "M13 9.500A5.500 5.500 0 0 1 6.500 3 5.500 5.500 0 1 0 13 9.500z",
  auto: "M8 2.500a5.500 5.500 0 1 0 0 11zM8 2.500a5.500 5.500 0 0 1 0 11",
  search: "M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM10.500 10.500l3 3",
  file: "M4 1.500h5l3 3v10H4zM9 1.500v3h3",
  key: "M5.500 7.500a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7.700 8.300L13.500 2.500M11 5l2 2",
  stop: "M4 4h8v8H4z",
  again: "M13 8a5 5 0 1 1-1.500-3.500L13 6M13 2.500V6H9.500",
  more: "M3.500 8h.01M8 8h.01M12.500 8h.01",
  upload: "M8 10.500V2.500M4.500 6L8 2.500 11.500 6M2.500 11v2.500h11V11",
  down_to: "M8 2.500v8M4.500 7L8 10.500 11.500 7M2.500 13.500h11",
  bell: "M4 11V7a4 4 0 0 1 8 0v4l1.500 1.500h-11zM7 14.500h2",
  table: "M2.500 3h11v10h-11zM2.500 6.500h11M6.500 3v10",
  link: "M6.500 9.500l3-3M7 4.500L8.500 3a3 3 0 0 1 4.500 4.500L11.500 9M9 11.500L7.500 13A3 3 0 0 1 3 8.500L4.500 7",
};

/** Draw one. What it means must be said beside it. */
export const Icon = ({ name }) =>
  html`<svg class=${`icon icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;

const OF_STATUS = {
  answered: "answered",
  partial: "partial",
  conflicting: "conflicting",
  "not in the library": "missing",
  failed: "failed",
  empty: "missing",
  found: "answered",
  done: "dot", // whatever came of it
  searching: "waiting",
  waiting: "waiting",
};

/** Draw how something stands: told apart by its form as well as by its colour. */
export const StatusMark = ({ status }) =>
  html`<span class="status-mark" data-status=${status}><${Icon} name=${OF_STATUS[status] ?? "waiting"} /></span>`;
