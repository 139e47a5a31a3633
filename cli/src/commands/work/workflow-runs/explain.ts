import type { WorkflowDecision } from "@millrace/contract/workflows/workflow-graph";
import { resolveId } from "../../../api/resolve-id.ts";
import { command, required, text } from "../../../command.ts";
import { printRows } from "../../../output/print-rows.ts";

const MAX_DECISIONS = 10_000;

export const workflowRunsExplain = command({
  name: "workflow-runs explain",
  summary: "list the decisions about a workflow run, with reasons",
  args: [required("run", "workflow run id, prefix of an id, or @last")],
  options: { step: text("--step <ref>", "only decisions about this step") },
  examples: ["millrace workflow-runs explain @last --step charge"],
  run: async (cli, { args: [given = ""], options }) => {
    const id = await resolveId(cli, "workflow-runs", given);
    const path = `/v1/workflow-runs/${id}/explain`;
    const rows: WorkflowDecision[] = [];
    for await (const decision of cli
      .client()
      .paginate<WorkflowDecision>(path, { step_ref: options.step, limit: 100, order: "asc" })) {
      if (rows.push(decision) === MAX_DECISIONS) break;
    }
    await printRows(cli, {
      rows,
      hasMore: rows.length === MAX_DECISIONS,
      nothing: options.step === undefined ? "No decisions yet." : `No decisions about step ${options.step} yet.`,
      columns: [
        {
          title: "at",
          value: ({ created_at }) => created_at,
          show: ({ created_at }, { colors }) => colors.dim(created_at.slice(11, 23)),
        },
        { title: "step", value: ({ step_ref }) => step_ref ?? "", show: ({ step_ref }) => step_ref ?? "—" },
        {
          title: "decision",
          value: ({ decision_type }) => decision_type,
          show: (row, { colors }) => colors.cyan(row.decision_type),
        },
        { title: "reason", value: ({ reason }) => reason },
      ],
      wraps: true,
    });
  },
});
