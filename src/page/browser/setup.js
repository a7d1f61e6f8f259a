// Setup works without this script. It shows that a form is being checked, and copies the text for the channel's panel.

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
  text.select();
  await navigator.clipboard.writeText(text.value).catch(() => document.execCommand("copy"));
  copy.textContent = "Copied";
});
