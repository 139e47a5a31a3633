import type { AlertRule, AlertRuleTest } from "@millrace/contract/alerts/alert-rules";
import { listing, send } from "../../../api/requests.ts";
import { type Command, command, flag, integer, list, required, text } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";
import { confirm } from "../../../output/ask.ts";
import { plural } from "../../../output/plural.ts";
import { agoOf } from "../../../output/times.ts";
import { CONDITION_OPTIONS, conditionOf } from "./condition.ts";
import { findChannel, findRule, RULES } from "./find.ts";

const rule = required("rule", "name or id of the alert rule");

export const alertRuleCommands: readonly Command[] = [
  listing({
    name: "alerts list",
    summary: "list alert rules and whether they fire",
    options: { state: text("--state <state>", "only rules in this state: ok, pending or firing") },
    examples: ["millrace alerts list --state firing"],
    path: RULES,
    filters: ({ state }) => ({ state }),
    nothing: "No alert rules.",
    columns: [
      { title: "name", value: ({ name }: AlertRule) => name },
      { title: "kind", value: ({ kind }) => kind },
      { title: "state", value: ({ state, enabled }) => (enabled ? state : "disabled") },
      { title: "threshold", value: ({ threshold }) => String(threshold) },
      { title: "value", value: ({ value }) => (value === null ? "" : String(value)) },
      { title: "since", value: ({ state_since }) => state_since, show: ({ state_since }) => agoOf(state_since) },
    ],
  }),
  command({
    name: "alerts create",
    summary: "create an alert rule",
    args: [required("name", "name of the rule")],
    options: {
      ...CONDITION_OPTIONS,
      runbook: text("--runbook <text>", "what to do"),
      channel: list("--channel <channel>", "name or id of a channel; may be repeated"),
    },
    examples: ['millrace alerts create "Invoices fail" --kind failure_rate --job send-invoice --channel night'],
    run: async (cli, { args: [name = ""], options }) => {
      if (options.kind === undefined) throw new CommandError("usage", "--kind is required.");
      const channels = await Promise.all((options.channel ?? []).map((given) => findChannel(cli, given)));
      const channel_ids = channels.map(({ id }) => id);
      const body = { name, ...conditionOf(options), runbook: options.runbook, channel_ids };
      await send(cli, { path: RULES, body, said: (created: AlertRule) => `${created.name} was created` });
    },
  }),
  command({
    name: "alerts test",
    summary: "evaluate a rule now, and send a test notification to its channels",
    args: [rule],
    examples: ["millrace alerts test 'Endpoint down'"],
    run: async (cli, { args: [given = ""] }) => {
      const { id } = await findRule(cli, given);
      const said = ({ value, would_fire, delivery_ids }: AlertRuleTest) =>
        `Measured ${value ?? "nothing"}: it would ${would_fire ? "" : "not "}fire. Sent ${plural(delivery_ids.length, "test")}.`;
      await send(cli, { path: `${RULES}/${id}/test`, said });
    },
  }),
  command({
    name: "alerts silence",
    summary: "keep the channels of a rule quiet for a while",
    args: [rule],
    options: { for: integer("--for <seconds>", "how long, from now; 0 ends the silence") },
    examples: ["millrace alerts silence 'Endpoint down' --for 3600"],
    run: async (cli, { args: [given = ""], options }) => {
      if (options.for === undefined) throw new CommandError("usage", "--for is required.");
      const { id, name } = await findRule(cli, given);
      const said = ({ silenced_until }: AlertRule) =>
        silenced_until === null ? `${name} is not silenced` : `${name} is silenced until ${silenced_until}`;
      await send(cli, { path: `${RULES}/${id}/silence`, body: { duration_secs: options.for }, said });
    },
  }),
  command({
    name: "alerts delete",
    summary: "delete an alert rule",
    args: [rule],
    options: { yes: flag("-y, --yes", "do not ask for confirmation") },
    examples: ["millrace alerts delete 'Endpoint down'"],
    run: async (cli, { args: [given = ""], options }) => {
      const { id, name } = await findRule(cli, given);
      await confirm(cli, `Delete the alert rule ${name}?`, options.yes);
      await send(cli, { method: "DELETE", path: `${RULES}/${id}`, said: () => `${name} was deleted` });
    },
  }),
];
