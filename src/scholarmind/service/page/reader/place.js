// The file of a document by itself, as large as the window.

import { html, useEffect, useMemo, useSignal } from "../kit.js";
import { t } from "../language.js";
import { get, ofDocument } from "../api.js";
import { to } from "../router.js";
import { troubleText } from "../notes.js";
import { Reader } from "./reader.js";

/** Show it. */
export function ReadPlace({ collection, id, query }) {
  const [found, trouble] = [useSignal(null), useSignal("")];
  useEffect(() => void get(ofDocument({ collection, id })).then((all) => (found.value = all), (error) => (trouble.value = troubleText(error))), [collection, id]);
  const place = useMemo(() => ({ collection, document: id, page: Number(query.get("page")) || 1, title: found.value?.title }), [collection, id, found.value]);
  if (trouble.value) return html`<div class="empty"><h1>${trouble.value}</h1></div>`;
  return html`<article class="read-place">
    <header class="row"><h1 class="clip">${found.value?.title ?? " "}</h1><span class="grow"></span>
      <a class="quiet" href=${to("document", collection, id)}>${t("reader.back")}</a></header>
    ${found.value && html`<${Reader} key=${id} place=${place} />`}
  </article>`;
}
