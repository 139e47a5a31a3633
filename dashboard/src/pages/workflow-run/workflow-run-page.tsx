import { useParams } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { loadDag } from "../../parts/dag/dag.tsx";
import { Inspector } from "../../parts/overlay/inspector.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { NoObject } from "../../parts/state/no-object.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { useSearchParams } from "../../shell/place.ts";
import { ExplainDock } from "./explain-dock.tsx";
import { groupSteps } from "./group-steps.ts";
import { RunDetails } from "./run-details.tsx";
import { runGraph, withoutDone } from "./run-graph.ts";
import { RunHeader } from "./run-header.tsx";
import { RunViews } from "./run-views.tsx";
import { StepPanel } from "./step-panel.tsx";
import { useWorkflowRun, type WorkflowRunView } from "./use-workflow-run.ts";
import { ViewToolbar } from "./view-toolbar.tsx";

/** Live view of a workflow run: graph, timeline and list share one selection, kept in the URL. */
export default function WorkflowRunPage() {
  const { workflowRunId = "" } = useParams({ strict: false }) as { workflowRunId?: string };
  const { view, error, refetch } = useWorkflowRun(workflowRunId);
  useEffect(() => void loadDag(), []);
  if (view) return <Whole view={view} error={error} onRetry={refetch} />;
  if (error) return <NoObject error={error} onRetry={refetch} noun="workflow run" list="workflow-runs" />;
  return (
    <div className="p-6">
      <SkeletonLines lines={8} />
    </div>
  );
}

function Whole({ view, error, onRetry }: { view: WorkflowRunView; error: unknown; onRetry: () => void }) {
  const [{ step, panel, hide, group, explain }, change] = useSearchParams();
  const whole = useMemo(() => runGraph(view), [view]);
  const shown = useMemo(() => (hide === "done" ? withoutDone(whole) : whole), [whole, hide]);
  const grouped = useMemo(
    () => (group === "off" ? groupSteps({ nodes: [], edges: [] }) : groupSteps(shown)),
    [shown, group],
  );
  const select = (id: string | undefined) =>
    change({ step: id === step ? undefined : id, panel: undefined }, { replace: true });
  const close = () => change({ step: undefined, panel: undefined }, { replace: true });
  const drawn = group === "off" ? { ...grouped, ...shown } : grouped;
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <RunHeader view={view} />
        {error !== null && error !== undefined && <ErrorState error={error} as="banner" onRetry={onRetry} />}
        <ViewToolbar view={view} whole={whole} />
        <div className="min-h-0 flex-1 max-sm:min-h-80">
          <RunViews view={view} graph={drawn} selected={step} onSelect={select} />
        </div>
        {explain === "on" && <ExplainDock runId={view.run.id} view={view} onSelect={select} />}
      </div>
      <Inspector
        open={step !== undefined || panel === "run"}
        onClose={close}
        label={step === undefined ? "Run" : "Step"}
        title={step === undefined ? "Run" : titleOf(step)}
      >
        {step === undefined ? (
          <RunDetails run={view.run} />
        ) : (
          <StepPanel key={step} view={view} step={step} members={drawn.members.get(step)} onSelect={select} />
        )}
      </Inspector>
    </div>
  );
}

function titleOf(step: string): string {
  return step.startsWith("group:") ? `${step.slice("group:".length)} and others` : step;
}
