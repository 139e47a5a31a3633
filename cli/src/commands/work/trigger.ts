import type { RunState } from "@millrace/contract/deliveries/streams";
import { triesOf } from "@millrace/contract/jobs/tries";
import type { Run } from "@millrace/contract/runs/runs";
import { followRun, type LogLine } from "../../api/follow-run.ts";
import { saveLast } from "../../api/last-object.ts";
import { withSlug } from "../../api/names.ts";
import { triggerBulk } from "../../api/trigger-bulk.ts";
import type { Cli } from "../../cli.ts";
import { command, flag, integer, list, required, text } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import { type ExitName, exitOfStatus } from "../../exit-codes.ts";
import { readJson } from "../../input/read-json.ts";
import { readTags } from "../../input/read-tags.ts";
import { printLogLine } from "../../output/print-log-line.ts";
import { printJson } from "../../output/print-object.ts";
import { paintStatus } from "../../output/status.ts";

export const trigger = command({
  name: "trigger",
  summary: "start a run of a job",
  about:
    "Start a run of a job and print its id. With --wait or --follow, print its result; the exit code reflects its status. With --bulk, every line of a file is an item of `POST /v1/jobs/{jobID}/trigger/bulk`.",
  args: [required("job", "slug or id of the job")],
  options: {
    data: text("-d, --data <json>", "payload: JSON, @file, or - for stdin"),
    wait: flag("--wait", "wait until the run ends, and print the result"),
    follow: flag("--follow", "like --wait, and also print its log"),
    tag: list("--tag <key=value>", "tag; can be repeated"),
    key: text("--key <key>", "concurrency key"),
    idempotencyKey: text(
      "--idempotency-key <key>",
      "repeating the key returns the same run; with --bulk, `key:line` is used for each item",
    ),
    priority: integer("--priority <n>", "priority; each point moves the run one minute ahead in the queue"),
    delaySecs: integer("--delay-secs <n>", "start the run this many seconds later"),
    env: text("--env <environment>", "id or slug of the environment"),
    dryRun: flag("--dry-run", "validate everything and start nothing"),
    bulk: text("--bulk <file>", "start one run for each line of this NDJSON file; - reads stdin"),
  },
  examples: [
    'millrace trigger send-mail -d \'{"to": "ada@example.com"}\'',
    "millrace trigger import -d @order.json --follow",
    "millrace trigger send-mail --bulk mails.ndjson --idempotency-key campaign-7",
  ],
  run: async (cli, { args: [job = ""], options }) => {
    const shared = {
      ...(options.tag.length > 0 && { tags: readTags(options.tag) }),
      ...(options.key !== undefined && { concurrency_key: options.key }),
      ...(options.priority !== undefined && { priority: options.priority }),
      ...(options.delaySecs !== undefined && { delay_secs: options.delaySecs }),
      ...(options.env !== undefined && { environment_id: options.env }),
    };
    if (options.bulk !== undefined) {
      refuseWithBulk(options);
      return triggerBulk(cli, { job, file: options.bulk, shared, idempotencyKey: options.idempotencyKey });
    }
    const body = {
      ...shared,
      ...(options.data !== undefined && { payload: await readJson(cli, options.data) }),
      ...(options.dryRun && { dry_run: true }),
    };
    const started = await withSlug(cli, "jobs", job, (path) =>
      cli.client().request<Run>("POST", `${path}/trigger`, { body, ...keyOf(options.idempotencyKey) }),
    );
    if (options.dryRun) return sayDryRun(cli, started);
    saveLast(cli, "runs", started.id);
    return options.wait || options.follow ? followToEnd(cli, started.id, options.follow) : printStarted(cli, started);
  },
});

function keyOf(idempotencyKey: string | undefined): { idempotencyKey?: string } {
  return idempotencyKey === undefined ? {} : { idempotencyKey };
}

function refuseWithBulk(options: { data?: string | undefined; wait: boolean; follow: boolean; dryRun: boolean }): void {
  const wrong = [
    options.data && "-d",
    options.wait && "--wait",
    options.follow && "--follow",
    options.dryRun && "--dry-run",
  ];
  const named = wrong.filter(Boolean);
  if (named.length > 0) throw new CommandError("usage", `--bulk cannot be combined with ${named.join(", ")}.`);
}

function sayDryRun(cli: Cli, response: unknown): undefined {
  if (cli.format !== "human") return void printJson(cli, response);
  cli.say("The request is valid; nothing was started.");
}

function printStarted(cli: Cli, run: Run): undefined {
  if (cli.format !== "human") return void printJson(cli, run);
  cli.write(`${run.id}\n`);
  cli.say(`${paintStatus(cli.messageColors, run.status)}; follow it with: millrace runs logs -f @last`);
}

async function followToEnd(cli: Cli, runId: string, isFollowed: boolean): Promise<ExitName> {
  cli.say(`run ${runId}`);
  const ended = await followRun(cli, runId, isFollowed ? listeners(cli) : {});
  if (!(isFollowed && cli.format === "ndjson")) printEnd(cli, ended);
  return exitOfStatus(ended.status);
}

/** With --ndjson every event is a line of data. Otherwise events are messages, and the result is the data. */
function listeners(cli: Cli) {
  let lastLine = "";
  const isData = cli.format === "ndjson";
  const onStatus = (run: RunState) => {
    const line = `${run.status}${triesOf(run) > 1 ? ` (attempt ${triesOf(run)} of ${run.max_attempts})` : ""}`;
    if (line === lastLine) return;
    lastLine = line;
    if (isData) printJson(cli, { event: "status", data: run });
    else cli.say(`${paintStatus(cli.messageColors, run.status)}${line.slice(run.status.length)}`);
  };
  const onLine = (line: LogLine) =>
    isData ? printJson(cli, { event: "log", data: line }) : printLogLine(onStderr(cli), line);
  return { onStatus, onLine };
}

function onStderr(cli: Cli): Cli {
  return { ...cli, format: "human", write: cli.terminal.draw, colors: cli.messageColors };
}

function printEnd(cli: Cli, run: RunState): void {
  if (cli.format !== "human") return void printJson(cli, run);
  const error = run.error ? `: ${run.error.message} (${run.error.code})` : "";
  cli.say(`${paintStatus(cli.messageColors, run.status)}${error}`);
  if (run.status === "completed") cli.write(`${JSON.stringify(run.result, null, 2)}\n`);
}
