// What the pages of a sandbox do beyond their forms: a button that copies a text, suggestions below
// the search, keys for the search and for a list of the pages, and requests that appear as they
// arrive. Without this file the texts can be marked, the search sent and the page loaded again.
"use strict";

const second = 1000;

function copyButton(shown) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn low copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy " + shown.dataset.copy);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(shown.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(shown); // for the keyboard to copy
      button.textContent = "Marked";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2 * second);
  });
  shown.after(button);
}

for (const shown of document.querySelectorAll("[data-copy]")) copyButton(shown);

// What the text in the search may mean, as it is typed. To choose a suggestion opens it.
function suggest(field) {
  const list = document.createElement("datalist");
  list.id = "suggestions";
  field.after(list);
  field.setAttribute("list", list.id);
  let waiting;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    if ([...list.options].some((option) => option.value === field.value)) {
      field.form.requestSubmit();
      return;
    }
    waiting = setTimeout(async () => {
      const text = field.value;
      const answer = await fetch(field.dataset.suggest, {
        method: "POST", body: new URLSearchParams({ q: text }), redirect: "manual",
      });
      if (!answer.ok || text !== field.value) return;
      const found = await answer.json();
      list.replaceChildren(...found.map((one) => new Option(one.label, one.value)));
    }, 200);
  });
}

for (const field of document.querySelectorAll("[data-suggest]")) suggest(field);

// The pages of the navigation, filtered as one types. Enter opens the first.
function pageMenu() {
  const dialog = document.createElement("dialog");
  const field = document.createElement("input");
  const list = document.createElement("ul");
  const links = [...document.querySelectorAll(".side li a")].map((link) => link.cloneNode(true));
  dialog.className = "pages";
  field.type = "search";
  for (const named of [dialog, field]) named.setAttribute("aria-label", "Go to a page");
  const filter = () => {
    const text = field.value.trim().toLowerCase();
    const fits = links.filter((link) => link.textContent.toLowerCase().includes(text));
    list.replaceChildren(...fits.map((link) => {
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
  };
  field.addEventListener("input", filter);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") list.querySelector("a")?.click();
  });
  dialog.append(field, list);
  document.body.append(dialog);
  return () => {
    field.value = "";
    filter();
    dialog.showModal();
  };
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

// Rows are added above those that are there. While somebody points at the table or is within it
// nothing moves: the rows wait, and a line says how many.
class Arrivals {
  constructor(table) {
    this.table = table;
    this.rows = table.tBodies[0];
    this.newest = Number(table.dataset.newest);
    this.waiting = [];
    this.told = document.querySelector("#newer");
  }

  async look() {
    if (!document.hidden) {
      const asked = new URL(this.table.dataset.newer, location.href);
      asked.searchParams.set("after", this.newest);
      // A session that has ended is sent to sign in, which is no list of requests.
      const answer = await fetch(asked, { redirect: "manual" });
      if (!answer.ok) throw new Error(answer.statusText);
      this.take(await answer.text());
    }
    setTimeout(() => this.lookAgain(), 2 * second);
  }

  lookAgain() {
    this.look().catch(() => this.tell("No longer up to date. Load the page again."));
  }

  take(text) {
    const page = new DOMParser().parseFromString("<table>" + text + "</table>", "text/html");
    const rows = [...page.querySelectorAll("tr")];
    if (rows.length > 0) this.newest = Number(rows[0].dataset.id);
    this.waiting.unshift(...rows);
    if (this.waiting.length === 0) return;
    if (this.rows.matches(":hover, :focus-within")) {
      const one = this.waiting.length === 1;
      this.tell(this.waiting.length + (one ? " newer request" : " newer requests"));
      return;
    }
    this.show();
  }

  show() {
    this.rows.prepend(...this.waiting);
    this.waiting = [];
    while (this.rows.rows.length > 200) this.rows.deleteRow(-1);
    document.querySelector("#none")?.remove();
    this.tell("");
  }

  tell(text) {
    this.told.textContent = text;
    this.told.hidden = text === "";
  }
}

const table = document.querySelector("[data-newer]");
if (table) setTimeout(() => new Arrivals(table).lookAgain(), 2 * second);
