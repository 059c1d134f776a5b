// Files that the service makes of something: a menu of their kinds.

import { dress, html, useEffect, useRef, useSignal } from "./kit.js";
import { t } from "./language.js";
import { download } from "./api.js";
import { sayTrouble } from "./notes.js";
import { Icon } from "./icons.js";

/** Offer something in these forms; `path` returns where each is made. */
export function Downloads({ forms, path }) {
  const menu = useRef(null);
  const [busy, up] = [useSignal(""), useSignal(false)];
  useEffect(() => {
    dress("research");
    const away = (event) => {
      if (menu.current?.open && (event.key === "Escape" || (event.type === "click" && !menu.current.contains(event.target)))) menu.current.open = false;
    };
    addEventListener("click", away);
    addEventListener("keydown", away);
    return () => {
      removeEventListener("click", away);
      removeEventListener("keydown", away);
    };
  }, []);
  const take = async (form) => {
    busy.value = form;
    try {
      await download(path(form));
      menu.current.open = false;
    } catch (error) {
      sayTrouble(error);
    } finally {
      busy.value = "";
    }
  };
  const place = () => {
    const { top, bottom } = menu.current.getBoundingClientRect();
    const high = menu.current.lastElementChild.offsetHeight + 8;
    up.value = innerHeight - bottom < high && top > high + 56; // below the head of the page
  };
  return html`<details class=${up.value ? "menu up" : "menu"} ref=${menu} onToggle=${place}>
    <summary class="quiet"><${Icon} name="down_to" />${t("download")}<${Icon} name="down" /></summary>
    <ul>${forms.map((form) => html`<li><button class="quiet small" disabled=${busy.value === form} onClick=${() => take(form)}>${t(`form.${form}`)}</button></li>`)}</ul>
  </details>`;
}
