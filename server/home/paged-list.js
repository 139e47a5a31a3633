import { call } from "./api.js";
import { button, el } from "./dom.js";
import { problemView } from "./problem-view.js";

/**
 * A list that is read page by page. `rows` receives what `present` makes of each item; `frame` holds `rows`.
 * What is shown stays while a reload is under way, and when it fails.
 */
export function pagedList({ path, frame, rows, present, empty, skeleton, onItems = () => {} }) {
  const node = el("div", { class: "paged" });
  let items = [];

  async function load() {
    if (items.length === 0) node.replaceChildren(skeleton());
    const page = await read(path, load);
    if (!page) return;
    items = page.data;
    rows.replaceChildren(...items.map(present));
    show(page);
  }

  async function loadMore(cursor, more) {
    more.disabled = true;
    const page = await read(`${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`, () =>
      loadMore(cursor, more),
    );
    more.disabled = false;
    if (!page) return;
    const added = page.data.map(present);
    items = [...items, ...page.data];
    rows.append(...added);
    show(page);
    added[0]?.querySelector("a, button, summary")?.focus();
  }

  async function read(url, retry) {
    node.setAttribute("aria-busy", "true");
    try {
      return await call("GET", url);
    } catch (problem) {
      node.querySelector(":scope > .problem")?.remove();
      node.querySelector(":scope > .skeleton")?.remove();
      node.append(problemView(problem, retry));
    } finally {
      node.removeAttribute("aria-busy");
    }
  }

  function show({ has_more, next_cursor }) {
    const more = has_more && button("Load more", { class: "button load-more" });
    if (more) more.addEventListener("click", () => loadMore(next_cursor, more));
    node.replaceChildren(...(items.length === 0 ? [empty()] : [frame, more]).filter(Boolean));
    onItems(items, Boolean(has_more));
  }

  return { node, load, items: () => items };
}

/** Grey lines in the shape of what is coming. CSS keeps them unseen for the first 200 ms. */
export function skeletonRows(count) {
  const lines = Array.from({ length: count }, () => el("div", { class: "skeleton-row" }, el("span"), el("span")));
  return el("div", { class: "skeleton", "aria-hidden": "true" }, ...lines);
}
