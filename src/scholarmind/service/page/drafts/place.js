// Drafts: one's own texts, dropped here with their bibliographies, to be held against the library.

import { dress, html, useEffect, useSignal } from "../kit.js";
import { t, when } from "../language.js";
import { sure } from "../dialogs.js";
import { get, send, upload } from "../api.js";
import { go, to } from "../router.js";
import { collections } from "../session.js";
import { sayTrouble, troubleText } from "../notes.js";
import { Icon, StatusMark } from "../icons.js";
import { Drop } from "../library/adding.js";

const STATES = { done: "answered", failed: "failed", cancelled: "not in the library" };

/** Show the drafts that were sent, and where to drop another. */
export function DraftsPlace() {
  const [items, next, sent, wrong, within] = [useSignal(null), useSignal(null), useSignal(null), useSignal(""), useSignal("")];
  const more = async () => {
    try {
      const found = await get(`/drafts?limit=50&cursor=${next.value ?? ""}`);
      items.value = [...(items.value ?? []), ...found.items];
      next.value = found.next;
    } catch (error) {
      sayTrouble(error);
      items.value ??= [];
    }
  };
  useEffect(() => {
    dress("research");
    more();
  }, []);
  const take = async (files) => {
    if (!files.length) return;
    [wrong.value, sent.value] = ["", 0];
    try {
      const query = within.value ? `?collections=${encodeURIComponent(within.value)}` : "";
      const draft = await upload(`/drafts${query}`, files, (share) => (sent.value = share));
      go(to("drafts", draft.id));
    } catch (error) {
      wrong.value = troubleText(error);
    } finally {
      sent.value = null;
    }
  };
  const forget = async (draft) => {
    if (!(await sure(t("drafts.forget.sure", { name: draft.name }), t("forget.do")))) return;
    try {
      await send("DELETE", `/drafts/${draft.id}`);
      items.value = items.value.filter((each) => each.id !== draft.id);
    } catch (error) {
      sayTrouble(error);
    }
  };
  if (!items.value) return html`<div class="empty" aria-busy="true"></div>`;
  const all = collections.value ?? [];
  return html`<div class="runs">
    <header class="place-head"><h1>${t("nav.drafts")}</h1><span class="grow"></span>
      ${all.length > 1 && html`<label class="choice"><span>${t("drafts.against")}</span><select value=${within.value} onChange=${(event) => (within.value = event.target.value)}>
        <option value="">${t("collection.all")}</option>${all.map((each) => html`<option value=${each.name}>${each.name}</option>`)}</select></label>`}</header>
    <p class="lead">${t("drafts.lead")}</p>
    <${Drop} take=${take} large=${!items.value.length} what=${t("drafts.drop")} kinds=${t("drafts.kinds")} />
    ${sent.value !== null && html`<p class="hush" role="status">${t("add.sending")} <progress max="1" value=${sent.value} aria-label=${t("add.sending")}></progress></p>`}
    ${wrong.value && html`<p class="trouble" role="alert">${wrong.value}</p>`}
    <ul class="run-list">${items.value.map(
      (draft) => html`<li key=${draft.id}>
        <a href=${to("drafts", draft.id)}><${StatusMark} status=${draft.flagged ? "partial" : (STATES[draft.state] ?? "searching")} />
          <span class="clip run-question">${draft.name}</span><span class="faint">${[saidOf(draft), when(draft.created)].join(" · ")}</span></a>
        <span class="run-tools">${draft.finished && html`<button class="quiet square" aria-label=${t("drafts.forget", { name: draft.name })} onClick=${() => forget(draft)}><${Icon} name="close" /></button>`}</span>
      </li>`,
    )}</ul>
    ${next.value && html`<button class="quiet" onClick=${more}>${t("more")}</button>`}
  </div>`;
}

/** Return in a line how far a draft is, or what came of it. */
export const saidOf = (draft) =>
  draft.state === "done" ? t("drafts.found", { n: draft.flagged, all: draft.claims }) : draft.state === "running" ? t("drafts.checking") : t(`state.${draft.state}`);
