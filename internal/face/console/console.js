// Enhancements of every page: buttons that copy a text, a check box that selects a whole list, and keys
// for the search and for a list of the pages. It sends no requests. Without it, texts can be selected
// and pages reached by mouse.
"use strict";

function copyButton(shown) {
  const button = document.createElement("button");
  const say = (word) => {
    button.textContent = word;
    button.setAttribute("aria-label", word + " " + shown.dataset.copy);
  };
  button.type = "button";
  button.className = "btn low copy";
  say("Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(shown.dataset.text ?? shown.textContent);
      say("Copied");
    } catch {
      getSelection().selectAllChildren(shown); // for the keyboard to copy
      say("Marked");
    }
    setTimeout(say, 2000, "Copy");
  });
  shown.after(button);
}

if (navigator.clipboard) { // undefined on a page from another host over plain HTTP
  for (const shown of document.querySelectorAll("[data-copy]")) copyButton(shown);
}

// A check box in the head of a list selects all of its rows.
for (const head of document.querySelectorAll("th.pick")) {
  const all = document.createElement("input");
  all.type = "checkbox";
  all.setAttribute("aria-label", "Select all");
  all.addEventListener("change", () => {
    for (const box of head.closest("table").querySelectorAll("td.pick input")) box.checked = all.checked;
  });
  head.append(all);
}

// The pages of the navigation, filtered by the typed text. Enter opens the first, arrow keys move
// through them, Escape clears the text and then closes the list.
function pageMenu() {
  const dialog = document.createElement("dialog");
  const field = document.createElement("input");
  const named = document.createElement("label");
  const list = document.createElement("ul");
  const told = document.createElement("p");
  const links = [...document.querySelectorAll(".side li > :first-child")].map((link) => link.cloneNode(true));
  dialog.className = "pages";
  field.type = "search";
  field.placeholder = "Name of a page";
  named.append("Go to a page", field);
  dialog.setAttribute("aria-label", "Go to a page");
  told.setAttribute("role", "status");
  const filter = () => {
    const text = field.value.trim().toLowerCase();
    const fits = links.filter((link) => link.textContent.toLowerCase().includes(text));
    list.replaceChildren(...fits.map((link) => {
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
    told.textContent = fits.length ? "" : "No page matches.";
  };
  const clear = () => {
    field.value = "";
    filter();
    field.focus();
  };
  field.addEventListener("input", filter);
  dialog.addEventListener("keydown", (event) => {
    if (event.isComposing || event.shiftKey) return;
    const stops = [field, ...list.querySelectorAll("a")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && event.target === field) stops[1]?.click();
    if (!step && event.key !== "Escape") return;
    event.preventDefault(); // browsers differ in what Escape does to a search field in a dialog
    if (step) stops.at((stops.indexOf(event.target) + step) % stops.length).focus();
    else if (field.value) clear();
    else dialog.close();
  });
  dialog.append(named, list, told);
  document.body.append(dialog);
  return () => {
    if (!dialog.open) dialog.showModal();
    clear();
  };
}

// Puts what is chosen into the command of an act: the value of a flag, or the flag of a check box.
function nameChoices() {
  const command = document.querySelector(".cmd code");
  for (const choice of document.querySelectorAll("[data-flag]")) {
    const flag = choice.dataset.flag;
    if (choice.type === "radio") {
      if (!choice.checked) continue;
      const given = new RegExp(flag + " (\\\\'|'[^']*'|\\S)+"); // the value may be quoted
      command.textContent = command.textContent.replace(given, flag + " " + choice.value);
      continue;
    }
    command.textContent = command.textContent.replace(flag + " ", "");
    if (choice.checked) command.textContent = command.textContent.replace("--reason ", flag + " $&");
  }
}

nameChoices();
document.querySelector("form.ask")?.addEventListener("change", nameChoices);

// A form is not sent with a file that would be refused for its size: its entries would be lost.
for (const file of document.querySelectorAll("input[data-most]")) {
  file.addEventListener("change", () => {
    const most = Number(file.dataset.most);
    const tooLarge = [...file.files].some((chosen) => chosen.size > most);
    file.setCustomValidity(tooLarge ? "The file is larger than " + (most >> 20) + " MB." : "");
    file.reportValidity();
  });
}

const openPages = pageMenu();
const search = document.querySelector(".find input");
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea, select");
  if (event.key === "/" && !typing && search && !document.querySelector("dialog[open]")) {
    event.preventDefault();
    search.focus();
  }
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    openPages();
  }
});
