// Enhancements of sandbox pages: suggestions below the search, and requests that appear as they
// arrive. Without this file, submit the search and reload the page.
"use strict";

const second = 1000;

// Suggests matches for the typed search text. Choosing a suggestion opens it.
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

// Adds new rows above the existing ones. While the pointer or the focus is in the table nothing
// moves: new rows wait, and a line shows how many.
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
      // An ended session redirects to the sign-in page, which is not a list of requests.
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
