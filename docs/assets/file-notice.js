// A page opened from the disk can't start Python or load modules: browsers refuse both. Say how it can.
if (location.protocol === "file:") {
  const notice = document.createElement("p");
  notice.className = "file-notice";
  notice.setAttribute("role", "note");
  notice.textContent =
    "This page was opened from the disk. Every answer on it is complete; to move the inputs and to search, " +
    "run “python3 -m http.server” in the book's folder and open the address it prints.";
  const place = document.querySelector("article") || document.body;
  place.prepend(notice);
}
