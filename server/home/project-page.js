import { apiKeySection } from "./api-keys.js";
import { copyButton } from "./copy.js";
import { el, icon, shortId, when } from "./dom.js";
import { environmentSection } from "./environments.js";
import { tryIt } from "./try-it.js";

/** One project: its keys, its environments, and lines to paste. */
export function showProject(page, project, me) {
  document.title = `${project.name.slice(0, 60)} · Millrace`;
  const environments = environmentSection(project, me);
  const keys = apiKeySection(project, me, environments.items);
  page.replaceChildren(
    heading(project),
    el("div", { class: "columns" }, el("div", { class: "column" }, keys.node, environments.node), tryIt()),
  );
  void environments.load().then(keys.load);
}

function heading({ id, slug, name, description, created_at }) {
  return el(
    "header",
    { class: "page-head" },
    backLink(),
    el("h1", { tabindex: -1, title: name }, name),
    description && el("p", { class: "description" }, description),
    el(
      "p",
      { class: "meta" },
      slug !== id && el("span", {}, "Slug ", el("code", {}, slug)),
      el(
        "span",
        {},
        "Id ",
        shortId(id),
        copyButton("Copy project id", () => id),
      ),
      created_at && el("span", {}, "Created ", when(created_at)),
    ),
  );
}

/** The way from a project to the list, on screens that show one at a time. */
export function backLink() {
  return el("a", { class: "back", href: "#/" }, icon("back"), "Projects");
}
