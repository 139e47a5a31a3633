import { stagesOf } from "@millrace/contract/workflows/graph-stages";
import type { WorkflowDiff } from "@millrace/contract/workflows/workflow-versions";
import type { WorkflowVersion } from "@millrace/contract/workflows/workflows";
import { useMemo } from "react";
import { useApi } from "../../../api/use-api.ts";
import { Diff } from "../../../parts/code/diff.tsx";
import { Dag } from "../../../parts/dag/dag.tsx";
import type { DagNode } from "../../../parts/dag/dag-types.ts";
import { ErrorState } from "../../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../../parts/state/skeleton.tsx";
import { definitionGraph } from "../../shared-workflows/definition-graph.ts";
import { useNames } from "../graph-tab.tsx";

type Props = { workflowId: string; from: WorkflowVersion; to: WorkflowVersion };

/** Compares two versions: added, removed and changed steps, then the JSON diff. */
export function VersionDiff({ workflowId, from, to }: Props) {
  const {
    data: diff,
    error,
    refetch,
  } = useApi<WorkflowDiff>(`/v1/workflows/${workflowId}/versions/${from.id}/diff/${to.id}`);
  if (!diff) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonLines lines={6} />;
  return (
    <div className="flex flex-col gap-4">
      <Summary diff={diff} />
      <div className={isLong(from) || isLong(to) ? "grid gap-4" : "grid gap-4 lg:grid-cols-2"}>
        <Side title={`Version ${from.version}`} version={from} diff={diff} ghosts={[]} />
        <Side title={`Version ${to.version}`} version={to} diff={diff} ghosts={from.steps} />
      </div>
      <Diff before={textOf(from)} after={textOf(to)} labels={[`Version ${from.version}`, `Version ${to.version}`]} />
    </div>
  );
}

function Summary({ diff: { added, removed, changed, changed_settings } }: { diff: WorkflowDiff }) {
  const parts: [string, string, string[]][] = [
    ["+", "Added", added],
    ["−", "Removed", removed],
    [
      "~",
      "Changed",
      changed.map(({ step_ref, changes }) => `${step_ref} (${changes.map(({ field }) => field).join(", ")})`),
    ],
    ["~", "Settings", changed_settings.map(({ field }) => field)],
  ];
  const nonEmpty = parts.filter(([, , names]) => names.length > 0);
  if (nonEmpty.length === 0) return <p className="text-ink-2">No differences.</p>;
  return (
    <ul className="flex flex-col gap-1">
      {nonEmpty.map(([sign, word, names]) => (
        <li key={word} className="flex items-baseline gap-2">
          <span className="w-3 font-mono font-semibold">{sign}</span>
          <span className="w-20 flex-none text-ink-2">{word}</span>
          <span className="min-w-0">{names.join(", ")}</span>
        </li>
      ))}
    </ul>
  );
}

type SideProps = { title: string; version: WorkflowVersion; diff: WorkflowDiff; ghosts: WorkflowVersion["steps"] };

function Side({ title, version, diff, ghosts }: SideProps) {
  const nameOf = useNames();
  const { nodes, edges } = useMemo(() => {
    const gone = ghosts.filter(({ step_ref }) => diff.removed.includes(step_ref));
    const graph = definitionGraph([...version.steps, ...gone], nameOf);
    return { edges: graph.edges, nodes: graph.nodes.map((node) => ({ ...node, change: changeOf(node, diff) })) };
  }, [version, ghosts, diff, nameOf]);
  return (
    <figure className="m-0 flex min-w-0 flex-col gap-1.5">
      <figcaption className="font-medium text-ink-2 text-xs">{title}</figcaption>
      <Dag label={title} nodes={nodes} edges={edges} height={260} />
    </figure>
  );
}

function changeOf({ id }: DagNode, { added, removed, changed }: WorkflowDiff): DagNode["change"] {
  if (added.includes(id)) return "added";
  if (removed.includes(id)) return "removed";
  return changed.some(({ step_ref }) => step_ref === id) ? "changed" : undefined;
}

function textOf({ steps, timeout_secs, max_parallel_steps, payload_schema }: WorkflowVersion): string {
  return JSON.stringify({ steps, timeout_secs, max_parallel_steps, payload_schema }, null, 2);
}

const MAX_ADJACENT = 4;

/** Graphs with many stages need the full width, so they are stacked. */
function isLong({ steps }: WorkflowVersion): boolean {
  const edges = steps.flatMap(({ step_ref, depends_on }) => depends_on.map((from) => ({ from, to: step_ref })));
  const stages = stagesOf(
    steps.map(({ step_ref }) => step_ref),
    edges,
  );
  return Math.max(...stages.values()) >= MAX_ADJACENT;
}
