import type { BulkReplayRunsResult } from "@millrace/contract/runs/bulk-runs";
import type { Run } from "@millrace/contract/runs/runs";
import { chunksOf } from "../../../api/chunks-of.ts";
import { saveLast } from "../../../api/last-object.ts";
import { resolveId } from "../../../api/resolve-id.ts";
import { takeRows } from "../../../api/take-rows.ts";
import type { Cli } from "../../../cli.ts";
import { command, count, flag, text, variadic } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";
import type { ExitName } from "../../../exit-codes.ts";
import { checkQuery } from "../../../input/check-query.ts";
import { readJson } from "../../../input/read-json.ts";
import { requireIdsOrQuery } from "../../../input/require-ids-or-query.ts";
import { confirm } from "../../../output/ask.ts";
import { plural } from "../../../output/plural.ts";
import { printJson } from "../../../output/print-object.ts";
import { printRows } from "../../../output/print-rows.ts";
import { progressBar } from "../../../output/progress-bar.ts";

export const runsReplay = command({
  name: "runs replay",
  summary: "replay ended runs by id or by query",
  args: [variadic("run", "run ids, prefixes of ids, or @last")],
  options: {
    query: text("-q, --query <query>", "replay all runs that match this query, newest first"),
    data: text("-d, --data <json>", "payload of the new run: JSON, @file, or - for stdin; only with a single id"),
    limit: count("-n, --limit <n>", "with -q: maximum number of runs (default: 1000)"),
    dryRun: flag("--dry-run", "count the runs that would be replayed and start none"),
    yes: flag("-y, --yes", "do not ask for confirmation"),
  },
  examples: [
    'millrace runs replay @last -d \'{"to": "ada@example.com"}\'',
    "millrace runs replay -q 'is:dead job:send-mail since:24h'",
  ],
  run: async (cli, { args, options }) => {
    requireIdsOrQuery(args, options.query);
    await checkQuery(options.query);
    if (options.data !== undefined) return replayOne(cli, args, options.data);
    const ids =
      options.query === undefined
        ? await resolveIds(cli, args)
        : await findIds(cli, options.query, options.limit ?? 1_000);
    if (options.query === undefined && !options.dryRun) return replayAll(cli, ids);
    const previewed = await sendAll(cli, ids, { dry_run: true });
    const wanted = previewed.filter(({ error }) => error === null).map(({ replay_of }) => replay_of);
    if (options.dryRun || wanted.length === 0) return reportCount(cli, wanted.length, previewed);
    reportRejected(cli, previewed);
    await confirm(cli, `Replay ${plural(wanted.length, "run")}?`, options.yes);
    return replayAll(cli, wanted);
  },
});

type Result = BulkReplayRunsResult["results"][number];

async function resolveIds(cli: Cli, given: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const each of given) ids.push(await resolveId(cli, "runs", each));
  return ids;
}

async function findIds(cli: Cli, query: string, max: number): Promise<string[]> {
  const { rows, hasMore } = await takeRows<Run>(cli, "/v1/runs", { q: `${query} is:ended` }, max);
  if (hasMore) cli.say(`Only the newest ${max} are included; use --limit for more.`);
  return rows.map(({ id }) => id);
}

async function replayOne(cli: Cli, given: string[], data: string): Promise<ExitName> {
  const [run, ...others] = given;
  if (run === undefined || others.length > 0) throw new CommandError("usage", "-d requires exactly one run id.");
  const id = await resolveId(cli, "runs", run);
  const body = { payload: await readJson(cli, data) };
  const made = await cli.client().request<Run>("POST", `/v1/runs/${id}/replay`, { body });
  saveLast(cli, "runs", made.id);
  if (cli.format !== "human") printJson(cli, made);
  else cli.write(`${made.id}\n`);
  return "ok";
}

async function replayAll(cli: Cli, ids: string[]): Promise<ExitName> {
  const rows = await sendAll(cli, ids, {});
  const last = rows.findLast(({ run_id }) => run_id !== null)?.run_id;
  if (last) saveLast(cli, "runs", last);
  await printRows(cli, {
    rows,
    nothing: "No runs.",
    columns: [
      { title: "new run", value: ({ run_id }) => run_id ?? "" },
      { title: "replay of", value: ({ replay_of }) => replay_of },
      { title: "status", value: ({ status }) => status },
      { title: "error", value: ({ error }) => error?.message ?? "" },
    ],
  });
  return rows.some(({ error }) => error !== null) ? "failure" : "ok";
}

/** Sends the ids in chunks of the service's limit. */
async function sendAll(cli: Cli, ids: string[], how: { dry_run?: true }): Promise<Result[]> {
  const bar = progressBar(cli, how.dry_run ? "checking" : "replaying");
  const rows: Result[] = [];
  try {
    for (const run_ids of chunksOf(ids, 100)) {
      bar.at(rows.length, ids.length);
      const body = { run_ids, ...how };
      rows.push(
        ...(await cli.client().request<BulkReplayRunsResult>("POST", "/v1/runs/bulk-replay", { body })).results,
      );
    }
  } finally {
    bar.end();
  }
  return rows;
}

function reportCount(cli: Cli, count: number, previewed: readonly Result[]): ExitName {
  if (cli.format !== "human") printJson(cli, { dry_run: true, count, refused: previewed.length - count });
  else cli.say(count === 0 ? "No runs would be replayed." : `${plural(count, "run")} would be replayed.`);
  reportRejected(cli, previewed);
  return "ok";
}

/** Counts by error code; docs/errors explains the codes. */
function reportRejected(cli: Cli, previewed: readonly Result[]): void {
  const codes = previewed.flatMap(({ error }) => (error ? [error.code] : []));
  if (codes.length === 0) return;
  const counts = [...new Set(codes)].map((code) => `${codes.filter((each) => each === code).length} ${code}`);
  cli.say(`${codes.length} cannot be replayed: ${counts.join(", ")}.`);
}
