import type { AlertChannel } from "@millrace/contract/alerts/alert-channels";
import type { AlertRule, AlertRuleTest } from "@millrace/contract/alerts/alert-rules";
import type { Cli } from "../cli.ts";
import { type Command, command, count, flag, integer, list, required, text } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { findListed } from "../names.ts";
import { confirm } from "../output/ask.ts";
import { plural } from "../output/plural.ts";
import { agoOf } from "../output/times.ts";
import { listing, send } from "../requests.ts";

const RULES = "/v1/alert-rules";
const CHANNELS = "/v1/alert-channels";
const rule = required("rule", "name or id of the alert rule");
const YES = { yes: flag("-y, --yes", "do not ask for confirmation") };

const findRule = (cli: Cli, given: string) =>
  findListed<AlertRule>(
    cli,
    { noun: "Alert rule", path: RULES, listedBy: "millrace alerts list", nameOf: ({ name }) => name },
    given,
  );

const findChannel = (cli: Cli, given: string) =>
  findListed<AlertChannel>(
    cli,
    { noun: "Alert channel", path: CHANNELS, listedBy: "millrace alerts channels list", nameOf: ({ name }) => name },
    given,
  );

function numberOf(flags: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (given.trim() === "" || !Number.isFinite(value)) throw new CommandError("usage", `${flags} must be a number.`);
  return value;
}

export const alertsCommands: readonly Command[] = [
  listing({
    name: "alerts list",
    summary: "list alert rules and whether they fire",
    options: { state: text("--state <state>", "only rules in this state: ok, pending or firing") },
    examples: ["millrace alerts list --state firing"],
    path: RULES,
    filters: ({ state }) => ({ state }),
    nothing: "No alert rules.",
    columns: [
      { title: "id", value: ({ id }: AlertRule) => id },
      { title: "name", value: ({ name }) => name },
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
      kind: text("--kind <kind>", "what is measured, such as failure_rate or endpoint_down"),
      job: text("--job <job>", "only this job (slug or id)"),
      workflow: text("--workflow <workflow>", "only this workflow (slug or id)"),
      queue: text("--queue <queue>", "only jobs of this queue"),
      tag: text("--tag <tag>", "only jobs with this tag: key or key:value"),
      environment: text("--environment <environment>", "only this environment (slug or id)"),
      threshold: text("--threshold <number>", "the rule fires above this value"),
      window: count("--window <seconds>", "the period that is measured"),
      objective: text("--objective <share>", "slo_burn_rate: the share of runs that should succeed"),
      for: integer("--for <seconds>", "the condition must hold for this long"),
      repeat: count("--repeat <seconds>", "tell the channels again while it fires"),
      runbook: text("--runbook <text>", "what to do"),
      channel: list("--channel <channel>", "name or id of a channel; may be repeated"),
    },
    examples: ['millrace alerts create "Invoices fail" --kind failure_rate --job send-invoice --channel night'],
    run: async (cli, { args: [name = ""], options }) => {
      if (options.kind === undefined) throw new CommandError("usage", "--kind is required.");
      const channels = await Promise.all((options.channel ?? []).map((given) => findChannel(cli, given)));
      const body = {
        ...{ name, kind: options.kind, job_id: options.job, workflow_id: options.workflow, queue: options.queue },
        ...{
          tag: options.tag,
          environment_id: options.environment,
          threshold: numberOf("--threshold", options.threshold),
        },
        ...{ window_secs: options.window, objective: numberOf("--objective", options.objective) },
        ...{ for_secs: options.for, repeat_every_secs: options.repeat, runbook: options.runbook },
        channel_ids: channels.map(({ id }) => id),
      };
      await send(cli, { path: RULES, body, said: ({ id }: AlertRule) => `Created ${id}.` });
    },
  }),
  command({
    name: "alerts test",
    summary: "evaluate a rule now, and send a test notification to its channels",
    args: [rule],
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
    options: YES,
    run: async (cli, { args: [given = ""], options }) => {
      const { id, name } = await findRule(cli, given);
      await confirm(cli, `Delete the alert rule ${name}?`, options.yes);
      await send(cli, { method: "DELETE", path: `${RULES}/${id}`, said: () => `${name} was deleted` });
    },
  }),
  listing({
    name: "alerts channels list",
    summary: "list alert channels",
    path: CHANNELS,
    nothing: "No alert channels.",
    columns: [
      { title: "id", value: ({ id }: AlertChannel) => id },
      { title: "name", value: ({ name }) => name },
      { title: "kind", value: ({ kind }) => kind },
      { title: "target", value: ({ target }) => target },
    ],
  }),
  command({
    name: "alerts channels create",
    summary: "create an alert channel",
    args: [required("name", "name of the channel")],
    options: {
      kind: text("--kind <kind>", "webhook, slack, discord, teams, pagerduty, opsgenie or email"),
      url: text("--url <url>", "where to post"),
      key: text("--key <key>", "pagerduty: the routing key; opsgenie: the API key"),
      email: text("--email <address>", "email: the address"),
    },
    examples: ["millrace alerts channels create night --kind email --email night@example.com"],
    run: async (cli, { args: [name = ""], options: { kind, url, key, email } }) => {
      const body = { name, kind, url, key, email };
      await send(cli, { path: CHANNELS, body, said: ({ id }: AlertChannel) => `Created ${id}.` });
    },
  }),
  command({
    name: "alerts channels delete",
    summary: "delete an alert channel that no rule names",
    args: [required("channel", "name or id of the alert channel")],
    options: YES,
    run: async (cli, { args: [given = ""], options }) => {
      const { id, name } = await findChannel(cli, given);
      await confirm(cli, `Delete the alert channel ${name}?`, options.yes);
      await send(cli, { method: "DELETE", path: `${CHANNELS}/${id}`, said: () => `${name} was deleted` });
    },
  }),
];
