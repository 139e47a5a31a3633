import type { WorkflowRun } from "@millrace/contract/workflows/workflow-runs";
import { useRouter } from "@tanstack/react-router";
import { useMemo } from "react";
import { pickColumns } from "../../parts/table/table-columns.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { useWaits } from "../shared-waits/use-waits.ts";
import { useWorkflows } from "./use-workflows.ts";
import { workflowRunColumns } from "./workflow-run-columns.tsx";

/** Columns and links of workflow run lists. `without`: a column that is redundant here. */
export function useWorkflowRunRows(rows: readonly WorkflowRun[] = [], without?: string) {
  const { at } = usePlace();
  const { history } = useRouter();
  const workflows = useWorkflows();
  const running = useMemo(() => rows.flatMap(({ id, status }) => (status === "running" ? [id] : [])), [rows]);
  const waits = useWaits("workflow_run_id", running);
  return useMemo(() => {
    const href = ({ id }: WorkflowRun) => at(`workflow-runs/${id}`);
    const columns = pickColumns(workflowRunColumns(workflows, href, waits), undefined);
    return {
      label: "Workflow runs",
      columns: columns.filter(({ id }) => id !== without),
      onOpen: (run: WorkflowRun) => history.push(href(run)),
    };
  }, [workflows, waits, at, history, without]);
}
