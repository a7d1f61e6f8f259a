// What the bot says in chat, as a bubble for some seconds. Settings stand in the address:
// seconds, side (left, right), at (bottom, top), size (small, medium, large), theme (light, dark), voice (on).

const query = new URLSearchParams(location.search);
const SECONDS_MIN = 2;
const SECONDS_MAX = 60;
const QUEUE_MAX = 3;
const seconds = Math.min(SECONDS_MAX, Math.max(SECONDS_MIN, Number(query.get("seconds")) || 8));
const bubble = document.querySelector(".bubble");
const waiting = [];
let isShowing = false;

/** Returns the value of a key in the address if it is one of these; else the first of these. */
const chosen = (name, ...all) => all.find((one) => one === query.get(name)) ?? all[0];
document.documentElement.classList.add(
  chosen("size", "medium", "small", "large"),
  chosen("theme", "light", "dark"),
);
document.body.classList.add(chosen("side", "left", "right"), chosen("at", "bottom", "top"));

const source = new EventSource(`/overlay/live${location.search}`);
source.addEventListener("said", (event) => {
  waiting.push(JSON.parse(event.data).text);
  waiting.splice(0, waiting.length - QUEUE_MAX);
  if (!isShowing) show();
});

source.addEventListener("gone", () => {
  waiting.length = 0;
  bubble.classList.remove("shown");
  bubble.textContent = "";
  globalThis.speechSynthesis?.cancel();
});

function show() {
  const text = waiting.shift();
  isShowing = text !== undefined;
  if (text === undefined) return;
  bubble.textContent = text;
  bubble.classList.add("shown");
  if (query.get("voice") === "on" && "speechSynthesis" in globalThis)
    speechSynthesis.speak(new SpeechSynthesisUtterance(text));
  setTimeout(() => {
    bubble.classList.remove("shown");
    setTimeout(() => {
      bubble.textContent = "";
      show();
    }, 400);
  }, seconds * 1_000);
}
