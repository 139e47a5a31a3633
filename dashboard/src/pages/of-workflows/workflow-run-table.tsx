import type { WorkflowRun } from "@millrace/contract/workflow-runs";
import { useRouter } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { ErrorState } from "../../parts/error-state.tsx";
import { Table } from "../../parts/table.tsx";
import { pickColumns } from "../../parts/table-columns.tsx";
import { usePlace } from "../../shell/place.ts";
import type { useWorkflowRuns } from "./use-workflow-runs.ts";
import { useWorkflows } from "./use-workflows.ts";
import { workflowRunColumns } from "./workflow-run-columns.tsx";

type Props = {
  list: ReturnType<typeof useWorkflowRuns>;
  empty: ReactNode;
  cols?: string | undefined;
  /** Columns that say nothing here. */
  without?: string[];
};

/** Workflow runs in rows. What came meanwhile is counted in a pill, so that nothing moves. */
export function WorkflowRunTable({ list, empty, cols, without = [] }: Props) {
  const { at } = usePlace();
  const { history } = useRouter();
  const workflows = useWorkflows();
  const columns = useMemo(
    () => workflowRunColumns(workflows, ({ id }: WorkflowRun) => at(`workflow-runs/${id}`)),
    [workflows, at],
  );
  const { rows, error, news, showNews } = list;
  if (error && !rows) return <ErrorState error={error} onRetry={() => void list.refetch()} />;
  return (
    <>
      {error && <ErrorState error={error} as="banner" onRetry={() => void list.refetch()} />}
      <div className="relative flex min-h-0 flex-1 flex-col border-t">
        {news > 0 && (
          <div className="pointer-events-none absolute inset-x-0 top-11 z-20 flex justify-center">
            <button
              type="button"
              onClick={showNews}
              className="pointer-events-auto h-7 animate-appear rounded-full bg-accent px-3 font-medium text-on-accent text-xs shadow-float hover:bg-accent-strong"
            >
              {news} new
            </button>
          </div>
        )}
        <Table
          label="Workflow runs"
          rows={rows}
          rowKey={({ id }) => id}
          columns={pickColumns(columns, cols).filter(({ id }) => !without.includes(id))}
          onOpen={({ id }) => history.push(at(`workflow-runs/${id}`))}
          onReachEnd={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : undefined}
          isLoadingMore={list.isFetchingNextPage}
          empty={empty}
        />
      </div>
    </>
  );
}
