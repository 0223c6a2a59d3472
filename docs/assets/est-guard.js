// Classic on purpose: it still runs where a server sends modules with a type that browsers refuse. Then it says so.
addEventListener("error", (event) => {
  const script = event.target;
  if (!(script instanceof HTMLScriptElement) || script.type !== "module") return;
  const file = new URL(script.src).pathname.split("/").pop();
  const say = (reason) => {
    for (const place of document.querySelectorAll(".est-says")) place.textContent = `Live recalculation is unavailable: ${reason}`;
  };
  fetch(script.src).then((reply) => {
    if (!reply.ok) say(`the server answered ${reply.status} for ${file}.`);
    else say(`${file} or a file it needs was refused; the server sends it as ${reply.headers.get("content-type") ?? "no type"}.`);
  }, () => say(`${file} could not be fetched (no connection).`));
}, true);
if (location.protocol === "file:") document.documentElement.classList.add("from-disk");
