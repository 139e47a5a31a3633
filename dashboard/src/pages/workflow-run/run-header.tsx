import type { Workflow } from "@millrace/contract/workflows/workflows";
import { Stamp } from "lucide-react";
import type { ReactNode } from "react";
import { useApi } from "../../api/use-api.ts";
import { Progress } from "../../parts/chart/progress.tsx";
import { AsCode } from "../../parts/code/as-code.tsx";
import { Button } from "../../parts/form/button.tsx";
import { formatDuration } from "../../parts/format.ts";
import { Id, shortId } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { TagList } from "../../parts/tag-list.tsx";
import { Duration, Time } from "../../parts/time.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { StartedBy } from "../shared-runs/started-by.tsx";
import { mainWait } from "../shared-waits/wait-words.ts";
import { WorkflowRunState } from "../shared-waits/workflow-run-state.tsx";
import { RunActions } from "./run-actions.tsx";
import { hasEnded, type WorkflowRunView } from "./use-workflow-run.ts";

export function RunHeader({ view }: { view: WorkflowRunView }) {
  const { run } = view;
  const { at } = usePlace();
  const { data: workflow } = useApi<Workflow>(`/v1/workflows/${run.workflow_id}`);
  return (
    <PageHeader
      lead={<WorkflowRunState run={run} wait={mainWait(openWaits(view))} as="badge" />}
      title={
        <Link href={at(`workflows/${run.workflow_id}`)} className="hover:text-accent">
          {workflow?.name ?? "Workflow run"}
        </Link>
      }
      count={<Id value={run.id} head={8} tail={12} />}
      actions={
        <>
          <AsCode code={codeOfRun(run.id)} about="Workflow run" />
          <Decide view={view} />
          <RunActions view={view} />
        </>
      }
    >
      <RunFacts view={view} />
      {run.error && (
        <p className="flex flex-wrap items-baseline gap-x-2 rounded-sm border border-l-2 border-l-failed bg-surface px-3 py-1.5">
          <code className="font-mono text-xs">{run.error.code}</code>
          <span className="text-ink-2">{run.error.message}</span>
          {run.error.by_id && <Id value={run.error.by_id} className="text-ink-3" />}
        </p>
      )}
    </PageHeader>
  );
}

/** Opens the step that waits for an approval, with its form. */
function Decide({ view }: { view: WorkflowRunView }) {
  const [, change] = useSearchParams();
  const wait = mainWait(openWaits(view));
  const step = [...view.waits].find(([, { id }]) => id === wait?.id)?.[0];
  if (wait?.wait_kind !== "approval" || step === undefined) return null;
  return (
    <Button kind="primary" icon={<Stamp size={14} />} onClick={() => change({ step, panel: undefined })}>
      Decide
    </Button>
  );
}

function openWaits({ waits }: WorkflowRunView) {
  return [...waits.values()].filter(({ status }) => status === "waiting");
}

function RunFacts({ view: { run, graph } }: { view: WorkflowRunView }) {
  const { at } = usePlace();
  const facts: [string, ReactNode][] = [
    ["Steps", <StepProgress key="s" nodes={graph.nodes} />],
    ["Version", run.version],
    ["Trigger", <StartedBy key="t" run={run} />],
    ["Created", <Time key="c" at={run.created_at} />],
    ["Duration", <Duration key="d" from={run.started_at} to={run.finished_at} />],
  ];
  const { remaining_ms } = graph.critical_path;
  if (!hasEnded(run) && remaining_ms !== null)
    facts.push([
      "Remaining",
      <span key="l" className="font-mono text-xs">
        ~ {formatDuration(remaining_ms)}
      </span>,
    ]);
  if (run.parent_workflow_run_id)
    facts.push([
      "Parent run",
      <Link
        key="p"
        href={at(`workflow-runs/${run.parent_workflow_run_id}`, { step: run.parent_step_ref ?? undefined })}
        className="text-accent hover:underline"
      >
        {run.parent_step_ref ?? shortId(run.parent_workflow_run_id)}
      </Link>,
    ]);
  if (Object.keys(run.tags).length > 0) facts.push(["Tags", <TagList key="t" tags={run.tags} />]);
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2 pb-1">
      {facts.map(([name, value]) => (
        <div key={name} className="flex min-w-0 flex-col">
          <dt className="text-ink-3 text-xs">{name}</dt>
          <dd className="min-w-0 truncate">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const PARTS = [
  { label: "Completed", statuses: ["completed", "skipped"], className: "bg-success" },
  { label: "Failed", statuses: ["failed"], className: "bg-failed" },
  { label: "Canceled", statuses: ["canceled"], className: "bg-queued" },
  { label: "Running", statuses: ["running"], className: "bg-running" },
  { label: "Waiting", statuses: ["waiting"], className: "bg-waiting" },
];

function StepProgress({ nodes }: { nodes: WorkflowRunView["graph"]["nodes"] }) {
  const parts = PARTS.map(({ label, statuses, className }) => ({
    label,
    className,
    value: nodes.filter(({ status }) => statuses.includes(status)).length,
  }));
  const done = parts[0]?.value ?? 0;
  return (
    <span className="flex h-5 items-center gap-2">
      <Progress label="Finished steps" value={done} total={nodes.length} parts={parts} className="!w-28" />
      <span className="font-mono text-xs">
        {done}
        <span className="text-ink-3">/{nodes.length}</span>
      </span>
    </span>
  );
}

function codeOfRun(id: string) {
  return codeOf(
    { method: "GET", path: `/v1/workflow-runs/${id}/graph` },
    {
      cli: `millrace workflow-runs watch ${id}\nmillrace workflow-runs explain ${id}`,
      typescript: `const graph = await millrace.workflowRuns.graph("${id}");\nfor await (const decision of millrace.workflowRuns.explain("${id}")) {\n  console.log(decision.step_ref, decision.reason);\n}`,
    },
  );
}
