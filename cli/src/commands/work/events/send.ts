import type { BufferedEvent, EventPrefixSent, EventTrigger } from "@millrace/contract/events/events";
import type { Cli } from "../../../cli.ts";
import { command, flag, integer, optional, text } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";
import { readJson } from "../../../input/read-json.ts";
import { confirm } from "../../../output/ask.ts";
import { triggerColumns } from "../../../output/event-columns.ts";
import { plural } from "../../../output/plural.ts";
import { printJson } from "../../../output/print-object.ts";
import { printRows } from "../../../output/print-rows.ts";

export const eventsSend = command({
  name: "events send",
  summary: "send an event to the run that waits for its key",
  args: [optional("key", "event key")],
  options: {
    data: text("-d, --data <json>", "payload: JSON, @file, or - for stdin"),
    bufferSecs: integer("--buffer-secs <n>", "if nothing waits for the key: buffer the event for this many seconds"),
    idempotencyKey: text("--idempotency-key <key>", "repeating the key within 24 hours returns the same result"),
    prefix: text("--prefix <prefix>", "send to every key that starts with this prefix, instead of one key"),
    dryRun: flag("--dry-run", "with --prefix: list the waits that would receive the event, and send nothing"),
    yes: flag("-y, --yes", "with --prefix: do not ask for confirmation"),
  },
  examples: [
    "millrace events send order-42.paid -d '{\"amount\": 1999}'",
    "millrace events send --prefix order-42. --dry-run",
  ],
  run: async (cli, { args: [key], options }) => {
    if ((key === undefined) === (options.prefix === undefined)) {
      throw new CommandError("usage", "Pass either an event key or --prefix.");
    }
    const payload = options.data === undefined ? {} : { payload: await readJson(cli, options.data) };
    const idempotencyKey = options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey };
    if (options.prefix !== undefined) {
      return sendToPrefix(cli, options.prefix, { payload, idempotencyKey, dryRun: options.dryRun, yes: options.yes });
    }
    if (options.dryRun) throw new CommandError("usage", "--dry-run requires --prefix.");
    const body = { ...payload, ...(options.bufferSecs !== undefined && { buffer_secs: options.bufferSecs }) };
    const path = `/v1/events/${encodeURIComponent(key ?? "")}/send`;
    report(cli, await cli.client().request<EventTrigger | BufferedEvent>("POST", path, { body, ...idempotencyKey }));
  },
});

function report(cli: Cli, response: EventTrigger | BufferedEvent): void {
  if (cli.format !== "human") return void printJson(cli, response);
  if ("event_key" in response) return void cli.say(`Received by ${waiterOf(response)}`);
  if (response.buffered) return void cli.say(`Nothing is waiting; buffered until ${response.expires_at}`);
  cli.say(`Nothing is waiting; canceling ${plural(response.canceled_runs ?? 0, "run")} through cancel_on`);
}

function waiterOf({ job_run_id, workflow_run_id }: EventTrigger): string {
  return workflow_run_id === null ? `run ${job_run_id}` : `workflow run ${workflow_run_id}`;
}

type ToPrefix = { payload: object; idempotencyKey: { idempotencyKey?: string }; dryRun: boolean; yes: boolean };

async function sendToPrefix(
  cli: Cli,
  prefix: string,
  { payload, idempotencyKey, dryRun, yes }: ToPrefix,
): Promise<void> {
  const path = `/v1/events/prefix/${encodeURIComponent(prefix)}/send`;
  const ask = (body: object, options = {}) => cli.client().request<EventPrefixSent>("POST", path, { body, ...options });
  const preview = await ask({ ...payload, dry_run: true });
  if (dryRun || (preview.resolved === 0 && preview.canceled_runs === 0)) return reportPrefix(cli, preview);
  await confirm(cli, `Send the event to ${plural(preview.resolved, "wait")}${cancels(preview)}?`, yes);
  await reportPrefix(cli, await ask(payload, idempotencyKey));
}

async function reportPrefix(cli: Cli, sent: EventPrefixSent): Promise<void> {
  if (cli.format === "json") return void printJson(cli, sent);
  await printRows(cli, { rows: sent.triggers, columns: triggerColumns, nothing: "No waits match this prefix." });
  if (sent.resolved === 0) return;
  cli.say(
    sent.dry_run
      ? `${plural(sent.resolved, "wait")} would receive it${cancels(sent)}.`
      : `${plural(sent.resolved, "wait")} received it${cancels(sent)}.`,
  );
}

function cancels({ canceled_runs }: EventPrefixSent): string {
  return canceled_runs === 0 ? "" : `, which cancels ${plural(canceled_runs, "run")} through cancel_on`;
}
