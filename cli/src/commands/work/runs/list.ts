import type { Run } from "@millrace/contract/runs/runs";
import { slugsIn } from "../../../api/names.ts";
import { listing } from "../../../api/requests.ts";
import { text } from "../../../command.ts";
import { checkQuery } from "../../../input/check-query.ts";
import { runColumns } from "../../../output/run-columns.ts";

export const runsList = listing({
  name: "runs list",
  summary: "list runs, newest first",
  options: {
    query: text("-q, --query <query>", "query such as `status:failed job:send-mail since:24h`"),
    status: text("--status <status>", "one status, or several separated by commas"),
    job: text("--job <job>", "only runs of this job (slug or id)"),
  },
  examples: ["millrace runs list -q 'status:failed since:24h'", "millrace runs list --job send-mail --json"],
  path: "/v1/runs",
  filters: async ({ query, status, job }) => {
    await checkQuery(query);
    return { q: query, status, job_id: job };
  },
  nothing: "No runs.",
  limit: 20,
  columns: async (cli, rows: Run[]) => {
    const names = await slugsIn(
      cli,
      "jobs",
      rows.map(({ job_id }) => job_id),
    );
    return runColumns(names);
  },
});
