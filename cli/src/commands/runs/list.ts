import type { Run } from "@millrace/contract/runs";
import { checkQuery } from "../../check-query.ts";
import { command, count, text } from "../../command.ts";
import { slugsIn } from "../../names.ts";
import { printRows } from "../../output/print-rows.ts";
import { runColumns } from "../../output/run-columns.ts";
import { takeRows } from "../../take-rows.ts";

export const runsList = command({
  name: "runs list",
  summary: "list runs, newest first",
  options: {
    query: text("-q, --query <query>", "query such as `status:failed job:send-mail since:24h`"),
    status: text("--status <status>", "one status, or several separated by commas"),
    job: text("--job <job>", "only runs of this job (slug or id)"),
    limit: count("-n, --limit <n>", "maximum number of results (default: 20)"),
  },
  examples: ["millrace runs list -q 'status:failed since:24h'", "millrace runs list --job send-mail --json"],
  run: async (cli, { options }) => {
    await checkQuery(options.query);
    const filters = { q: options.query, status: options.status, job_id: options.job };
    const { rows, hasMore } = await takeRows<Run>(cli, "/v1/runs", filters, options.limit ?? 20);
    const names = await slugsIn(
      cli,
      "jobs",
      rows.map(({ job_id }) => job_id),
    );
    await printRows(cli, { rows, hasMore, columns: runColumns(names), nothing: "No runs." });
  },
});
