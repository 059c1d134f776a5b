"use strict";
(() => {
  const map = document.getElementById("map");
  const nodes = [...map.querySelectorAll(".node")];
  const ties = [...map.querySelectorAll(".tie")];
  const told = [...document.querySelectorAll("aside section")];
  const hint = document.getElementById("hint");
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const whole = map.viewBox.baseVal;
  const first = [whole.x, whole.y, whole.width, whole.height];

  const mark = (chosen, near) => {
    for (const one of [...nodes, ...ties]) {
      one.classList.toggle("chosen", chosen.has(one));
      one.classList.toggle("dim", near !== null && !near.has(one));
    }
  };
  const tell = (wanted) => {
    for (const one of told) one.hidden = !wanted(one);
    hint.hidden = told.some((one) => !one.hidden);
    document.querySelector("aside").scrollTop = 0;
  };
  const ends = (one) => [one.dataset.from, one.dataset.to];
  const nodeOf = (number) => nodes.find((one) => one.dataset.node === number);

  const choose = (one) => {
    if (one.classList.contains("tie")) {
      mark(new Set([one]), new Set([one, ...ends(one).map(nodeOf)]));
      tell((some) => some.classList.contains("tie") && some.dataset.from === one.dataset.from && some.dataset.to === one.dataset.to);
      return;
    }
    const number = one.dataset.node;
    const own = ties.filter((tie) => ends(tie).includes(number));
    mark(new Set([one, ...own]), new Set([one, ...own, ...own.flatMap((tie) => ends(tie).map(nodeOf))]));
    tell((some) => (some.classList.contains("tie") ? ends(some).includes(number) : some.dataset.node === number));
  };
  const clear = () => { mark(new Set(), null); tell(() => false); };

  let from = null, moved = false;
  const scale = () => Math.max(whole.width / map.clientWidth, whole.height / map.clientHeight);
  map.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; moved = false; });
  map.addEventListener("pointermove", (event) => {
    if (!from) return;
    const step = [event.clientX - from[0], event.clientY - from[1]];
    if (!moved && Math.hypot(...step) < 4) return;
    moved = true;
    whole.x -= step[0] * scale();
    whole.y -= step[1] * scale();
    from = [event.clientX, event.clientY];
  });
  window.addEventListener("pointerup", () => { from = null; });
  map.addEventListener("click", (event) => {
    if (moved) return;
    const one = event.target.closest(".node, .tie");
    if (one) choose(one); else clear();
  });
  map.addEventListener("keydown", (event) => {
    const one = event.target.closest(".node, .tie");
    if (one && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); choose(one); }
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") { search.value = ""; found.textContent = ""; clear(); } });

  // Words stay readable at any distance; where there is room for one label only, it is that of the most connected node.
  const label = () => {
    const size = Math.max(12, 11 * scale());
    map.style.setProperty("--label", `${size}px`);
    const kept = [];
    const crowded = nodes.map((one) => {
      const at = one.transform.baseVal[0].matrix;
      const half = one.querySelector("text").getComputedTextLength() / 2;
      const over = kept.some(([x, y, wide]) => Math.abs(x - at.e) < wide + half && Math.abs(y - at.f) < 1.3 * size);
      if (!over) kept.push([at.e, at.f, half]);
      return over;
    });
    nodes.forEach((one, place) => one.classList.toggle("quiet", crowded[place]));
  };
  window.addEventListener("resize", label);

  const zoom = (factor) => {
    whole.x += whole.width * (1 - factor) / 2;
    whole.y += whole.height * (1 - factor) / 2;
    whole.width *= factor;
    whole.height *= factor;
    label();
  };
  document.getElementById("nearer").addEventListener("click", () => zoom(0.75));
  document.getElementById("farther").addEventListener("click", () => zoom(1 / 0.75));
  document.getElementById("all").addEventListener("click", () => { [whole.x, whole.y, whole.width, whole.height] = first; label(); });

  const matching = () => {
    const wanted = search.value.trim().toLocaleLowerCase();
    return wanted ? nodes.filter((one) => one.dataset.names.includes(wanted)) : [];
  };
  search.addEventListener("input", () => {
    const hits = matching();
    found.textContent = search.value.trim() ? `${hits.length} found` : "";
    if (search.value.trim()) mark(new Set(hits), new Set(hits)); else clear();
  });
  search.addEventListener("keydown", (event) => {
    const hits = matching();
    if (event.key === "Enter" && hits.length) choose(hits[0]);
  });
  label();
})();
