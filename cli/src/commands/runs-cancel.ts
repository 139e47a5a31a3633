import type { BatchOperation } from "@millrace/contract/batch-operations";
import type { BulkCancelAllPreview, BulkCancelRunsResult } from "@millrace/contract/bulk-runs";
import { checkQuery } from "../check-query.ts";
import { chunksOf } from "../chunks-of.ts";
import type { Cli } from "../cli.ts";
import { command, flag, many, text } from "../command.ts";
import type { ExitName } from "../exit-codes.ts";
import { followBatch } from "../follow-batch.ts";
import { oneWay } from "../one-way.ts";
import { confirm } from "../output/ask.ts";
import { printJson } from "../output/print-object.ts";
import { printRows } from "../output/print-rows.ts";
import { resolveId } from "../resolve-id.ts";

export const runsCancel = command({
  name: "runs cancel",
  summary: "cancel runs, by id or by query",
  about:
    "Cancel runs and their descendants. With a query it counts the runs and asks for confirmation first; runs created meanwhile are not affected.",
  args: [many("run", "ids, their first digits, or @last")],
  options: {
    query: text("-q, --query <query>", "all runs that match this query"),
    reason: text("--reason <text>", "a reason, stored in the error of each run"),
    dryRun: flag("--dry-run", "only count them"),
    yes: flag("-y, --yes", "do not ask for confirmation"),
  },
  examples: ["millrace runs cancel @last", "millrace runs cancel -q 'status:pending job:send-mail' --dry-run"],
  run: async (cli, { args, options }) => {
    oneWay(args, options.query);
    await checkQuery(options.query);
    if (options.query === undefined) return cancelNamed(cli, args, options);
    return cancelFound(cli, options.query, options);
  },
});

type Asked = { reason: string | undefined; dryRun: boolean; yes: boolean };

async function cancelNamed(cli: Cli, given: string[], { reason, dryRun }: Asked): Promise<ExitName> {
  const ids: string[] = [];
  for (const each of given) ids.push(await resolveId(cli, "runs", each));
  if (dryRun) return tellCount(cli, ids.length);
  const rows: BulkCancelRunsResult["results"] = [];
  for (const run_ids of chunksOf(ids, 100)) {
    const body = { run_ids, ...(reason !== undefined && { reason }) };
    rows.push(...(await cli.client().request<BulkCancelRunsResult>("POST", "/v1/runs/bulk-cancel", { body })).results);
  }
  await printRows(cli, {
    rows,
    nothing: "No runs.",
    columns: [
      { title: "id", value: ({ run_id }) => run_id },
      { title: "status", value: ({ status }) => status },
      { title: "why", value: ({ error }) => error?.message ?? "" },
    ],
  });
  return exitOf(rows);
}

/** One that is not there is 4, one that has ended 6; of many any failure is 1. */
function exitOf(rows: BulkCancelRunsResult["results"]): ExitName {
  const failed = rows.filter(({ error }) => error !== null);
  if (failed.length === 0) return "ok";
  if (rows.length > 1) return "failure";
  return failed[0]?.error?.code === "not_found" ? "not_found" : "conflict";
}

async function cancelFound(cli: Cli, q: string, { reason, dryRun, yes }: Asked): Promise<ExitName> {
  const ask = <T>(body: object) => cli.client().request<T>("POST", "/v1/runs/bulk-cancel-all", { body });
  const { count } = await ask<BulkCancelAllPreview>({ filter: { q }, dry_run: true });
  if (dryRun) return tellCount(cli, count);
  if (count === 0) return tellCount(cli, count);
  await confirm(cli, `Cancel ${count ?? "very many"} runs?`, yes);
  const batch = await ask<BatchOperation>({ filter: { q }, ...(reason !== undefined && { reason }) });
  return followBatch(cli, batch, "canceling");
}

function tellCount(cli: Cli, count: number | null): ExitName {
  if (cli.format !== "human") printJson(cli, { dry_run: true, count });
  else cli.say(count === 0 ? "No run would be canceled." : `${count ?? "Very many"} runs would be canceled.`);
  return "ok";
}
