import type { WorkflowRun } from "@millrace/contract/workflows/workflow-runs";
import { slugsIn } from "../../../api/names.ts";
import { listing } from "../../../api/requests.ts";
import { text } from "../../../command.ts";
import { paintStatus } from "../../../output/status.ts";
import { agoOf, tookOf } from "../../../output/times.ts";

export const workflowRunsList = listing({
  name: "workflow-runs list",
  summary: "list workflow runs, newest first",
  options: {
    workflow: text("--workflow <workflow>", "only runs of this workflow (slug or id)"),
    status: text("--status <status>", "one status, or several separated by commas"),
  },
  examples: ["millrace workflow-runs list --workflow order --status running"],
  path: "/v1/workflow-runs",
  filters: ({ workflow, status }) => ({ workflow_id: workflow, status }),
  nothing: "No workflow runs.",
  limit: 20,
  columns: async (cli, rows: WorkflowRun[]) => {
    const names = await slugsIn(
      cli,
      "workflows",
      rows.map(({ workflow_id }) => workflow_id),
    );
    return [
      { title: "id", value: ({ id }) => id },
      { title: "workflow", value: ({ workflow_id }) => names.get(workflow_id) ?? workflow_id },
      {
        title: "status",
        value: ({ status }) => status,
        show: ({ status }, { colors }) => paintStatus(colors, status),
      },
      { title: "version", value: ({ version }) => String(version), isMinor: true },
      {
        title: "created",
        value: ({ created_at }) => created_at,
        show: ({ created_at }) => agoOf(created_at),
        isMinor: true,
      },
      {
        title: "duration",
        isMinor: true,
        value: (run) => (run.finished_at === null ? "" : tookOf(run.started_at, run.finished_at)),
      },
      { title: "error", value: ({ error }) => error?.message ?? "" },
    ];
  },
});
