import { useParams } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { loadDag } from "../../parts/dag/dag.tsx";
import { Inspector } from "../../parts/overlay/inspector.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { NoObject } from "../../parts/state/no-object.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { SpanPanel } from "../shared-trace/span-panel.tsx";
import { TraceView } from "../shared-trace/trace-view.tsx";
import { useTrace } from "../shared-trace/use-trace.ts";
import { ExplainDock } from "./explain-dock.tsx";
import { groupSteps } from "./group-steps.ts";
import { RunDetails } from "./run-details.tsx";
import { runGraph, withoutDone } from "./run-graph.ts";
import { RunHeader } from "./run-header.tsx";
import { RunViews, useView } from "./run-views.tsx";
import { StepPanel } from "./step-panel/step-panel.tsx";
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
  const [{ step, panel, hide, group, explain, span: spanId }, change] = useSearchParams();
  const shownView = useView();
  const trace = useTrace({ type: "workflow_run", id: view.run.id }, shownView === "timeline");
  const span = step === undefined && panel === undefined ? trace.shown?.spanOf.get(spanId ?? "") : undefined;
  const whole = useMemo(() => runGraph(view), [view]);
  const shown = useMemo(() => (hide === "done" ? withoutDone(whole) : whole), [whole, hide]);
  const grouped = useMemo(
    () => (group === "off" ? groupSteps({ nodes: [], edges: [] }) : groupSteps(shown)),
    [shown, group],
  );
  const select = (id: string | undefined) =>
    change({ step: id === step ? undefined : id, panel: undefined, span: undefined }, { replace: true });
  const selectedSpan = spanId ?? (step === undefined ? undefined : `${view.run.id}:step:${step}`);
  const selectSpan = (id: string) => {
    const picked = trace.shown?.spanOf.get(id);
    const own = picked?.kind === "workflow_step" && picked.parent_id === view.run.id;
    const isClosing = id === selectedSpan;
    change(
      {
        span: isClosing || own ? undefined : id,
        step: isClosing || !own ? undefined : picked.name,
        panel: undefined,
      },
      { replace: true },
    );
  };
  const close = () => change({ step: undefined, panel: undefined, span: undefined }, { replace: true });
  const drawn = group === "off" ? { ...grouped, ...shown } : grouped;
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <RunHeader view={view} />
        {error !== null && error !== undefined && <ErrorState error={error} as="banner" onRetry={onRetry} />}
        <ViewToolbar view={view} whole={whole} />
        <div className="min-h-0 flex-1 max-sm:min-h-80">
          {shownView === "timeline" ? (
            <div className="flex h-full min-h-0 flex-col px-3 py-3 sm:px-4 lg:px-6">
              <TraceView trace={trace} selected={selectedSpan} onSelect={selectSpan} className="max-h-none" />
            </div>
          ) : (
            <RunViews view={view} graph={drawn} selected={step} onSelect={select} />
          )}
        </div>
        {explain === "on" && <ExplainDock runId={view.run.id} view={view} onSelect={select} />}
      </div>
      <Inspector
        open={step !== undefined || panel === "run" || span !== undefined}
        onClose={close}
        label={span ? "Span" : step === undefined ? "Run" : "Step"}
        title={span ? span.name : step === undefined ? "Run" : titleOf(step)}
      >
        {span && <SpanPanel span={span} />}
        {!span && step === undefined && <RunDetails run={view.run} />}
        {step !== undefined && (
          <StepPanel key={step} view={view} step={step} members={drawn.members.get(step)} onSelect={select} />
        )}
      </Inspector>
    </div>
  );
}

function titleOf(step: string): string {
  return step.startsWith("group:") ? `${step.slice("group:".length)} and others` : step;
}
