// The page's one module: it shows what the program sends and sends back what was pressed.
const room = document.body.dataset.room;
const $ = (id) => document.getElementById(id);
// What is `spoken` only is for those who do not see where the cursor stands.
const news = (text, spoken = false) => { $("news").classList.toggle("visually-hidden", spoken); $("news").textContent = text; };
const labels = document.body.dataset.labels.split("\n").filter(Boolean);
const kind = (label) => `k${labels.indexOf(label) + 1}`;
// Messages come with the page, by what they are in English: `say("… {n} …", { n })`, and by a number `sayMany(n, "…", "…")`.
const messages = JSON.parse($("messages").textContent), language = document.documentElement.lang;
const fill = (message, values) => message.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const say = (message, values = {}) => fill(messages[message] ?? message, values);
const plurals = new Intl.PluralRules(language);
const sayMany = (number, one, many, values = {}) => say(plurals.select(number) === "one" ? one : many, { n: count(number), ...values });
const count = (n, digits = 0) => n.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
const percent = (x) => x.toLocaleString(language, { style: "percent", minimumFractionDigits: x < 0.1 ? 1 : 0, maximumFractionDigits: x < 0.1 ? 1 : 0 });
const range = (share, low, high) => `${percent(share)} (${percent(low)} – ${percent(high)})`;

// Paths are relative, here and in the rooms: everything is under a path that changes at every start.
async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch {
    news(say("The program does not answer. Is it still running?"));
    throw new Error("no answer");
  }
  if (answer.status === 403) { location.reload(); throw new Error("locked"); }
  const content = await answer.json();
  if (!answer.ok) { news(content.error); throw new Error("refused"); }
  return content;
}

// --- text with marks -------------------------------------------------------------------------
function put(parent, tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  parent.append(made);
  return made;
}

// Draw text[offset...] with spans [first, last, label, chance]; words become clickable pieces.
function draw(into, shown, spans, { asked, words } = {}) {
  into.replaceChildren();
  // Places count characters as Python does; a JavaScript string counts UTF-16 units.
  const { offset } = shown;
  const characters = Array.from(shown.text);
  const end = offset + characters.length;
  const cut = (a, b) => characters.slice(a - offset, b - offset).join("");
  const pieces = (parent, a, b) => {
    let at = a;
    for (const [s, e] of words || []) {
      if (e <= a || s >= b) continue;
      if (s > at) parent.append(cut(at, s));
      const word = put(parent, "span", cut(Math.max(s, a), Math.min(e, b)), "word");
      word.dataset.first = s; word.dataset.last = e;
      at = Math.min(e, b);
    }
    if (at < b) parent.append(cut(at, b));
  };
  const all = spans.map((s) => ({ first: s[0], last: s[1], label: s[2], chance: s[3] }));
  if (asked) all.push({ ...asked, asked: true });
  all.sort((a, b) => a.first - b.first);
  let at = offset;
  for (const span of all) {
    const a = Math.max(span.first, at), b = Math.min(span.last, end);
    if (b <= a) continue;
    pieces(into, at, a);
    const mark = put(into, "mark", undefined, span.label ? kind(span.label) : "");
    if (span.asked) mark.classList.add("asked-for");
    if (typeof span.chance === "number" && span.chance < 0.5) mark.classList.add("unsure");
    mark.dataset.first = span.first; mark.dataset.last = span.last;
    pieces(mark, a, b);
    if (span.label) put(mark, "small", span.label);
    at = b;
  }
  pieces(into, at, end);
}

// The words between two places of a selection, or null.
function selectedWords(within) {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || !within.contains(selection.anchorNode)) return null;
  const range = selection.getRangeAt(0);
  const hit = [...within.querySelectorAll(".word")].filter((w) => range.intersectsNode(w));
  if (!hit.length) return null;
  selection.removeAllRanges();
  return [Number(hit[0].dataset.first), Number(hit[hit.length - 1].dataset.last)];
}

// --- label and audit -------------------------------------------------------------------------
let question = null, chosen = labels[0], first = 0, last = 0, spans = [], busy = false, preview = null, cursor = -1;
const asking = () => document.querySelector("[data-asking]")?.dataset.asking || $("asking")?.value || "cost";
let shownAt = 0;
// Marks of an open window survive a reload; places and labels are kept, no text.
const markKey = () => `marks ${question.doc} ${question.first} ${question.last}`;
const keepMarks = () => sessionStorage.setItem(markKey(), JSON.stringify(spans));
function keptMarks() { try { return JSON.parse(sessionStorage.getItem(markKey())); } catch { return null; } }

function showQuestion(next) {
  news("");
  question = next; preview = null; busy = false; cursor = -1; shownAt = performance.now();
  Object.assign($("text").dataset, { kind: question.kind, doc: question.doc, first: question.first, last: question.last });
  const hide = (key, yes) => { const b = document.querySelector(`#buttons [data-key="${key}"]`); if (b) b.hidden = yes; };
  if ($("preview")) $("preview").hidden = true;
  if (question.kind === "none") {
    $("asked-title").textContent = say("Nothing is left to ask."); $("text").replaceChildren(); $("about").textContent = "";
    return;
  }
  const window_ = question.kind === "window";
  const class_ = question.kind === "class";
  for (const key of ["y", "n"]) hide(key, window_);
  for (const key of ["a", "[", "]", "{", "}"]) hide(key, window_ || class_);
  hide("f", class_);
  hide("d", !window_);
  if ($("skip-label")) $("skip-label").textContent = class_ ? say("It depends") : say("Skip");
  ({ first, last } = question);
  spans = window_ ? keptMarks() || question.spans.map((s) => [...s]) : [];
  chosen = question.label || chosen;
  if (class_) { showClass(); return; }
  $("asked-title").textContent = window_
    ? say("Mark everything sensitive in the window, not in the grey text around it; then say that the window is done.")
    : say("Is this sensitive?");
  $("about").textContent = [
    say("Question {n}", { n: question.number }),
    ...(question.random ? [say("drawn at random")] : []),
    say("document {id}", { id: question.id }),
    ...(window_ ? [] : [say("the model says {chance}", { chance: percent(question.chance) })]),
  ].join(" · ");
  redraw();
}

// One answer for all words that are written alike; a few of them are shown.
function showClass() {
  const { title, examples, number } = question;
  $("asked-title").textContent = question.asks || say("Are these sensitive, all of them? {what}.", { what: title[0].toUpperCase() + title.slice(1) });
  const places = say("one answer for {n} places, {shown} of them drawn at random and shown", { n: count(question.count), shown: examples.length });
  const proposed = question.proposed ? ` · ${say("rules propose {label}", { label: question.proposed })}` : "";
  $("about").textContent = `${say("Question {n}", { n: number })} · ${places}${proposed}`;
  $("text").replaceChildren();
  const list = put($("text"), "ul");
  // A little context on one line, without the words that it cuts through.
  const line = (text) => text.replace(/\s+/g, " ");
  for (const p of examples) {
    const item = put(list, "li", line(p.before).replace(/^\S* /, "… "));
    put(item, "strong", line(p.words));
    item.append(line(p.after).replace(/ \S*$/, " …"));
  }
  showLabel();
}

function redraw() {
  if (question.kind === "class") { showLabel(); return; }
  const text = $("text");
  if (question.kind === "window") {
    draw(text, question, spans, { words: inWindow() });
    fade(text);
    const here = [...text.querySelectorAll(".word")][cursor];
    if (here) { here.classList.add("cursor"); news(here.closest("mark") ? say("{word}, marked", { word: here.textContent }) : here.textContent, true); }
  } else {
    draw(text, question, [], { asked: { first, last, label: chosen }, words: question.words });
  }
  showLabel();
}

function showLabel() {
  for (const b of document.querySelectorAll("button.kind")) b.setAttribute("aria-pressed", String(b.dataset.label === chosen));
  if ($("yes-label")) $("yes-label").textContent = question.kind === "window" ? "" : `: ${chosen}`;
  const like = question.like;
  if ($("like-count")) $("like-count").textContent = like ? say("({yes} if yes, {no} if no)", like) : "";
}

const inWindow = () => question.words.filter(([s, e]) => s >= first && e <= last);

// Grey out what comes before and after the window.
function fade(text) {
  const words = [...text.querySelectorAll(".word")];
  if (!words.length) return;
  const wrap = (from, to) => {
    const range = document.createRange();
    if (from) range.setStartAfter(from); else range.setStart(text, 0);
    if (to) range.setEndBefore(to); else range.setEnd(text, text.childNodes.length);
    if (range.toString().trim() === "") return;
    try { const far = document.createElement("span"); far.className = "far"; range.surroundContents(far); } catch { /* a mark at the edge */ }
  };
  const outer = (w) => (w.parentElement.tagName === "MARK" ? w.parentElement : w);
  wrap(null, outer(words[0])); wrap(outer(words[words.length - 1]), null);
}

async function give(answer) {
  if (busy) return;
  busy = true;
  try {
    const place = { doc: question.doc, first, last };
    const seconds = (performance.now() - shownAt) / 1000, number = answer.do === "undo" ? undefined : question.number;
    const kept = answer.do === "window" ? markKey() : null;
    const { question: next } = await ask("api/answer", { asking: asking(), number, seconds, ...place, ...answer });
    if (kept) sessionStorage.removeItem(kept);
    showQuestion(next);
    performance.mark("question");
    soon();
  } catch (error) {
    // Another tab was quicker: this one goes on with the same session.
    if (error.message === "refused") showQuestion((await ask(`api/question?asking=${asking()}`)).question);
  } finally { busy = false; }
}

// [ and ] make the marked words wider to the left and to the right, { and } narrower.
function move(side, wider) {
  const words = question.words, inside = words.filter(([s, e]) => s >= first && e <= last);
  if (side === "left" && wider) { const before = [...words].reverse().find(([, e]) => e <= first); if (before) first = before[0]; }
  if (side === "right" && wider) { const after = words.find(([s]) => s >= last); if (after) last = after[1]; }
  if (!wider && inside.length > 1) { if (side === "left") first = inside[1][0]; else last = inside[inside.length - 2][1]; }
  redraw();
}

// Ask first which answer is meant for all places; only then show them.
function whichForAll() {
  const { yes, no } = question.like || { yes: 0, no: 0 };
  if (!yes && !no) { news(say("There is no other place like this.")); return; }
  preview = { choosing: true };
  $("preview-title").textContent = say("All places like this: yes, {label} ({yes}), or no ({no})?", { label: chosen, yes, no });
  $("places").replaceChildren();
  const item = put($("places"), "li");
  const offer = (text, label, many) => {
    if (!many) return;
    put(item, "button", text).addEventListener("click", () => allLikeThis(label)); item.append(" ");
  };
  offer(say("Yes: {label} ({n})", { label: chosen, n: yes }), chosen, yes); offer(say("No: not sensitive ({n})", { n: no }), "", no);
  $("preview").hidden = false;
  $("preview").querySelector("button")?.focus();
}

async function allLikeThis(label) {
  const place = { doc: question.doc, first, last, label };
  const { places } = await ask("api/like", place);
  preview = { label, struck: new Set() };
  const all = Math.max(places.length, label ? question.like?.yes || 0 : question.like?.no || 0);
  const some = all > places.length ? say(" (the first {n} are shown)", { n: places.length }) : "";
  $("preview-title").textContent = sayMany(all, "{n} place like this will be marked: {label}", "{n} places like this will be marked: {label}", { label: label || say("not sensitive") }) + some;
  const list = $("places");
  list.replaceChildren();
  places.forEach((p) => {
    const item = put(list, "li");
    const button = put(item, "button", "", "plain");
    button.append(p.before); put(button, "strong", p.words); button.append(p.after);
    button.addEventListener("click", () => {
      const key = JSON.stringify(p.place);
      item.classList.toggle("struck");
      if (!preview.struck.delete(key)) preview.struck.add(key);
    });
  });
  $("preview").hidden = false;
  $("preview").querySelector("button")?.focus();
}

function toggle(a, b) {
  const hit = spans.filter(([s, e]) => s < b && a < e);
  // A word inside a longer mark is taken out of it; the rest stays marked.
  spans = spans.flatMap((span) => {
    const [s, e, label] = span;
    if (!(s < b && a < e)) return [span];
    const left = inWindow().filter(([x, y]) => x >= s && y <= a), right = inWindow().filter(([x, y]) => x >= b && y <= e);
    return [...(left.length ? [[s, left[left.length - 1][1], label]] : []), ...(right.length ? [[right[0][0], e, label]] : [])];
  });
  if (!hit.length || hit.some(([, , label]) => label !== chosen)) spans.push([Math.max(a, first), Math.min(b, last), chosen]);
  spans.sort((x, y) => x[0] - y[0]);
  const characters = Array.from(question.text);
  const between = (x, y) => characters.slice(x[1] - question.offset, y[0] - question.offset).join("");
  spans = spans.reduce((kept, span) => {
    const before = kept[kept.length - 1];
    if (before && before[2] === span[2] && !between(before, span).trim()) before[1] = span[1]; else kept.push([...span]);
    return kept;
  }, []);
  keepMarks();
  redraw();
}

function pressForClass(key) {
  const answer = { do: "class", class_key: question.class_key };
  if (key >= "1" && key <= "9" && labels[key - 1]) { chosen = labels[key - 1]; give({ ...answer, label: chosen }); }
  else if (key === "y") give({ ...answer, label: chosen });
  else if (key === "n") give({ ...answer, label: "" });
  else if (key === "s") give({ ...answer, label: "", mixed: true });
  else if (key === "u") give({ do: "undo" });
}

function press(key) {
  if (key === "?") { $("help")?.showModal(); return; }
  if (!question || question.kind === "none") { if (key === "u") give({ do: "undo", first: 0, last: 1, doc: 0 }); return; }
  const window_ = question.kind === "window";
  if (question.kind === "class") { pressForClass(key); return; }
  if (preview) {
    if (preview.choosing && key === "y" && question.like.yes) allLikeThis(chosen);
    else if (preview.choosing && key === "n" && question.like.no) allLikeThis("");
    else if (key === "Enter" && !preview.choosing) give({ do: "mark", label: preview.label, like: true, struck: [...preview.struck].map(JSON.parse) });
    if (key === "Escape") { preview = null; $("preview").hidden = true; }
    return;
  }
  if (key >= "1" && key <= "9" && labels[key - 1]) {
    chosen = labels[key - 1];
    if (window_) redraw(); else give({ do: "mark", label: chosen });
  } else if (key === "y" && !window_) give({ do: "mark", label: chosen });
  else if (key === "n" && !window_) give({ do: "mark", label: "" });
  else if (key === "a" && !window_) whichForAll();
  else if (key === "d" && window_) give({ do: "window", random: question.random, spans });
  else if (window_ && (key === "ArrowRight" || key === "ArrowLeft")) {
    cursor = Math.max(0, Math.min(inWindow().length - 1, cursor + (key === "ArrowRight" ? 1 : -1)));
    redraw();
  } else if (window_ && key === " " && cursor >= 0) toggle(...inWindow()[cursor]);
  else if ("[]{}".includes(key) && !window_) move(key === "[" || key === "{" ? "left" : "right", key === "[" || key === "]");
  else if (key === "s") give({ do: "skip" });
  else if (key === "u") give({ do: "undo" });
  else if (key === "f") whole();
}

async function whole() {
  const shown = await ask(`api/document?doc=${question.doc}`);
  // The marks of the open window are shown as they are here, not as they were proposed.
  const others = question.kind === "window" ? shown.spans.filter(([a, b]) => b <= question.first || a >= question.last) : shown.spans;
  draw($("whole-text"), { text: shown.text, offset: 0 }, [...others, ...spans], {});
  $("whole").showModal();
}

// --- the state ---------------------------------------------------------------------------------
let waiting = null;
function soon(milliseconds = 400) { clearTimeout(waiting); waiting = setTimeout(showStatus, milliseconds); }
async function showStatus() {
  if (!$("stats")) return;
  const { status } = await ask("api/status");
  const rows = [
    [say("Answers"), count(status.answers)],
    [say("Documents seen"), say("{n} of {all}", { n: count(status.documents_seen), all: count(status.documents) })],
    [say("Sensitive words left, expected"), count(status.expected_left)],
    [say("Random windows"), count(status.windows)],
    [say("Share left"), status.left === null ? say("not measured yet") : range(status.left, status.low, status.high)],
    [say("Documents with at least one left"), status.documents_with_leak ? range(...status.documents_with_leak) : say("not measured yet")],
    [say("Found in 100 words an attacker reads"), status.found_in_100 === null ? say("not measured yet") : count(status.found_in_100)],
  ];
  $("stats").replaceChildren();
  for (const [name, value] of rows) { put($("stats"), "dt", name); put($("stats"), "dd", String(value)); }
  $("readers").textContent = status.readers ? say("Learned by: {readers}.", status) : "";
  const step = status.step;
  $("verdict").textContent = step ? say("Next: {step}", { step: step.words }) + (step.minutes ? say(" About {minutes} min.", step) : "") : "";
  showLabels(status.by_label || []);
  if ($("trust")) {
    const { found, kappa, left_corrected: corrected } = status.agreement || {};
    $("trust").textContent = found == null ? say("This trusts one reader: what one person overlooks counts as harmless. The Audit room takes a second reader.")
      : say("Two readers: kappa {kappa}; the first finds about {found} of what there is, so that {left} may be left.", { kappa: count(kappa, 2), found: percent(found), left: corrected == null ? say("more") : percent(corrected) });
  }
  drawCurve(status.curve.filter((c) => c[1] !== null), status.wanted);
  if (status.pending) soon();
  else if (status.teaching) soon(2000);
}

// Each label with its range: the total is dominated by no label silently.
function showLabels(rows) {
  const table = $("by-label");
  if (!table || table.contains(document.activeElement)) return; // somebody is typing what is wanted
  table.replaceChildren();
  table.closest("table").hidden = !rows.length;
  for (const row of rows) {
    const line = put(table, "tr");
    put(line, "th", row.label).scope = "row";
    put(line, "td", String(row.sensitive));
    put(line, "td", row.left === null ? say("none met yet") : range(row.left, row.low, row.high));
    const input = put(put(line, "td"), "input", undefined, "want");
    Object.assign(input, { type: "number", min: 0.1, max: 99, step: 0.1, value: +(100 * row.wanted).toFixed(2) });
    input.setAttribute("aria-label", say("Wanted of {label}, in per cent", row));
    input.addEventListener("change", async () => { await ask("api/answer", { do: "want", label: row.label, share: input.value / 100 }); soon(0); });
  }
}

function drawCurve(points, wanted) {
  const svg = $("curve"), make = (tag, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [k, v] of Object.entries(attributes)) made.setAttribute(k, v);
    svg.append(made);
    return made;
  };
  svg.replaceChildren();
  svg.closest("figure").hidden = !points.length;
  if (!points.length) return;
  const most = Math.max(...points.map((p) => p[0]), 1);
  const x = (n) => 30 + (n / most) * 262, y = (s) => 135 - s * 125;
  const at = (i) => points.map((p) => `${x(p[0])},${y(p[i])}`);
  make("polygon", { points: [...at(3), ...at(2).reverse()].join(" "), class: "band" });
  make("polyline", { points: at(1).join(" "), class: "line" });
  make("line", { x1: 30, x2: 292, y1: y(wanted), y2: y(wanted), class: "wish" });
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    make("line", { x1: 27, x2: 30, y1: y(share), y2: y(share), class: "tick" });
    make("text", { x: 25, y: y(share) + 3, "text-anchor": "end" }).textContent = `${100 * share}`;
  }
  for (const n of [0, Math.round(most / 2), most]) make("text", { x: x(n), y: 148, "text-anchor": n ? "end" : "start" }).textContent = n === most ? sayMany(n, "{n} answer", "{n} answers") : count(n);
  make("text", { x: 34, y: 9 }).textContent = say("% left");
}

function keys(handler) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea, dialog[open]")) return;
    if ((event.key === "Enter" || event.key === " ") && event.target.closest("button, a") && !preview) return;
    if (event.key === " ") event.preventDefault();
    handler(event.key, event);
  });
}

async function startLabelling() {
  for (const button of document.querySelectorAll("[data-key]")) button.addEventListener("click", () => press(button.dataset.key));
  document.querySelector("[data-close]").addEventListener("click", () => $("whole").close());
  for (const button of document.querySelectorAll("[data-close-help]")) button.addEventListener("click", () => $("help").close());
  const mode = $("asking");
  if (mode) {
    const kept = localStorage.getItem("asking");
    if ([...mode.options].some((o) => o.value === kept)) mode.value = kept;
    mode.addEventListener("change", async () => { localStorage.setItem("asking", mode.value); showQuestion((await ask(`api/question?asking=${asking()}`)).question); });
  }
  $("text").addEventListener("mouseup", (event) => {
    if (!question || question.kind === "none" || question.kind === "class") return;
    const words = selectedWords($("text"));
    const on = event.target.closest("mark, .word");
    const [a, b] = words || (on ? [Number(on.dataset.first), Number(on.dataset.last)] : [0, 0]);
    if (b <= a) return;
    if (question.kind === "window") toggle(a, b); else if (words) { [first, last] = words; redraw(); }
  });
  keys(press);
  showQuestion((await ask(`api/question?asking=${asking()}`)).question);
  showStatus();
}

// --- frontier --------------------------------------------------------------------------------
async function follow(tell, done) {
  const { job } = await ask("api/status");
  tell(job);
  if (job.state === "running") setTimeout(() => follow(tell, done), 150);
  else if (job.state === "done") done(job.result);
}

function startFrontier() {
  $("explore")?.addEventListener("click", async () => {
    await ask("api/explore", {});
    follow((job) => { $("job").textContent = job.state === "running" ? say("working …") : job.message || ""; }, () => location.assign("frontier"));
  });
  const details = $("details");
  if (!details) return;
  const { part, candidate } = details.dataset;
  for (const link of document.querySelectorAll(".drawing a")) {
    link.addEventListener("mouseenter", async () => show(await ask(`api/candidate${link.getAttribute("href")}`)));
  }
  document.querySelector(".drawing")?.addEventListener("mouseleave", async () => show(await ask(`api/candidate?part=${part}&candidate=${encodeURIComponent(candidate)}`)));
  function show(shown) {
    $("chosen").textContent = shown.id;
    $("words").replaceChildren(); shown.sentences.forEach((s) => put($("words"), "p", s));
    $("rows").replaceChildren();
    for (const [name, value, means] of shown.rows) {
      const row = put($("rows"), "tr"), head = put(row, "th", name);
      head.scope = "row";
      if (means) { put(head, "br"); put(head, "span", means, "note"); }
      put(row, "td", value);
    }
    $("grids").replaceChildren();
    for (const grid of shown.grids) {
      const table = put($("grids"), "table"), heads = put(put(table, "thead"), "tr"), body = put(table, "tbody");
      put(table, "caption", grid.caption);
      for (const head of grid.heads) put(heads, "th", head).scope = "col";
      for (const [first, ...cells] of grid.rows) { const line = put(body, "tr"); put(line, "th", first).scope = "row"; cells.forEach((cell) => put(line, "td", cell)); }
    }
    $("chips").replaceChildren();
    for (const chips of shown.chips) { const d = put($("chips"), "details"); put(d, "summary", chips.title); put(d, "p", chips.items.join(", ")); }
  }
  $("shelve").addEventListener("submit", async (event) => {
    event.preventDefault();
    await ask("api/shelf", { part, candidate, note: $("note").value });
    location.reload();
  });
  $("publish").addEventListener("submit", async (event) => {
    event.preventDefault();
    const { status } = await ask("api/status");
    const { risk, high_by_label: highs } = await ask(`api/candidate?part=${part}&candidate=${encodeURIComponent(candidate)}`);
    // Publishing more than what was wanted, of all words or of a label, takes a second click, on a sentence that names the numbers.
    const wantedOf = (label) => status.by_label?.find((one) => one.label === label)?.wanted ?? status.wanted;
    const above = status?.wanted ? Object.entries(highs).filter(([label, high]) => high > wantedOf(label)) : [];
    const tooMuch = status?.wanted && (risk.high ?? risk.value) > status.wanted;
    if ((tooMuch || above.length) && !$("publish").dataset.confirmed) {
      $("publish").dataset.confirmed = "yes";
      const labels = above.map(([label, high]) => say("{label} up to {high} (wanted {wanted})", { label, high: percent(high), wanted: percent(wantedOf(label)) })).join(", ");
      const each = labels ? ` ${say("Above what was wanted: {labels}.", { labels })}` : "";
      $("published").textContent = (risk.measured
        ? say("Up to {high} of the sensitive words may be left; wanted were {wanted}. Press the button again to publish anyway.", { high: percent(risk.high ?? risk.value), wanted: percent(status.wanted) })
        : say("What is left was not measured; wanted were {wanted}. Press the button again to publish anyway.", { wanted: percent(status.wanted) })) + each;
      return;
    }
    const choices = Object.fromEntries([...document.querySelectorAll("[data-choice]")].map((c) => [c.dataset.choice, c.type === "checkbox" ? c.checked : c.value]));
    $("published").textContent = "";
    const { started } = await ask("api/publish", { part, candidate, data: $("data")?.value, choices });
    if (!started) { news(say("Something is being published already.")); return; }
    $("bar").hidden = false;
    follow((job) => {
      if (job.total) $("bar").value = job.done / job.total; else $("bar").removeAttribute("value");
      if (job.state === "failed") { $("bar").hidden = true; $("published").textContent = job.message; }
    }, (result) => {
      const [name, ...lines] = result.split("\n");
      $("bar").value = 1; $("published").textContent = say("Published: {name}", { name });
      lines.forEach((line) => put($("published"), "p", line));
    });
  });
  if ($("sides")) startSides();
}

function startSides() {
  const ratios = [1, 2, 5, 10, 20, 50];
  const released = $("sides").dataset.released, right = $("right");
  let number = 0;
  if (!released) $("ratio").value = Math.max(0, ratios.indexOf(Number($("ratio").dataset.ratio)));
  async function ofRelease() {
    const shown = await ask(`api/release?doc=${number}&candidate=${encodeURIComponent(released)}`);
    draw($("left"), { text: shown.text, offset: 0 }, shown.spans, {});
    right.textContent = shown.published;
  }
  async function preview() {
    const ratio = ratios[$("ratio").value];
    $("ratio-value").textContent = ratio;
    const shown = await ask(`api/document?doc=${number}&ratio=${ratio}`);
    draw($("left"), { text: shown.text, offset: 0 }, shown.spans, {});
    right.replaceChildren();
    const characters = Array.from(shown.text);
    let at = 0;
    for (const [a, b, label, chance] of shown.spans) {
      right.append(characters.slice(at, a).join(""));
      const mark = put(right, "mark", `[${label}]`, kind(label));
      if (typeof chance === "number" && chance < 0.5) mark.classList.add("unsure");
      at = b;
    }
    right.append(characters.slice(at).join(""));
  }
  const show = released ? ofRelease : preview;
  const step = (by) => async () => {
    number = Math.max(0, number + by);
    try { await show(); } catch { number -= by; }
  };
  $("ratio")?.addEventListener("input", show);
  $("later").addEventListener("click", step(1));
  $("earlier").addEventListener("click", step(-1));
  show();
}

// --- review ----------------------------------------------------------------------------------
function startReview() {
  if (!$("approve")) return; // nothing was published yet
  const order = [...document.querySelectorAll("[data-open]")].map((b) => Number(b.dataset.open));
  let current = null, since = 0, toTheEnd = false;
  const corrections = new Map(); // by document: what this review marked; it is in the next release only
  const atEnd = () => { const box = $("text"); return box.scrollTop + box.clientHeight >= box.scrollHeight - 2; };
  $("text").addEventListener("scroll", () => { if (atEnd()) toTheEnd = true; });
  async function open(number) {
    current = await ask(`api/release?doc=${number}`);
    $("open-title").textContent = current.id;
    render();
    $("text").scrollTop = 0;
    since = performance.now(); toTheEnd = atEnd();
  }
  function render() {
    const own = corrections.get(current.doc) || [];
    draw($("text"), { text: current.text, offset: 0 }, [...current.spans, ...own], { words: current.words });
    $("as-published").textContent = current.published;
    showPages(current);
  }
  function showPages({ doc, pages = [] }) { // what was redacted, where its place is on the page that was published
    $("pages-title").hidden = !pages.length;
    $("pages").replaceChildren();
    pages.forEach((boxes, page) => {
      const sheet = put($("pages"), "div", "", "sheet");
      const picture = put(sheet, "img");
      picture.src = `api/picture?doc=${doc}&page=${page}`;
      picture.alt = sayMany(boxes.length, "Page {page} as published, {n} place redacted", "Page {page} as published, {n} places redacted", { page: count(page + 1) });
      const share = (part) => `${100 * part}%`;
      for (const [left, top, right, bottom, label] of boxes) {
        const box = put(sheet, "span", "", kind(label));
        box.classList.add("box");
        box.title = label;
        Object.assign(box.style, { left: share(left), top: share(top), width: share(right - left), height: share(bottom - top) });
      }
    });
  }
  let moving = false; // a key that is pressed before the next document is there counts once
  async function next() {
    if (moving) return;
    moving = true;
    try { await seenAndNext(); } finally { moving = false; }
  }
  async function seenAndNext() {
    if (current === null) { if (order.length) await open(order[0]); return; }
    const { to_see: left } = await ask("api/see", { doc: current.doc, seconds: (performance.now() - since) / 1000, to_the_end: toTheEnd });
    document.querySelector(`[data-seen="${current.doc}"]`).textContent = say("yes");
    news(left ? say("{n} more of the sample to see before approval.", { n: left }) : say("The sample is seen: the release can be approved."));
    const place = order.indexOf(current.doc) + 1;
    if (place < order.length) await open(order[place]); else current = null;
  }
  async function correct(a, b, marked) {
    await ask("api/answer", { do: "mark", doc: current.doc, first: a, last: b, label: marked ? "" : chosen, by: "review" });
    news(say("Kept. Publish again before approving: this release stays as it is."));
    if (!marked) corrections.set(current.doc, [...(corrections.get(current.doc) || []), [a, b, chosen, null]]);
    render();
  }
  for (const button of document.querySelectorAll("[data-open]")) button.addEventListener("click", () => open(Number(button.dataset.open)));
  chosen = labels[0];
  for (const button of document.querySelectorAll("button.kind")) button.addEventListener("click", () => { chosen = button.dataset.label; });
  $("text").addEventListener("mouseup", async (event) => {
    if (current === null) return;
    const words = selectedWords($("text"));
    const on = event.target.closest("mark, .word");
    const [a, b] = words || (on ? [Number(on.dataset.first), Number(on.dataset.last)] : [0, 0]);
    if (b <= a) return;
    await correct(a, b, Boolean(on?.closest("mark")));
  });
  $("approve").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await ask("api/approve", { initials: $("initials").value });
      $("approved").textContent = say("Approved.");
    } catch { $("approved").textContent = $("news").textContent; }
  });
  const walk = (by) => {
    const words = [...$("text").querySelectorAll(".word")];
    if (!words.length) return;
    words[cursor]?.classList.remove("cursor");
    cursor = Math.max(0, Math.min(words.length - 1, cursor + by));
    words[cursor].classList.add("cursor");
    words[cursor].scrollIntoView({ block: "nearest" });
    news(words[cursor].closest("mark") ? say("{word}, redacted", { word: words[cursor].textContent }) : words[cursor].textContent, true);
  };
  keys(async (key) => {
    if (key === "j") { cursor = -1; next(); }
    if (current !== null && (key === "ArrowRight" || key === "ArrowLeft")) walk(key === "ArrowRight" ? 1 : -1);
    if (current !== null && key === " " && cursor >= 0) {
      const word = [...$("text").querySelectorAll(".word")][cursor];
      await correct(Number(word.dataset.first), Number(word.dataset.last), word.closest("mark") !== null);
      cursor -= 1; walk(1);
    }
    if (key >= "1" && key <= "9" && labels[key - 1]) { chosen = labels[key - 1]; news(say("Label {label}", { label: chosen })); }
  });
}

// Another language shows the same place of the room.
for (const link of document.querySelectorAll(".languages a")) {
  const query = new URLSearchParams(location.search);
  query.set("language", link.lang);
  link.search = query;
}

({ label: startLabelling, audit: startLabelling, frontier: startFrontier, review: startReview })[room]?.();
