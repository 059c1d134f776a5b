// Which works to read next for an answer: cited by what answers it, and not in the library.

import { html, useEffect, useSignal } from "../kit.js";
import { t } from "../language.js";
import { ask, download, get } from "../api.js";
import { to } from "../router.js";
import { copy, sayTrouble, troubleText } from "../notes.js";
import { authorsIn } from "../pure/authors.js";
import { Icon } from "../icons.js";
import { openSource } from "./source.js";

/** Show the list for a run. */
export function NextWorks({ run }) {
  const [found, trouble, many] = [useSignal(null), useSignal(""), useSignal(10)];
  useEffect(() => {
    get(`/runs/${run}/next?limit=${many.value}`).then(
      (list) => (found.value = list),
      (error) => (trouble.value = troubleText(error)),
    );
  }, [many.value]);
  if (trouble.value) return html`<p class="trouble" role="alert">${trouble.value}</p>`;
  if (!found.value) return html`<p class="hush next-works" role="status">${t("loading")}</p>`;
  const { missing, unused, answering, without } = found.value;
  const path = `/runs/${run}/next?limit=${many.value}&format=bib`;
  const copied = async () => {
    try {
      await copy(await (await ask(path)).text(), t("copied.bibtex"));
    } catch (error) {
      sayTrouble(error);
    }
  };
  return html`<section class="next-works" aria-labelledby="next-title">
    <div class="section-head"><h2 id="next-title">${t("next")}</h2><span class="grow"></span>
      ${missing.length > 0 && html`<button class="quiet small" onClick=${copied}><${Icon} name="copy" />BibTeX</button>
        <button class="quiet small" onClick=${() => download(path).catch(sayTrouble)}><${Icon} name="down_to" />.bib</button>`}</div>
    ${!answering.length && html`<p class="hush">${without.length ? t("next.no-references") : t("next.nobody")}</p>`}
    ${answering.length > 0 && !missing.length && html`<p class="hush">${t("next.all-there")}</p>`}
    <ol>${missing.map((work) => html`<${Work} work=${work} all=${answering.length} />`)}</ol>
    ${missing.length === many.value && html`<button class="quiet small" onClick=${() => (many.value *= 3)}>${t("more")}</button>`}
    ${unused.length > 0 && html`<h3>${t("next.unused")}</h3><ul class="references">${unused.map(
      (work) => html`<li><a href=${to("document", work.collection, work.document)}>${work.reference.title || work.reference.text}</a> <span class="faint">${work.reference.year ?? ""}</span></li>`,
    )}</ul>`}
    ${answering.length > 0 && without.length > 0 && html`<p class="hush">${t("next.without", { titles: without.slice(0, 5).join("; ") })}</p>`}
  </section>`;
}

function Work({ work, all }) {
  const { reference, citing } = work;
  const about = [authorsIn(reference.authors, 3), reference.year, reference.doi && `doi:${reference.doi}`, reference.arxiv && `arXiv:${reference.arxiv}`].filter(Boolean).join(" · ");
  const places = citing.filter((each) => each.sentence).map((each) => ({ ...each, quote: each.sentence, year: null }));
  return html`<li><p class="next-title">${reference.title || reference.text}</p>
    <p class="faint">${about}</p>
    <p class="hush">${t(`nearness.${work.nearness}`)}, ${t("next.by", { n: work.works, all })}${work.only_entry ? ` · ${t("next.entry")}` : ""}</p>
    ${places.map((place, index) => html`<button class="said-there" onClick=${(event) => openSource(places, index, `next.${place.document}.${place.start}`, event.currentTarget)}>
      <span class="hush">${[place.key, place.page ? t("page.n", { n: place.page }) : place.section.at(-1)].filter(Boolean).join(" · ")}</span>“${place.sentence}”</button>`)}
  </li>`;
}
