import type { BatchOperation } from "@millrace/contract/runs/batch-operations";
import type { BulkCancelAllPreview, BulkCancelRunsResult } from "@millrace/contract/runs/bulk-runs";
import { chunksOf } from "../../../api/chunks-of.ts";
import { followBatch } from "../../../api/follow-batch.ts";
import { resolveId } from "../../../api/resolve-id.ts";
import type { Cli } from "../../../cli.ts";
import { command, flag, text, variadic } from "../../../command.ts";
import type { ExitName } from "../../../exit-codes.ts";
import { checkQuery } from "../../../input/check-query.ts";
import { requireIdsOrQuery } from "../../../input/require-ids-or-query.ts";
import { confirm } from "../../../output/ask.ts";
import { plural } from "../../../output/plural.ts";
import { printJson } from "../../../output/print-object.ts";
import { printRows } from "../../../output/print-rows.ts";
import { progressBar } from "../../../output/progress-bar.ts";

export const runsCancel = command({
  name: "runs cancel",
  summary: "cancel runs by id or by query",
  about:
    "Cancel runs and the runs they spawned. With --query, counts the runs first and asks for confirmation; runs created meanwhile are not canceled.",
  args: [variadic("run", "run ids, prefixes of ids, or @last")],
  options: {
    query: text("-q, --query <query>", "cancel all runs that match this query"),
    reason: text("--reason <text>", "reason, stored in the error of each run"),
    dryRun: flag("--dry-run", "count the runs and cancel none"),
    yes: flag("-y, --yes", "do not ask for confirmation"),
  },
  examples: ["millrace runs cancel @last", "millrace runs cancel -q 'status:pending job:send-mail' --dry-run"],
  run: async (cli, { args, options }) => {
    requireIdsOrQuery(args, options.query);
    await checkQuery(options.query);
    if (options.query === undefined) return cancelByIds(cli, args, options);
    return cancelByQuery(cli, options.query, options);
  },
});

type CancelOptions = { reason: string | undefined; dryRun: boolean; yes: boolean };

async function cancelByIds(cli: Cli, given: string[], { reason, dryRun }: CancelOptions): Promise<ExitName> {
  const ids: string[] = [];
  for (const each of given) ids.push(await resolveId(cli, "runs", each));
  if (dryRun) return reportCount(cli, ids.length);
  const rows: BulkCancelRunsResult["results"] = [];
  const bar = progressBar(cli, "canceling");
  for (const run_ids of chunksOf(ids, 100)) {
    bar.at(rows.length, ids.length);
    const body = { run_ids, ...(reason !== undefined && { reason }) };
    rows.push(...(await cli.client().request<BulkCancelRunsResult>("POST", "/v1/runs/bulk-cancel", { body })).results);
  }
  bar.end();
  await printRows(cli, {
    rows,
    nothing: "No runs.",
    columns: [
      { title: "id", value: ({ run_id }) => run_id },
      { title: "status", value: ({ status }) => status },
      { title: "error", value: ({ error }) => error?.message ?? "" },
    ],
  });
  return exitOf(rows);
}

/** A single run exits with 4 if it does not exist and 6 if it has ended. Several runs exit with 1 if any failed. */
function exitOf(rows: BulkCancelRunsResult["results"]): ExitName {
  const failed = rows.filter(({ error }) => error !== null);
  if (failed.length === 0) return "ok";
  if (rows.length > 1) return "failure";
  return failed[0]?.error?.code === "not_found" ? "not_found" : "conflict";
}

async function cancelByQuery(cli: Cli, q: string, { reason, dryRun, yes }: CancelOptions): Promise<ExitName> {
  const ask = <T>(body: object) => cli.client().request<T>("POST", "/v1/runs/bulk-cancel-all", { body });
  const { count } = await ask<BulkCancelAllPreview>({ filter: { q }, dry_run: true });
  if (dryRun) return reportCount(cli, count);
  if (count === 0) return reportCount(cli, count);
  await confirm(cli, `Cancel ${count === null ? "a very large number of runs" : plural(count, "run")}?`, yes);
  const batch = await ask<BatchOperation>({ filter: { q }, ...(reason !== undefined && { reason }) });
  return followBatch(cli, batch, "canceling");
}

function reportCount(cli: Cli, count: number | null): ExitName {
  if (cli.format !== "human") printJson(cli, { dry_run: true, count });
  else
    cli.say(
      count === 0
        ? "No runs would be canceled."
        : `${count === null ? "A very large number of runs" : plural(count, "run")} would be canceled.`,
    );
  return "ok";
}
