// How the time of a run went: its steps one below the other, each where it began and as long as it took.

import { html, useEffect, useSignal } from "../kit.js";
import { seconds, t } from "../language.js";
import { follow } from "../api.js";
import { nothing, step } from "../pure/progress.js";

/** Show the steps of a run; where its events were not seen, they are asked for. */
export function Waterfall({ run }) {
  const spans = useSignal(run.spans);
  useEffect(() => {
    if (spans.value.length) return;
    const stop = new AbortController();
    let all = nothing(run.id);
    follow(run.id, 0, (event) => (all = step(all, event)), stop.signal).then(() => (spans.value = all.spans), () => {});
    return () => stop.abort();
  }, []);
  const whole = Math.max(0.001, ...spans.value.map((span) => span.end));
  const share = (value) => `${(100 * value) / whole}%`;
  return html`<section class="waterfall" aria-labelledby="trace-title">
    <h3 id="trace-title">${t("trace")}</h3>
    <ol>${[...spans.value].sort((a, b) => a.start - b.start).slice(0, 200).map(
      (span) => html`<li title=${span.about}>
        <span class="clip">${t(`step.${span.type}`)}${span.part ? ` ${span.part}` : ""}</span>
        <span class="lane"><i style=${{ left: share(span.start), width: share(span.end - span.start) }}></i></span>
        <span class="faint">${seconds(span.end - span.start)}</span>
      </li>`,
    )}</ol>
  </section>`;
}
