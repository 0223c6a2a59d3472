// What is fetched only when a reader asks for it: the dialog for an own model or accelerator, downloads, remembered guesses.
import { ownForm } from "./est-own-form.mjs";
import { call, say, state } from "./est-python.mjs";

export function bringDialog(widget, widgets, owned, offer) {
  const holder = document.createElement("template");
  holder.innerHTML = ownForm;
  const dialog = holder.content.firstElementChild, note = dialog.querySelector(".est-note");
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.querySelector("[data-do=close]").addEventListener("click", () => dialog.close());
  dialog.addEventListener("dragover", (event) => event.preventDefault());
  dialog.addEventListener("drop", async (event) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (file) dialog.querySelector("textarea").value = (await file.text()).slice(0, 40_000);
  });
  dialog.addEventListener("submit", async (event) => {
    event.preventDefault();
    const sent = { kind: event.target.dataset.own, ...Object.fromEntries(new FormData(event.target)) };
    try {
      const reply = JSON.parse(await call("own", JSON.stringify(sent)));
      for (const box of dialog.querySelectorAll("[aria-invalid]")) box.removeAttribute("aria-invalid");
      if (reply.error) {
        const box = event.target.elements[reply.field] ?? event.target.querySelector("input");
        note.textContent = reply.error;
        box.setAttribute("aria-invalid", "true");
        box.focus();
        return;
      }
      const record = { ...reply, sent };
      owned.push(record);
      for (const other of widgets.values()) for (const select of other.all("select[data-offer]")) offer(record, select);
      const select = widget.all("select[data-offer]").find((s) => reply.offers.includes(s.dataset.offer));
      dialog.close();
      if (select) { select.value = reply.id; widget.news = say("added", { name: reply.name }); widget.update(); }
    } catch { note.textContent = state.text; }
  });
  dialog.showModal();
}

export async function download(widget, what) {
  try {
    const reply = JSON.parse(await call("export", widget.id, JSON.stringify({ ...widget.request(true), what })));
    if (!reply.ok || !reply.text) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([reply.text], { type: reply.type }));
    link.download = reply.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  } catch { widget.show(); }
}

export function calibrate(place, store, button) {
  const known = store.get("est.guesses");
  if (known === null) return;
  call("calibration", known).then((text) => {
    place.innerHTML = text;
    place.append(" ", button(place.dataset.forget, () => { store.set("est.guesses", null); location.reload(); }));
  }, () => { place.textContent = state.text; });
}
