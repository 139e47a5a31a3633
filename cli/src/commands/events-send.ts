import type { BufferedEvent, EventPrefixSent, EventTrigger } from "@millrace/contract/events";
import type { Cli } from "../cli.ts";
import { command, flag, maybe, text, whole } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { confirm } from "../output/ask.ts";
import { triggerColumns } from "../output/event-columns.ts";
import { printJson } from "../output/print-object.ts";
import { printRows } from "../output/print-rows.ts";
import { readJson } from "../read-json.ts";

export const eventsSend = command({
  name: "events send",
  summary: "send an event to the wait for its key",
  args: [maybe("key", "the key of the event")],
  options: {
    data: text("-d, --data <json>", "the payload: JSON, @file, or - for stdin"),
    bufferSecs: whole("--buffer-secs <n>", "if nothing waits for the key: keep the event this long for the next wait"),
    idempotencyKey: text("--idempotency-key <key>", "the same key returns the same response, for 24 hours"),
    prefix: text("--prefix <prefix>", "send to all waits whose key starts with this, instead of one key"),
    dryRun: flag("--dry-run", "with --prefix: only list the waits that would receive it"),
    yes: flag("-y, --yes", "with --prefix: do not ask for confirmation"),
  },
  examples: [
    "millrace events send order-42.paid -d '{\"amount\": 1999}'",
    "millrace events send --prefix order-42. --dry-run",
  ],
  run: async (cli, { args: [key], options }) => {
    if ((key === undefined) === (options.prefix === undefined)) {
      throw new CommandError("usage", "Name the key of the event, or a --prefix.");
    }
    const payload = options.data === undefined ? {} : { payload: await readJson(cli, options.data) };
    const idempotencyKey = options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey };
    if (options.prefix !== undefined) {
      return sendToPrefix(cli, options.prefix, { payload, idempotencyKey, dryRun: options.dryRun, yes: options.yes });
    }
    if (options.dryRun) throw new CommandError("usage", "--dry-run goes with --prefix.");
    const body = { ...payload, ...(options.bufferSecs !== undefined && { buffer_secs: options.bufferSecs }) };
    const path = `/v1/events/${encodeURIComponent(key ?? "")}/send`;
    tell(cli, await cli.client().request<EventTrigger | BufferedEvent>("POST", path, { body, ...idempotencyKey }));
  },
});

function tell(cli: Cli, answer: EventTrigger | BufferedEvent): void {
  if (cli.format !== "human") return void printJson(cli, answer);
  if ("event_key" in answer) return void cli.say(`received by ${waiterOf(answer)}`);
  if (answer.buffered) return void cli.say(`nobody waits; kept until ${answer.expires_at}`);
  cli.say(`nobody waits; it cancels ${answer.canceled_runs ?? 0} runs`);
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
  if (dryRun || (preview.resolved === 0 && preview.canceled_runs === 0)) return tellPrefix(cli, preview);
  await confirm(cli, `Send it to ${preview.resolved} who wait${cancels(preview)}?`, yes);
  await tellPrefix(cli, await ask(payload, idempotencyKey));
}

async function tellPrefix(cli: Cli, sent: EventPrefixSent): Promise<void> {
  if (cli.format === "json") return void printJson(cli, sent);
  await printRows(cli, { rows: sent.triggers, columns: triggerColumns, nothing: "Nobody waits for such a key." });
  if (sent.resolved === 0) return;
  cli.say(
    sent.dry_run
      ? `${sent.resolved} would receive it${cancels(sent)}.`
      : `${sent.resolved} received it${cancels(sent)}.`,
  );
}

function cancels({ canceled_runs }: EventPrefixSent): string {
  return canceled_runs === 0 ? "" : `, and it cancels ${canceled_runs} runs`;
}
