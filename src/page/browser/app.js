import { Idiomorph } from "/assets/idiomorph.js";

// What a browser adds to the pages: forms that keep your place, search as you type, keys, and live updates.
// Every page works without this script, one load at a time.

const PAUSE_MS = 150;
const RETRY_MS = 1_000;
const TYPING_MS = 150;
const FLASH_MS = 12_000;
/** Texts are hidden after so long without the bot. */
const LOST_MS = 30_000;
/** The bot says every two seconds that it is there. */
const SILENT_MS = 4_000;
/** A short break, as in a restart, is not shown. */
const BREAK_MS = 1_500;
const UNREACHED = "The bot cannot be reached: nothing was done.";
/** Headers of a redraw: the server keeps a flash for the page that a form leads to. */
const REDRAW = { accept: "text/html", "x-redraw": "1" };

const main = () => document.querySelector("#main");
const state = {
  refreshing: false,
  /** How many forms are being sent. */
  sending: 0,
  again: false,
  asked: 0,
  /** When the bot was last heard, and since when it is not; by the clock of `performance`. */
  heardAt: performance.now(),
  lostSince: 0,
  /** Which item of the list the keys are at. */
  place: 0,
  flashAt: performance.now(),
};
/** The bot's clock minus the clock of `performance`. */
let aheadMs = Number(main().dataset.now) - performance.now();

// Drawing

function parsePage(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

/** Replaces the page by a newer one from the server, except what the user is editing. */
function draw(fresh) {
  const next = fresh.querySelector("#main");
  if (next === null) return location.reload();
  keepFlash(next);
  Idiomorph.morph(main(), next, {
    morphStyle: "outerHTML",
    // A field with the focus is left alone. A list item with the focus is drawn like any other.
    ignoreActiveValue: document.activeElement?.matches("input, textarea, select") ?? false,
    callbacks: {
      beforeNodeMorphed: (node) => !isChanged(node),
      // An open question stays open, and a form that is being sent stays locked.
      beforeAttributeUpdated: (name) => !["open", "aria-busy"].includes(name),
    },
  });
  const rail = fresh.querySelector("#rail");
  if (rail !== null)
    Idiomorph.morph(document.querySelector("#rail"), rail, { morphStyle: "outerHTML" });
  document.title = fresh.title;
  aheadMs = Number(next.dataset.now) - performance.now();
}

/** Copies the flash of the page into the next one, for 12 seconds in all, unless the next has its own. */
function keepFlash(next) {
  const flash = document.querySelector("#flash");
  if (next.querySelector("#flash") !== null) state.flashAt = performance.now();
  else if (flash !== null && performance.now() - state.flashAt < FLASH_MS)
    next.prepend(flash.cloneNode(true));
}

/** True if the user changed this field of a form that is not sent yet. A search is sent at once. */
function isChanged(node) {
  if (!["INPUT", "TEXTAREA", "SELECT"].includes(node.tagName) || node.type === "hidden")
    return false;
  if (node.form?.matches("[data-search]")) return false;
  if (node.type === "checkbox") return node.checked !== node.defaultChecked;
  if (node.tagName !== "SELECT") return node.value !== node.defaultValue;
  return [...node.options].some((one) => one.selected !== one.defaultSelected);
}

function isPage(response) {
  return (response.headers.get("content-type") ?? "").startsWith("text/html");
}

/**
 * Loads and draws a page, unless a later load began since. Shows the error of a wrong address as a flash. Returns false
 * if the answer was no page.
 */
async function load(url) {
  state.asked += 1;
  const mine = state.asked;
  const response = await fetch(url, { headers: REDRAW });
  if (response.status === 401) location.reload();
  const html = await response.text();
  if (!isPage(response) || mine !== state.asked) return isPage(response);
  const fresh = parsePage(html);
  if (response.status !== 400) draw(fresh);
  // Usually half a word in a filter: the form stays, and the next page removes this flash.
  else showError(fresh.querySelector("h1").textContent, -FLASH_MS);
  return true;
}

/** Redraws the page, then pauses. Calls until then cause one more redraw. A failed one is retried after a second. */
function refresh() {
  // While a form is sent, its item must not be redrawn as another's: its buttons are off.
  state.again = state.refreshing || state.sending > 0;
  if (state.again) return;
  state.refreshing = true;
  void load(location.href)
    .catch(() => false)
    .then((isDrawn) => {
      state.again ||= !isDrawn;
      setTimeout(endPause, isDrawn ? PAUSE_MS : RETRY_MS);
    });
}

function endPause() {
  state.refreshing = false;
  if (state.again) refresh();
}

// Forms

/** Sends a form, and draws the page that it leads to. A refused form keeps its fields. Rejects if the bot is gone. */
async function submit(form, submitter) {
  const fields = new URLSearchParams(new FormData(form, submitter));
  const place = items().indexOf(form.closest("[data-item]"));
  const response = await fetch(form.action, {
    method: "POST",
    headers: { accept: "text/html" },
    body: fields,
  });
  if (response.ok && form.matches('[action="/api/quit"]')) return showEnd();
  const html = await response.text();
  if (!isPage(response) || !response.redirected) return showError(html);
  if (new URL(response.url).pathname !== location.pathname)
    history.pushState(null, "", response.url);
  const fresh = parsePage(html);
  // A refused form stays as it was typed.
  if (fresh.querySelector("#flash.wrong") === null) {
    if (!form.matches("[data-keep]")) form.reset();
    closeQuestions();
  }
  state.asked += 1;
  draw(fresh);
  if (place >= 0) choose(place);
  // Keyboard users go on from here, not from the top.
  if (document.activeElement === document.body) main().focus({ preventScroll: true });
}

/** Closes open questions. Returns true if there was one. */
function closeQuestions() {
  const asked = [...main().querySelectorAll("details.confirm[open]")];
  for (const one of asked) one.open = false;
  return asked.length > 0;
}

/** Shows an error, as text or as the API's JSON, as a flash. It lasts for 12 seconds from `flashAt`. */
function showError(text, flashAt = performance.now()) {
  document.querySelector("#flash")?.remove();
  const flash = document.createElement("div");
  flash.id = "flash";
  flash.className = "flash wrong";
  flash.setAttribute("role", "status");
  flash.textContent = readErrorText(text);
  state.flashAt = flashAt;
  main().prepend(flash);
}

/** Returns the message in the JSON of an error; of another text its first 200 characters. */
function readErrorText(text) {
  try {
    return JSON.parse(text).error.message;
  } catch {
    return text.slice(0, 200) || "This failed.";
  }
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.matches("[data-search]")) {
    event.preventDefault();
    return search(form);
  }
  if (form.method !== "post") return undefined;
  event.preventDefault();
  // A second click while the form is sent does nothing.
  if (form.ariaBusy === "true") return undefined;
  form.ariaBusy = "true";
  state.sending += 1;
  // A load that began before is not drawn.
  state.asked += 1;
  await submit(form, event.submitter).catch(() => showError(UNREACHED));
  state.sending -= 1;
  form.ariaBusy = null;
  if (state.again) refresh();
  return undefined;
});

/** Puts the filters into the address, and loads what they find. */
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
  const { checked } = event.target;
  if (event.target.matches("[data-all]"))
    for (const box of document.querySelectorAll('[form="bulk"]')) box.checked = checked;
});

// Keys: j and k go through a list, letters press the buttons of the chosen item, numbers change the view.

const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
const items = () => [...document.querySelectorAll("[data-item]")];
const chosen = () => document.activeElement?.closest("[data-item]") ?? null;
const keyList = document.querySelector("#keys");

/** Focuses the item of the list at `place`, or the nearest. */
function choose(place) {
  const all = items();
  state.place = Math.max(0, Math.min(place, all.length - 1));
  const item = all[state.place];
  item?.focus({ preventScroll: true });
  item?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === "Escape" && !keyList.open && !closeQuestions()) document.activeElement?.blur();
  if (target.matches("input:not([type=checkbox]), textarea, select")) return;
  if (!keyList.open) press(event);
  else if (key === "?") keyList.close();
});

/** Does what a key is for: goes to the next item, searches, or clicks a button. */
function press(event) {
  const { key } = event;
  const isStep = key in STEPS && items().length > 0 && !event.target.matches(".chat");
  const pressed = key === "/" ? document.querySelector("form[data-search] input") : buttonFor(key);
  if (!isStep && pressed === null) return;
  event.preventDefault();
  if (isStep) choose(chosen() === null ? state.place : items().indexOf(chosen()) + STEPS[key]);
  else if (key === "/") pressed.focus();
  else pressed.click();
}

/**
 * Returns the button for a key: in the chosen item (else the one that was chosen last, or the first), in the flash or
 * in the rail. Null if there is none.
 */
function buttonFor(key) {
  const wanted = `[data-key="${CSS.escape(key)}"]`;
  const item = chosen() ?? items()[Math.min(state.place, items().length - 1)];
  return item?.querySelector(wanted) ?? document.querySelector(`#flash ${wanted}, #rail ${wanted}`);
}

document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-keys]")) keyList.showModal();
});

// A view to go through by keys begins at its first item.
if (main().dataset.begin !== undefined) choose(0);

// Live updates: the server names the topics that changed, and a page that shows one of them redraws.

/** One tab listens and informs the others: a browser opens only six connections to a server. */
const tabs = new BroadcastChannel("news");
tabs.addEventListener("message", ({ data }) => receive(data));

/** Gives news to this tab and to the others. */
function publish(news) {
  receive(news);
  tabs.postMessage(news);
}

/** Takes news: the bot is lost, or it was heard and these topics changed. Redraws the page if it shows one. */
function receive({ topics = [], isLost = false }) {
  if (isLost) state.lostSince ||= performance.now();
  else {
    state.heardAt = performance.now();
    if (state.lostSince > 0) refresh();
    state.lostSince = 0;
    showConnection();
  }
  const shown = (main().dataset.live ?? "").split(" ");
  if (topics.some((topic) => shown.includes(topic))) refresh();
  if (topics.includes("people")) document.querySelector("#flash[data-expires]")?.remove();
}

/** Shows since when the bot is not reachable, or hides that once it is. */
function showConnection() {
  const lostMs = state.lostSince === 0 ? 0 : performance.now() - state.lostSince;
  const isLost = lostMs > BREAK_MS;
  const note = document.querySelector("#lost");
  document.body.classList.toggle("lost", isLost);
  if (note.hidden !== isLost) return;
  note.hidden = !isLost;
  const since = new Date(Date.now() - lostMs).toTimeString().slice(0, 5);
  note.textContent = `Not reachable since ${since}. Start the bot again: this page then goes on by itself.`;
}

/** Says that the user ended the bot. */
function showEnd() {
  state.lostSince = performance.now() - BREAK_MS - 1;
  showConnection();
  document.querySelector("#lost").textContent =
    "The bot has ended. Start it again: this page then goes on by itself.";
}

/** Connects to the changes of the bot, again and again. */
function listen() {
  // The first redraw shows changes between the drawing of the page and this connection.
  state.lostSince ||= performance.now();
  const source = new EventSource("/api/live");
  source.addEventListener("change", (event) => publish({ topics: JSON.parse(event.data).topics }));
  for (const name of ["open", "here"]) source.addEventListener(name, () => publish({}));
  source.addEventListener("error", () => {
    publish({ isLost: true });
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2_000);
  });
}

/** With the lock, listens until the tab is closed. Without it, waits until the listening tab is gone. */
function takeTurn(lock) {
  if (lock !== null) {
    listen();
    return new Promise(() => undefined);
  }
  refresh();
  void navigator.locks.request("news", (own) => {
    // Every tab redraws once this one listens, to show changes in between.
    publish({ isLost: true });
    return takeTurn(own);
  });
  return undefined;
}

void navigator.locks.request("news", { ifAvailable: true }, takeTurn);
addEventListener("popstate", refresh);
addEventListener("pageshow", (event) => event.persisted && refresh());

setInterval(() => {
  const nowMs = aheadMs + performance.now();
  for (const node of document.querySelectorAll("[data-until]")) {
    const left = Math.max(0, Math.round((Number(node.dataset.until) - nowMs) / 1_000));
    node.textContent = left === 0 ? "over" : `${left} s left`;
  }
  if (performance.now() - state.heardAt > SILENT_MS) state.lostSince ||= state.heardAt;
  showConnection();
  // After a lost connection nothing tells whether a text was deleted, so texts are hidden.
  if (state.lostSince === 0 || performance.now() - state.lostSince <= LOST_MS) return;
  for (const node of document.querySelectorAll("[data-expires]"))
    node.textContent = "not connected";
}, 1_000);
