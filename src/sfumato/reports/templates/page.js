// Small helpers of the page: explanations on the spot, tooltips, scale switches, interactive charts on demand.
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.remove("no-js");
  const pop = document.getElementById("pop"), body = pop.querySelector("dl"), tip = document.getElementById("tip");
  let opener = null;

  function close(back) {
    if (pop.hidden) return;
    pop.hidden = true;
    if (opener) { opener.setAttribute("aria-expanded", "false"); if (back) opener.focus(); }
    opener = null;
  }

  function explain(link) {
    const entry = document.getElementById(link.hash.slice(1));
    if (!entry) return;
    close(false);
    body.replaceChildren(...[...entry.children].map((child) => child.cloneNode(true)));
    pop.setAttribute("aria-label", entry.querySelector("dt").textContent);
    pop.hidden = false;
    opener = link;
    link.setAttribute("aria-expanded", "true");
    const at = link.getBoundingClientRect(), width = pop.offsetWidth, height = pop.offsetHeight;
    const left = Math.max(16, Math.min(at.left, root.clientWidth - width - 16));
    const below = at.bottom + 8 + height < root.clientHeight || at.top < height + 16;
    pop.style.left = `${left + scrollX}px`;
    pop.style.top = `${(below ? at.bottom + 8 : at.top - height - 8) + scrollY}px`;
    pop.querySelector("button").focus({ preventScroll: true });
  }

  for (const link of document.querySelectorAll("a.n")) {
    link.setAttribute("aria-haspopup", "dialog");
    link.setAttribute("aria-expanded", "false");
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.n");
    if (link) { event.preventDefault(); opener === link ? close(true) : explain(link); return; }
    if (event.target.closest("#pop button")) { close(true); return; }
    if (!event.target.closest("#pop")) close(false);
    const button = event.target.closest("button[data-view]");
    if (button) choose(button);
    const live = event.target.closest("button[data-live]");
    if (live) explore(live);
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(true); });

  function choose(button) {
    const figure = button.closest("figure");
    for (const other of figure.querySelectorAll("button[data-view]")) other.setAttribute("aria-pressed", String(other === button));
    for (const view of figure.querySelectorAll(".view")) view.hidden = view.dataset.view !== button.dataset.view;
  }

  document.addEventListener("mousemove", (event) => {
    const mark = event.target.closest && event.target.closest(".view path[aria-label]");
    tip.hidden = !mark || Boolean(mark.closest(".live"));
    if (tip.hidden) return;
    tip.textContent = mark.getAttribute("aria-label");
    tip.style.left = `${Math.min(event.clientX + 14, root.clientWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${event.clientY + 16}px`;
  });

  // The chart library is kept as text and read only when somebody asks for it.
  let library = null;
  function load() {
    if (!library) library = new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.type = "module";
      script.textContent = document.getElementById("vega").textContent; // as it is: the page's policy names its hash
      window.addEventListener("vega-ready", resolve, { once: true });
      window.addEventListener("error", reject, { once: true });
      document.head.append(script);
    });
    return library;
  }
  async function explore(button) {
    const figure = button.closest("figure");
    button.disabled = true;
    try {
      await load();
      for (const view of figure.querySelectorAll(".view")) {
        const spec = JSON.parse(document.getElementById(view.dataset.spec).textContent);
        const was = view.hidden;
        view.hidden = false;
        const place = document.createElement("div");
        view.replaceChildren(place);
        await window.vegaEmbed(place, spec, { actions: false, renderer: "svg", ast: true, tooltip: { theme: "custom" }, loader: { http: false } });
        const svg = view.querySelector("svg");
        svg.setAttribute("role", "img");
        svg.setAttribute("aria-label", view.dataset.alt);
        view.classList.add("live");
        view.hidden = was;
      }
      button.textContent = button.dataset.done;
    } catch {
      button.textContent = button.dataset.failed;
    }
  }
})();
