import { call, Problem } from "./api.js";
import { field, openForm, options } from "./dialogs.js";
import { el, say } from "./dom.js";
import { openSecretOnce } from "./secret-once.js";

const LIFETIMES = [
  ["", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
];

const NO_SCOPE = {
  title: "No scope is chosen",
  detail: "A key that may do nothing is of no use.",
  remedy: "Tick at least one scope, or choose all that you may do.",
};

export function openCreateApiKey(project, me, environments, onCreated) {
  const boundTo = environments.find(({ id }) => id === me.environment_id);
  const offered = boundTo ? [[boundTo.id, boundTo.name]] : [["", "Every environment"], ...environments.map(pair)];
  openForm({
    title: "Create API key",
    action: "Create key",
    fields: [
      field(
        "Name",
        el("input", { name: "name", required: true, maxlength: 200, autocomplete: "off" }),
        "For people: what uses it.",
      ),
      field("Environment", el("select", { name: "environment_id" }, ...options(offered))),
      field("Expires", el("select", { name: "expires_in_days" }, ...options(LIFETIMES))),
      scopeChoice(me.permissions),
    ],
    submit: async (form) => {
      const { key } = await call("POST", "/v1/api-keys", bodyOf(form, project));
      show(key, onCreated);
    },
  });
}

function bodyOf(form, project) {
  const days = form.get("expires_in_days");
  const scopes = form.get("reach") === "some" ? form.getAll("scopes") : null;
  if (scopes?.length === 0) throw new Problem(NO_SCOPE);
  return {
    project_id: project.id,
    name: form.get("name").trim(),
    environment_id: form.get("environment_id") || null,
    expires_in_days: days ? Number(days) : null,
    scopes,
  };
}

function show(key, onCreated) {
  onCreated();
  openSecretOnce({
    title: "API key created",
    intro: "Copy the key now: only its hash is kept, so it is shown this once.",
    label: "API key",
    secret: key,
    lines: [
      ["Set it in your shell", `export MILLRACE_API_KEY=${key}`],
      ["Test it", `curl -s ${location.origin}/v1/me \\\n  -H "Authorization: Bearer ${key}"`],
    ],
    onClose: () => say("Key created."),
  });
}

/** All that the creator holds, or some of it. Nobody can give away more. */
function scopeChoice(permissions) {
  const boxes = permissions.map((scope) =>
    el(
      "label",
      { class: "check" },
      el("input", { type: "checkbox", name: "scopes", value: scope }),
      el("code", {}, scope),
    ),
  );
  const some = el("div", { class: "scope-list", hidden: true }, ...boxes);
  const reach = (value, label, checked) =>
    el("label", { class: "check" }, el("input", { type: "radio", name: "reach", value, checked }), label);
  return el(
    "fieldset",
    {
      class: "field",
      onchange: ({ target }) => {
        if (target.name === "reach") some.hidden = target.value !== "some";
      },
    },
    el("legend", {}, "May do"),
    reach("all", "All that I may do", true),
    reach("some", "Only some of it", false),
    some,
  );
}

function pair({ id, name }) {
  return [id, name];
}
