import { Idiomorph } from "/assets/idiomorph.js";

// What a browser adds to the pages: forms that keep your place, search as you type, keys, and news as it happens.
// Every page works without this, one load at a time.

const REFRESH_MS = 30;
const PAUSE_MS = 150;
const AGAIN_MS = 1_000;
const TYPING_MS = 150;
const WORD_MS = 12_000;
const LOST_MS = 30_000;
/** Word of what was done is for the page that a form leads to, and not for one that is only drawn anew. */
const DRAWN_ANEW = { accept: "text/html", "x-drawn-anew": "1" };

const main = () => document.querySelector("#main");
const csrf = () => document.querySelector('meta[name="csrf"]')?.content ?? "";
const state = {
  refreshing: false,
  again: false,
  asked: 0,
  lostSince: 0,
  wordAt: performance.now(),
};
const clock = { pageMs: Number(main()?.dataset.now ?? 0), atMs: performance.now() };

/** Puts what the server drew in the place of what is shown, and leaves alone what a person is at. */
function draw(fresh) {
  const next = fresh.querySelector("#main");
  if (next === null) return location.reload();
  keepWord(next);
  const keep = {
    // What comes by a request of its own is replaced by that one alone.
    beforeNodeMorphed: (node, fresh) =>
      !(isTyped(node) && node.tagName === "TEXTAREA") &&
      !isChosen(node) &&
      !isLoaded(node, fresh) &&
      !isTried(node, fresh),
    beforeAttributeUpdated: (name, node) =>
      !(name === "open" && node.tagName === "DETAILS") && !(name === "value" && isTyped(node)),
  };
  Idiomorph.morph(main(), next, {
    morphStyle: "outerHTML",
    // Of what is being typed in nothing is touched; an item of a list that is merely chosen is drawn as any other.
    ignoreActiveValue: document.activeElement?.matches("input, textarea, select") ?? false,
    callbacks: keep,
  });
  const rail = fresh.querySelector("#rail");
  if (rail !== null)
    Idiomorph.morph(document.querySelector("#rail"), rail, { morphStyle: "outerHTML" });
  document.title = fresh.title;
  clock.pageMs = Number(next.dataset.now);
  clock.atMs = performance.now();
  loadParts();
}

function parsed(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

/** Fetches what the server takes longer to count, and puts it in its place. `again`: what is there already, too. */
function loadParts(again = false) {
  for (const place of document.querySelectorAll("[data-load]")) {
    if (place.dataset.loaded === place.dataset.load && !again) continue;
    const url = place.dataset.load;
    place.dataset.loaded = url;
    fetch(url, { headers: DRAWN_ANEW })
      .then((response) => response.text())
      .then((html) => {
        const part = parsed(html).querySelector("#main");
        if (part !== null && place.dataset.loaded === url)
          place.replaceChildren(...part.childNodes);
      })
      .catch(() => delete place.dataset.loaded);
  }
}

function isLoaded(node, fresh) {
  return node.dataset?.loaded !== undefined && node.dataset.loaded === fresh.dataset?.load;
}

/** An answer that was tried out in this view. */
function isTried(node, fresh) {
  return node.dataset?.tried === location.pathname && fresh.dataset?.tried !== undefined;
}

/** Word of what was done stays a while, also when the page is drawn anew meanwhile. */
function keepWord(next) {
  const word = document.querySelector("#flash");
  if (next.querySelector("#flash") !== null) state.wordAt = performance.now();
  else if (word !== null && performance.now() - state.wordAt < WORD_MS)
    next.prepend(word.cloneNode(true));
}

function isTyped(node) {
  return (
    (node.tagName === "INPUT" || node.tagName === "TEXTAREA") &&
    node.type !== "hidden" &&
    node.value !== node.defaultValue
  );
}

/** Ticked or chosen by a person, in a form that is not sent yet. A search is sent at once. */
function isChosen(node) {
  if (node.form?.matches("[data-search]")) return false;
  if (node.type === "checkbox") return node.checked !== node.defaultChecked;
  return (
    node.tagName === "SELECT" &&
    [...node.options].some((one) => one.selected !== one.defaultSelected)
  );
}

/** Also one that says that something is gone: then it leaves what is shown. */
function isPage(response) {
  return (response.headers.get("content-type") ?? "").startsWith("text/html");
}

/** Whether there was a page to show. */
async function load(url) {
  state.asked += 1;
  const mine = state.asked;
  const response = await fetch(url, { headers: DRAWN_ANEW });
  if (response.status === 401) location.reload();
  const html = await response.text();
  if (!isPage(response) || mine !== state.asked) return isPage(response);
  const fresh = parsed(html);
  if (response.status !== 400) draw(fresh);
  // Half a word, as a rule: the form stays, and this goes with the next page.
  else complain(fresh.querySelector("h1").textContent, -WORD_MS);
  return true;
}

/**
 * Draws the page anew, soon, and then not again for a while; what comes meanwhile is seen by the next. One that does not
 * come is asked for again: what it was to show is not told a second time.
 */
function refresh() {
  if (state.refreshing) {
    state.again = true;
    return;
  }
  state.refreshing = true;
  state.again = false;
  setTimeout(async () => {
    const isDrawn = await load(location.href).catch(() => false);
    setTimeout(
      () => {
        state.refreshing = false;
        if (state.again || !isDrawn) refresh();
      },
      isDrawn ? PAUSE_MS : AGAIN_MS,
    );
  }, REFRESH_MS);
}

async function submit(form, submitter) {
  const fields = new URLSearchParams(new FormData(form, submitter));
  const choice = itemOf(form);
  const response = await fetch(form.action, {
    method: "POST",
    headers: { accept: "text/html", "x-csrf-token": csrf() },
    body: fields,
  });
  const html = await response.text();
  if (!isPage(response) || !response.redirected) return complain(html);
  if (new URL(response.url).pathname !== location.pathname)
    history.pushState(null, "", response.url);
  const fresh = parsed(html);
  // What was refused stays as it was typed.
  if (fresh.querySelector("#flash.wrong") === null) {
    form.reset();
    closeQuestions();
  }
  state.asked += 1;
  draw(fresh);
  if (choice !== null) chooseAt(choice);
  // Who goes by keys goes on from here, and not from the top.
  if (document.activeElement === document.body) main().focus({ preventScroll: true });
}

/** Whether one was open. */
function closeQuestions() {
  const asked = [...main().querySelectorAll("details.confirm[open]")];
  for (const one of asked) one.open = false;
  return asked.length > 0;
}

const UNREACHED = "The bot cannot be reached: nothing was done.";

function complain(text, wordAt = performance.now()) {
  document.querySelector("#flash")?.remove();
  const word = document.createElement("div");
  word.id = "flash";
  state.wordAt = wordAt;
  word.className = "flash wrong";
  word.setAttribute("role", "status");
  word.textContent = messageIn(text);
  main().prepend(word);
}

function messageIn(text) {
  try {
    return JSON.parse(text).error.message;
  } catch {
    return text.slice(0, 200) || "This failed.";
  }
}

const sending = new WeakSet();
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" && !form.matches("[data-try], [data-search]")) return undefined;
  event.preventDefault();
  if (form.matches("[data-try]")) return void tryOut(form);
  if (form.matches("[data-search]")) return search(form);
  // A second click on what is under way asks nothing more.
  if (sending.has(form)) return undefined;
  sending.add(form);
  return void submit(form, event.submitter)
    .catch(() => complain(UNREACHED))
    .finally(() => sending.delete(form));
});

/** Asks what the bot would answer. Nothing of it is kept, here or there. */
async function tryOut(form) {
  const out = form.querySelector("[data-tried]");
  const button = form.querySelector("button");
  const { _csrf, ...asked } = Object.fromEntries(new FormData(form));
  out.dataset.tried = location.pathname;
  out.className = "quote soft";
  out.textContent = "…";
  button.disabled = true;
  try {
    const response = await fetch("/api/try", {
      method: "POST",
      headers: { "content-type": "application/json", "x-csrf-token": _csrf },
      body: JSON.stringify(asked),
    });
    const told = await response.json();
    out.className = told.text ? "quote" : "quote soft";
    out.textContent = told.text ?? told.error?.message ?? `It would say nothing: ${told.reason}.`;
  } catch {
    out.textContent = UNREACHED;
  } finally {
    button.disabled = false;
  }
}

/** It may have been about somebody who is forgotten now. */
function dropTried() {
  for (const out of document.querySelectorAll("[data-tried]")) out.textContent = "";
}

function search(form) {
  const query = new URLSearchParams(new FormData(form));
  for (const [key, value] of [...query]) if (value === "") query.delete(key);
  const url = `${form.getAttribute("action")}${query.size > 0 ? `?${query}` : ""}`;
  history.replaceState(null, "", url);
  return load(url).catch(() => undefined);
}

let typing = 0;
document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-search]");
  if (form === null) return;
  clearTimeout(typing);
  typing = setTimeout(() => search(form), TYPING_MS);
});

document.addEventListener("change", (event) => {
  const file = event.target;
  if (!file.matches("input[type=file][data-into]")) return;
  file.files[0]?.text().then((text) => {
    document.getElementById(file.dataset.into).value = text;
  });
});

// Keys: j and k go through a list, letters press the buttons of what is chosen, numbers change the view.

const items = () => [...document.querySelectorAll("[data-item]")];
const chosen = () => document.activeElement?.closest("[data-item]") ?? null;

function itemOf(node) {
  const item = node.closest("[data-item]");
  return item === null ? null : items().indexOf(item);
}

function chooseAt(place) {
  const all = items();
  const item = all[Math.min(place, all.length - 1)];
  item?.focus();
  item?.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const now = chosen();
  chooseAt(now === null ? 0 : Math.max(0, items().indexOf(now) + by));
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && !closeQuestions()) document.activeElement?.blur();
  if (!event.target.matches("input, textarea, select")) pressed(event);
});

const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

function pressed(event) {
  const { key } = event;
  if (key in STEPS) return moved(event, STEPS[key]);
  const target = key === "/" ? document.querySelector("form[data-search] input") : buttonFor(key);
  if (target === null) return undefined;
  event.preventDefault();
  return key === "/" ? target.focus() : target.click();
}

function buttonFor(key) {
  const wanted = `[data-key="${CSS.escape(key)}"]`;
  const inItem = chosen()?.querySelector(wanted) ?? null;
  return inItem ?? document.querySelector(`#flash ${wanted}, #rail ${wanted}`);
}

function moved(event, by) {
  if (items().length === 0) return;
  event.preventDefault();
  step(by);
}

// News: the server says what kind of thing changed, and the page is drawn anew if it shows such a thing.

/** Of all tabs one listens, and tells the others: a browser keeps few connections to a place, and each page needs some. */
const tabs = new BroadcastChannel("news");
tabs.addEventListener("message", ({ data }) => heard(data));

function tell(news) {
  heard(news);
  tabs.postMessage(news);
}

function heard({ topics, isLost }) {
  if (isLost) state.lostSince ||= performance.now();
  if (isLost !== false) return changed(topics ?? []);
  if (state.lostSince > 0) refresh();
  state.lostSince = 0;
}

function changed(topics) {
  const shown = (main().dataset.live ?? "").split(" ");
  if (topics.some((topic) => shown.includes(topic))) refresh();
  if (topics.includes("texts")) loadParts(true);
  if (topics.includes("people")) dropTried();
}

function listen() {
  // What changed since the page was drawn is seen by drawing it anew, once this one hears.
  state.lostSince ||= performance.now();
  const source = new EventSource("/api/live");
  source.addEventListener("change", (event) => tell({ topics: JSON.parse(event.data).topics }));
  source.addEventListener("open", () => tell({ isLost: false }));
  source.addEventListener("error", () => {
    tell({ isLost: true });
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2_000);
  });
}

/** Listens for as long as this tab is there; behind one that listens already, once that one is gone. */
function takeTurn(lock) {
  if (lock !== null) {
    listen();
    return new Promise(() => undefined);
  }
  refresh();
  void navigator.locks.request("news", (own) => {
    // What came in between is seen by drawing anew, in every tab, once this one hears again.
    tell({ isLost: true });
    return takeTurn(own);
  });
  return undefined;
}

if (main()?.dataset.live !== undefined) {
  // Only a page on this machine, or by https, may ask for a lock.
  if (navigator.locks === undefined) listen();
  else void navigator.locks.request("news", { ifAvailable: true }, takeTurn);
}
loadParts();
addEventListener("popstate", refresh);
addEventListener("pageshow", (event) => event.persisted && refresh());

setInterval(() => {
  const nowMs = clock.pageMs + (performance.now() - clock.atMs);
  for (const node of document.querySelectorAll("[data-until]")) {
    const left = Math.max(0, Math.round((Number(node.dataset.until) - nowMs) / 1_000));
    node.textContent = left === 0 ? "over" : `${left} s`;
  }
  // Nobody can say any more whether a text still lives: then it is not shown.
  if (state.lostSince === 0 || performance.now() - state.lostSince <= LOST_MS) return;
  for (const node of document.querySelectorAll("[data-mortal]")) node.textContent = "not connected";
  dropTried();
}, 1_000);
