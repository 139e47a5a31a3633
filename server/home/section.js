import { button, el, icon } from "./dom.js";

/** A card with a heading, a count and one action; `refusal` disables the action and says why. */
export function section({ title, action, refusal, onAction, body }) {
  const count = el("span", { class: "count" });
  const id = `section-${title.toLowerCase().replaceAll(" ", "-")}`;
  const heading = el("h2", { id, tabindex: -1 }, title);
  const act = button([icon("plus"), action], { onclick: onAction, disabled: refusal !== undefined });
  const reason = refusal && el("p", { class: "refusal", id: `${id}-reason` }, refusal);
  if (reason) act.setAttribute("aria-describedby", reason.id);
  const node = el(
    "section",
    { class: "card", "aria-labelledby": id },
    el("div", { class: "card-head" }, heading, count, reason, act),
    body,
  );
  const setCount = (items, hasMore) => {
    count.textContent = items.length === 0 ? "" : `${items.length}${hasMore ? "+" : ""}`;
  };
  return { node, setCount };
}

/** Why the caller may not change things here; undefined when it may. Said beside the button, which stays in sight. */
export function refusalOf(project, me, scope) {
  if (!me.permissions.includes(scope)) return `Your key does not hold ${scope}.`;
  if (me.kind === "api_key" && me.project_id !== project.id) return "Your key belongs to another project.";
  return undefined;
}
