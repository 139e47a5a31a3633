import { call } from "./api.js";
import { copyButton } from "./copy.js";
import { field, openForm, options } from "./dialogs.js";
import { button, el, say } from "./dom.js";
import { pagedList, skeletonRows } from "./paged-list.js";
import { parseVariables } from "./parse-variables.js";
import { refusalOf, section } from "./section.js";

const OPEN_UP_TO = 6;
const MASK = "••••••••";

/** The environments of a project, in the order they were made. */
export function environmentSection(project, me) {
  const rows = el("ul", { class: "environments" });
  const list = pagedList({
    path: `/v1/environments?limit=100&order=asc&project_id=${encodeURIComponent(project.id)}`,
    frame: rows,
    rows,
    present: (environment) => present(environment, list.items()),
    empty: () => el("p", { class: "empty" }, "No environment."),
    skeleton: () => skeletonRows(3),
    onItems: (items, hasMore) => card.setCount(items, hasMore),
  });
  const card = section({
    title: "Environments",
    action: "Add environment",
    refusal: refusalOf(project, me, "environments:write"),
    onAction: () => openAddEnvironment(project, list),
    body: list.node,
  });
  return { node: card.node, load: list.load, items: list.items };
}

function present({ name, slug, parent_id, variables }, all) {
  const parent = parent_id && (all.find(({ id }) => id === parent_id)?.name ?? "another environment");
  const names = Object.keys(variables).sort();
  const head = [
    el("span", { class: "environment-name", title: name }, name),
    el("code", {}, slug),
    parent && el("span", { class: "second" }, `inherits from ${parent}`),
  ];
  const count = el("span", { class: "variable-count" }, countOf(names.length));
  if (names.length === 0) return el("li", {}, el("div", { class: "environment-head" }, ...head, count));
  return el(
    "li",
    {},
    el(
      "details",
      { open: names.length <= OPEN_UP_TO },
      el("summary", { class: "environment-head" }, ...head, count),
      variableList(names, variables),
    ),
  );
}

function countOf(count) {
  if (count === 0) return "No variables";
  return count === 1 ? "1 variable" : `${count} variables`;
}

/** Names at once; values enter the document only while they are shown. */
function variableList(names, variables) {
  const values = names.map((name) => [name, el("code", { class: "value" }, MASK)]);
  let shown = false;
  const toggle = button("Show values", { class: "button quiet small", "aria-pressed": "false" });
  toggle.addEventListener("click", () => {
    shown = !shown;
    for (const [name, value] of values) value.textContent = shown ? variables[name] || "(empty)" : MASK;
    toggle.textContent = shown ? "Hide values" : "Show values";
    toggle.setAttribute("aria-pressed", String(shown));
  });
  const lines = values.map(([name, value]) =>
    el(
      "div",
      {},
      el("dt", {}, el("code", {}, name)),
      el(
        "dd",
        {},
        value,
        copyButton(`Copy the value of ${name}`, () => variables[name]),
      ),
    ),
  );
  return el("div", { class: "variables" }, el("dl", {}, ...lines), toggle);
}

function openAddEnvironment(project, list) {
  const parents = [["", "Nothing"], ...list.items().map(({ id, name }) => [id, name])];
  const lines = el("textarea", { name: "variables", rows: 5, spellcheck: "false", placeholder: "NAME=value" });
  openForm({
    title: "Add environment",
    action: "Add environment",
    fields: [
      field("Name", el("input", { name: "name", required: true, maxlength: 200, autocomplete: "off" })),
      field("Inherits variables from", el("select", { name: "parent_id" }, ...options(parents))),
      field("Variables", lines, "One NAME=value per line, as in a .env file. Stored encrypted."),
    ],
    submit: async (form) => {
      await call("POST", "/v1/environments", {
        project_id: project.id,
        name: form.get("name").trim(),
        parent_id: form.get("parent_id") || null,
        variables: parseVariables(form.get("variables")),
      });
      await list.load();
      say("Environment added.");
    },
  });
}
