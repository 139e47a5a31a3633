import type { Workflow } from "@millrace/contract/workflows/workflows";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListTable } from "../../parts/table/list-table.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { useWorkflowRunRows } from "../shared-workflows/use-workflow-run-rows.ts";
import { useWorkflowRunFilter, useWorkflowRuns } from "../shared-workflows/use-workflow-runs.ts";

const CHOICES = [
  { id: "", label: "All" },
  { id: "pending,running", label: "Open" },
  { id: "failed,timed_out", label: "Needs attention" },
];

export function RunsTab({ workflow }: { workflow: Workflow }) {
  const [{ status = "" }, change] = useSearchParams();
  const filter = useWorkflowRunFilter({ status, workflow: workflow.id });
  const list = useWorkflowRuns(filter, false);
  const table = useWorkflowRunRows(list.rows, "workflow");
  return (
    <div className="flex h-[max(360px,calc(100vh-280px))] flex-col gap-3">
      <Segments label="Presets" value={status} options={CHOICES} onChange={(id) => change({ status: id })} />
      <div className="card flex min-h-0 flex-1 flex-col overflow-hidden">
        <ListTable
          {...table}
          list={list}
          empty={
            <EmptyState small title="No runs of this workflow match">
              Trigger the workflow, or show all of its runs.
            </EmptyState>
          }
        />
      </div>
    </div>
  );
}
