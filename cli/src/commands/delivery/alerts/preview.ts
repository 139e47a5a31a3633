import type { AlertRule, AlertRulePreview } from "@millrace/contract/alerts/alert-rules";
import { command, optional } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";
import { plural } from "../../../output/plural.ts";
import { printJson } from "../../../output/print-object.ts";
import { printRows } from "../../../output/print-rows.ts";
import { agoOf, lengthOf, tookOf } from "../../../output/times.ts";
import { CONDITION_OPTIONS, conditionOf } from "./condition.ts";
import { findRule, RULES } from "./find.ts";

type Previewed = AlertRulePreview["alerts"][number];

export const alertsPreview = command({
  name: "alerts preview",
  summary: "show when a rule would have fired in the last week",
  about:
    "Show when a rule would have fired in the last week: an existing one, with other settings if given, or one that does not exist yet. Nothing is saved or sent.",
  args: [optional("rule", "name or id of an alert rule; without it, --kind is required")],
  options: CONDITION_OPTIONS,
  examples: [
    'millrace alerts preview "Invoices fail" --threshold 0.2',
    "millrace alerts preview --kind slo_burn_rate --job send-invoice --objective 0.999",
  ],
  run: async (cli, { args: [given], options }) => {
    if (given === undefined && options.kind === undefined)
      throw new CommandError("usage", "Name a rule, or pass --kind.");
    const known = given === undefined ? {} : settingsOf(await findRule(cli, given));
    const changes = Object.fromEntries(Object.entries(conditionOf(options)).filter(([, value]) => value !== undefined));
    const body = { name: "Preview", ...known, ...changes };
    const answer = await cli.client().request<AlertRulePreview>("POST", `${RULES}/preview`, { body });
    if (cli.format !== "human") return void printJson(cli, answer);
    const { alerts } = answer;
    if (alerts.length > 0) await printRows(cli, { rows: alerts, columns: COLUMNS, nothing: "" });
    cli.say(sentenceOf(answer));
  },
});

function settingsOf(rule: AlertRule) {
  const { kind, environment_id, job_id, workflow_id, queue, tag, threshold, window_secs, min_runs } = rule;
  const { objective, for_secs, resolve_after_secs, repeat_every_secs } = rule;
  const condition = { kind, environment_id, job_id, workflow_id, queue, tag, threshold, window_secs, min_runs };
  return { ...condition, objective, for_secs, resolve_after_secs, repeat_every_secs };
}

const COLUMNS = [
  {
    title: "fired",
    value: ({ fired_at }: Previewed) => fired_at,
    show: ({ fired_at }: Previewed) => `${fired_at} (${agoOf(fired_at)})`,
  },
  { title: "resolved", value: ({ resolved_at }: Previewed) => resolved_at ?? "" },
  { title: "fired for", value: ({ fired_at, resolved_at }: Previewed) => tookOf(fired_at, resolved_at) },
  { title: "value", value: ({ value }: Previewed) => (value === null ? "" : String(value)) },
];

function sentenceOf({
  value,
  would_fire,
  has_history,
  alert_count,
  notification_count,
  ...of
}: AlertRulePreview): string {
  const now = `It measures ${value ?? "nothing"} now, and would ${would_fire ? "" : "not "}fire.`;
  if (!has_history) return `${now} No history is kept of what this kind measures.`;
  const span = lengthOf(Date.parse(of.until) - Date.parse(of.from));
  if (alert_count === 0) return `${now} It would not have fired in the last ${span}.`;
  const notified = `${plural(notification_count, "notification")} per channel`;
  return `${now} It would have fired ${plural(alert_count, "time")} in the last ${span}, with ${notified}.`;
}
