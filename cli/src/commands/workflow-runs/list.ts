import type { WorkflowRun } from "@millrace/contract/workflow-runs";
import { command, count, text } from "../../command.ts";
import { slugsIn } from "../../names.ts";
import { printRows } from "../../output/print-rows.ts";
import { paintStatus } from "../../output/status.ts";
import { agoOf, tookOf } from "../../output/times.ts";
import { takeRows } from "../../take-rows.ts";

export const workflowRunsList = command({
  name: "workflow-runs list",
  summary: "list workflow runs, newest first",
  options: {
    workflow: text("--workflow <workflow>", "only runs of this workflow (slug or id)"),
    status: text("--status <status>", "one status, or several separated by commas"),
    limit: count("-n, --limit <n>", "maximum number of results (default: 20)"),
  },
  examples: ["millrace workflow-runs list --workflow order --status running"],
  run: async (cli, { options }) => {
    const filters = { workflow_id: options.workflow, status: options.status };
    const taken = await takeRows<WorkflowRun>(cli, "/v1/workflow-runs", filters, options.limit ?? 20);
    const names = await slugsIn(
      cli,
      "workflows",
      taken.rows.map(({ workflow_id }) => workflow_id),
    );
    await printRows(cli, {
      ...taken,
      nothing: "No workflow runs.",
      columns: [
        { title: "id", value: ({ id }) => id },
        { title: "workflow", value: ({ workflow_id }) => names.get(workflow_id) ?? workflow_id },
        {
          title: "status",
          value: ({ status }) => status,
          show: ({ status }, { colors }) => paintStatus(colors, status),
        },
        { title: "version", value: ({ version }) => String(version) },
        { title: "created", value: ({ created_at }) => created_at, show: ({ created_at }) => agoOf(created_at) },
        {
          title: "duration",
          value: (run) => (run.finished_at === null ? "" : tookOf(run.started_at, run.finished_at)),
        },
        { title: "error", value: ({ error }) => error?.message ?? "" },
      ],
    });
  },
});
