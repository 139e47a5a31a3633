import { printableText } from "@millrace/contract/schema/printable-text";
import type { Cli } from "../cli.ts";
import { plural } from "../output/plural.ts";
import type { FieldChange } from "./field-changes.ts";
import type { Action, Change, Plan } from "./make-plan.ts";

const MARKS: Record<Action, string> = { create: "+", update: "~", replace: "-/+", delete: "-", reset: "-" };
const MAX_SHOWN = 80;

/** The plan for programs: stable names, no secrets. */
export function planJson(plan: Plan) {
  return {
    owner: plan.owner,
    changes: plan.changes.map(({ action, item, fields, notes }) => {
      return { action, kind: item.kind.kind, key: item.key, fields, notes };
    }),
    ...{ unchanged: plan.unchanged, unmanaged: plan.unmanaged, missing: plan.missing, problems: plan.problems },
  };
}

export function printPlan(cli: Cli, plan: Plan, deletes: boolean): void {
  const paint: Record<Action, (text: string) => string> = {
    ...{ create: cli.colors.green, update: cli.colors.yellow, replace: cli.colors.yellow },
    ...{ delete: cli.colors.red, reset: cli.colors.red },
  };
  for (const change of plan.changes) {
    const [head = "", ...rest] = linesOf(change);
    cli.write(`${[paint[change.action](head), ...rest].join("\n")}\n`);
  }
  for (const line of remarksOf(plan, deletes)) cli.say(line);
}

function linesOf({ action, item, fields, notes }: Change): string[] {
  const what = `${MARKS[action]} ${item.kind.kind} ${printableText(item.key)}`;
  return [
    action === "reset" ? `${what} (reset to its defaults)` : what,
    ...fields.map((change) => `    ${fieldLine(change)}`),
    ...notes.map((note) => `    ! ${printableText(note)}`),
  ];
}

function fieldLine({ field, old, new: now }: FieldChange): string {
  if (old === null || old === undefined) return `+ ${field}: ${brief(now)}`;
  if (now === null || now === undefined) return `- ${field}: ${brief(old)}`;
  return `~ ${field}: ${brief(old)} → ${brief(now)}`;
}

function brief(value: unknown): string {
  const text = printableText(typeof value === "string" ? value : JSON.stringify(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function remarksOf({ changes, unchanged, unmanaged, missing, problems }: Plan, deletes: boolean): string[] {
  const removed = changes.filter(({ action }) => action === "delete" || action === "reset").length;
  const count = (...actions: Action[]) => changes.filter(({ action }) => actions.includes(action)).length;
  return [
    `${count("create")} to create, ${count("update", "replace")} to change, ${removed} to delete; ${unchanged} unchanged.`,
    ...(removed > 0 && !deletes ? ["Only `millrace apply --prune` deletes."] : []),
    ...(unmanaged > 0
      ? [`${plural(unmanaged, "object")} of the project ${unmanaged === 1 ? "is" : "are"} not managed as code.`]
      : []),
    ...(missing.length > 0 ? [`Not set here: ${missing.join(", ")}.`] : []),
    ...problems.map((problem) => `Problem: ${printableText(problem)}`),
  ];
}

/** For a comment on a pull request. Fenced, so that names from the project cannot become markup. */
export function planMarkdown(plan: Plan): string {
  const fence = "~".repeat(8);
  const lines = plan.changes.flatMap(linesOf).map((line) => line.replaceAll("~~~~~~~~", "~~~"));
  const title = plan.changes.length === 0 ? "No changes" : plural(plan.changes.length, "change");
  const body = lines.length === 0 ? "" : `\n${fence}diff\n${lines.slice(0, 500).join("\n")}\n${fence}\n`;
  const more = lines.length > 500 ? `\n${lines.length - 500} more lines.\n` : "";
  return `### Millrace plan: ${title}\n${body}${more}\n${remarksOf(plan, false)
    .map((line) => `- ${line}\n`)
    .join("")}`;
}
