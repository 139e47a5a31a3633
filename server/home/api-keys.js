import { call } from "./api.js";
import { openCreateApiKey } from "./create-api-key.js";
import { openForm } from "./dialogs.js";
import { button, el, icon, say, when } from "./dom.js";
import { pagedList, skeletonRows } from "./paged-list.js";
import { refusalOf, section } from "./section.js";

const COLUMNS = ["Name", "Key", "Scopes", "Status", "Created", ""];
const MARKS = { active: "check", expired: "clock", revoked: "slash" };

/** The API keys of a project. `environments` answers those known, to name the one a key is bound to. */
export function apiKeySection(project, me, environments) {
  const refusal = refusalOf(project, me, "api-keys:write");
  const rows = el("tbody", { role: "rowgroup" });
  const list = pagedList({
    path: `/v1/api-keys?limit=50&project_id=${encodeURIComponent(project.id)}`,
    frame: table(rows),
    rows,
    present,
    empty: () => el("p", { class: "empty" }, "No API key yet. A program needs one to call the API."),
    skeleton: () => skeletonRows(2),
    onItems: (items, hasMore) => card.setCount(items, hasMore),
  });
  const card = section({
    title: "API keys",
    action: "Create API key",
    refusal,
    onAction: () => openCreateApiKey(project, me, environments(), list.load),
    body: list.node,
  });

  function present(key) {
    return el(
      "tr",
      { role: "row", "data-status": key.status },
      cell("Name", el("span", { class: "key-name", title: key.name }, key.name), boundTo(key)),
      cell("Key", el("code", {}, `${key.key_prefix}…`)),
      cell("Scopes", scopes(key.scopes)),
      cell("Status", status(key.status), expiry(key)),
      cell("Created", when(key.created_at)),
      cell("", key.status !== "revoked" && revokeButton(key)),
    );
  }

  function boundTo({ environment_id }) {
    if (environment_id === null) return undefined;
    const environment = environments().find(({ id }) => id === environment_id);
    return el("span", { class: "second" }, `${environment?.name ?? "One environment"} only`);
  }

  function revokeButton(key) {
    return button("Revoke", {
      class: "button quiet small",
      disabled: refusal !== undefined,
      title: refusal,
      "aria-label": `Revoke ${key.name}`,
      onclick: () => confirmRevoke(key),
    });
  }

  function confirmRevoke(key) {
    const isOwn = key.id === me.key_id;
    openForm({
      title: "Revoke this key?",
      danger: true,
      action: "Revoke key",
      fields: [
        el("p", { class: "wrap" }, el("strong", {}, key.name), " ", el("code", {}, `${key.key_prefix}…`)),
        el("p", {}, "Requests with this key are refused at once. This cannot be undone."),
        isOwn && el("p", {}, "You are signed in with it: you will be signed out."),
      ].filter(Boolean),
      submit: async () => {
        await call("DELETE", `/v1/api-keys/${encodeURIComponent(key.id)}?project_id=${encodeURIComponent(project.id)}`);
        await list.load();
        say("Key revoked.");
      },
    });
  }

  return { node: card.node, load: list.load };
}

/** Roles are written out: on narrow screens CSS lays the table out as cards, which would take them away. */
function table(rows) {
  const head = COLUMNS.map((name) => el("th", { scope: "col", role: "columnheader" }, name || hidden("Actions")));
  return el(
    "table",
    { class: "table", role: "table", "aria-labelledby": "section-api-keys" },
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ...head)),
    rows,
  );
}

function cell(label, ...children) {
  return el("td", { role: "cell", "data-label": label }, ...children);
}

function hidden(text) {
  return el("span", { class: "offscreen" }, text);
}

function scopes(held) {
  if (held === null || held.includes("*")) return "All";
  if (held.length === 1) return el("code", {}, held[0]);
  const names = held.map((scope) => el("li", {}, el("code", {}, scope)));
  return el("details", { class: "scopes" }, el("summary", {}, `${held.length} scopes`), el("ul", {}, ...names));
}

/** The shape says it as well as the colour; a status of a later version gets a diamond. */
function status(value) {
  return el("span", { class: "status", "data-status": value }, icon(MARKS[value] ?? "diamond"), capital(value));
}

function expiry({ status: now, expires_at }) {
  if (now !== "active" || expires_at === null) return undefined;
  return el("span", { class: "second" }, "ends ", when(expires_at));
}

function capital(word) {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
