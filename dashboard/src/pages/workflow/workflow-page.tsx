import type { Workflow } from "@millrace/contract/workflows/workflows";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useApi } from "../../api/use-api.ts";
import { PageBody } from "../../parts/page-header.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { NoObject } from "../../parts/state/no-object.tsx";
import { Skeleton, SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { CanaryTab } from "./canary/canary-tab.tsx";
import { GraphTab } from "./graph-tab.tsx";
import { PerformanceTab } from "./performance/performance-tab.tsx";
import { PlanTab } from "./plan-tab.tsx";
import { RunsTab } from "./runs-tab.tsx";
import { SettingsTab } from "./settings-tab.tsx";
import { TriggersTab } from "./triggers-tab.tsx";
import { VersionsTab } from "./versions/versions-tab.tsx";
import { WorkflowHeader } from "./workflow-header.tsx";

const EditorTab = lazy(() => import("./editor/editor-tab.tsx"));

/** One workflow: definition, runs and changes. */
export default function WorkflowPage() {
  const { workflowId = "" } = useParams({ strict: false }) as { workflowId?: string };
  const { data: workflow, error, refetch } = useApi<Workflow>(`/v1/workflows/${encodeURIComponent(workflowId)}`);
  if (workflow) return <Whole key={workflow.id} workflow={workflow} error={error} onRetry={() => void refetch()} />;
  if (error) return <NoObject error={error} onRetry={() => void refetch()} noun="workflow" list="workflows" />;
  return (
    <PageBody>
      <SkeletonLines lines={8} />
    </PageBody>
  );
}

function Whole({ workflow, error, onRetry }: { workflow: Workflow; error: unknown; onRetry: () => void }) {
  const [{ tab = "graph" }, change] = useSearchParams();
  const tabs = [
    { id: "graph", label: "Graph", content: <GraphTab workflow={workflow} /> },
    {
      id: "editor",
      label: "Editor",
      content: (
        <Suspense fallback={<Skeleton className="h-96 w-full" />}>
          <EditorTab workflow={workflow} />
        </Suspense>
      ),
    },
    { id: "runs", label: "Runs", content: <RunsTab workflow={workflow} /> },
    { id: "performance", label: "Performance", content: <PerformanceTab workflow={workflow} /> },
    { id: "versions", label: "Versions", count: workflow.version, content: <VersionsTab workflow={workflow} /> },
    { id: "canary", label: "Canary", content: <CanaryTab workflow={workflow} /> },
    { id: "plan", label: "Plan & simulate", content: <PlanTab workflow={workflow} /> },
    { id: "triggers", label: "Triggers", content: <TriggersTab workflow={workflow} /> },
    { id: "settings", label: "Settings", content: <SettingsTab key={workflow.updated_at} workflow={workflow} /> },
  ];
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <WorkflowHeader workflow={workflow} />
      {error !== null && <ErrorState error={error} as="banner" onRetry={onRetry} />}
      <PageBody className="!pt-2">
        <Tabs label="Workflow sections" tabs={tabs} value={tab} onChange={(id) => change({ tab: id })} />
      </PageBody>
    </div>
  );
}
