// Setup works without this script. It goes on once something happened, shows that a form is being checked, and copies
// the text for the channel's panel.

const CHECK_EVERY_MS = 1_000;
/** Headers of a check: the server keeps its message for the page that is shown next. */
const CHECK = { accept: "text/html", "x-redraw": "1" };
const { waitsAt } = document.body.dataset;

/** Goes on if the page that waits would lead to another one, or to the same one with another text. */
async function check() {
  const response = await fetch(waitsAt, { headers: CHECK }).catch(() => null);
  const html = response?.ok === true ? await response.text() : "";
  const fresh = new DOMParser().parseFromString(html, "text/html");
  const isOver = html !== "" && fresh.body.dataset.waitsAt !== waitsAt;
  if (isOver) location.assign(waitsAt);
  else setTimeout(check, CHECK_EVERY_MS);
}
if (waitsAt !== undefined) setTimeout(check, CHECK_EVERY_MS);

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  // After the fields were read: a disabled button is not sent.
  setTimeout(() => {
    for (const one of document.querySelectorAll("button")) one.disabled = true;
    if (button?.dataset.busy) button.textContent = button.dataset.busy;
  });
});

// A page that comes back from the browser's memory is usable again.
addEventListener("pageshow", (event) => event.persisted && location.reload());

const copy = document.querySelector("[data-copy]");
copy?.removeAttribute("hidden");
copy?.addEventListener("click", async () => {
  const text = document.querySelector(copy.dataset.copy);
  await navigator.clipboard.writeText(text.value);
  copy.textContent = "Copied";
});
