import { openCreateProject } from "./create-project.js";
import { button, el, icon } from "./dom.js";
import { pagedList, skeletonRows } from "./paged-list.js";

/** The projects the caller may see, newest first. */
export function projectRail(me, { onFirstPage }) {
  const rows = el("ul", { class: "rail-list" });
  const count = el("span", { class: "count" });
  const mayCreate = me.kind === "internal_secret";
  let marked;
  let isUnread = true;

  const list = pagedList({
    path: "/v1/projects?limit=50",
    frame: rows,
    rows,
    present,
    empty,
    skeleton: () => skeletonRows(4),
    onItems,
  });

  function onItems(projects, hasMore) {
    count.textContent = projects.length > 0 ? `${projects.length}${hasMore ? "+" : ""}` : "";
    mark(marked);
    const wasUnread = isUnread;
    isUnread = false;
    if (wasUnread) onFirstPage(projects);
  }

  function present({ slug, name }) {
    return el(
      "li",
      {},
      el(
        "a",
        { class: "rail-item", href: `#/p/${encodeURIComponent(slug)}`, "data-slug": slug, title: name },
        el("span", { class: "rail-name" }, name),
        el("code", {}, slug),
      ),
    );
  }

  function empty() {
    return el("div", { class: "empty" }, el("p", {}, mayCreate ? "No project yet." : "This key sees no project."));
  }

  function mark(slug) {
    marked = slug;
    for (const link of rows.querySelectorAll("a")) {
      if (link.dataset.slug === slug) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  const create = () => openCreateProject(created);

  async function created(project) {
    await list.load();
    location.hash = `#/p/${encodeURIComponent(project.slug)}`;
  }

  const add = button([icon("plus"), "New project"], {
    class: "button small",
    onclick: create,
  });
  const node = el(
    "nav",
    { class: "rail", "aria-label": "Projects" },
    el("div", { class: "rail-head" }, el("h2", {}, "Projects"), count, mayCreate && add),
    list.node,
  );
  return {
    node,
    mark,
    create: mayCreate && create,
    load: me.permissions.includes("projects:read")
      ? list.load
      : () => showOwnOnly(list.node, me, onItems, rows, present),
    find: (slug) => list.items().find((project) => project.slug === slug) ?? ownProject(me, slug),
    isUnread: () => isUnread,
    isEmpty: () => list.items().length === 0,
  };
}

/** A key without projects:read may still look after keys and environments of its own project, by its id. */
function ownProject(me, slug) {
  if (me.permissions.includes("projects:read") || slug !== me.project_id) return undefined;
  return { id: me.project_id, slug: me.project_id, name: "Project of this key", description: null };
}

function showOwnOnly(node, me, onItems, rows, present) {
  const own = ownProject(me, me.project_id);
  rows.replaceChildren(present(own));
  node.replaceChildren(rows);
  onItems([own], false);
}
