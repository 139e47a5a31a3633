import type { StepRun } from "@millrace/contract/workflows/step-runs";
import { useApi } from "../../../api/use-api.ts";
import { Json } from "../../../parts/code/json.tsx";
import { Facts, Section } from "../../../parts/facts.tsx";
import { formatDuration } from "../../../parts/format.ts";
import { Id } from "../../../parts/id.tsx";
import { Link } from "../../../parts/link.tsx";
import { ErrorState } from "../../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../../parts/state/skeleton.tsx";
import { StatusMark } from "../../../parts/state/status-mark.tsx";
import { Duration, Time } from "../../../parts/time.tsx";
import { usePlace } from "../../../shell/place/place.ts";
import { effectOf, kindOf } from "../../shared-workflows/step-kinds.ts";
import { useJobs } from "../../use-jobs.ts";
import { shownStatus } from "../run-graph.ts";
import type { GraphNode, WorkflowRunView } from "../use-workflow-run.ts";
import { ApprovalPanel } from "./approval-panel.tsx";
import { MapItems } from "./map-items.tsx";
import { StepActions } from "./step-actions.tsx";
import { StepDecisions } from "./step-decisions.tsx";
import { WaitPanel } from "./wait-panel.tsx";

type Props = {
  view: WorkflowRunView;
  step: string;
  /** Steps of a group. */
  members: readonly string[] | undefined;
  onSelect: (id: string) => void;
};

/** Details of the selected step with its actions, or of a group of steps. */
export function StepPanel({ view, step, members, onSelect }: Props) {
  const node = view.graph.nodes.find(({ step_ref }) => step_ref === step);
  if (node) return <Step view={view} node={node} />;
  if (members) return <Members view={view} refs={members} onSelect={onSelect} />;
  return <p className="p-4 text-ink-2">This run has no step with this name.</p>;
}

function Step({ view, node }: { view: WorkflowRunView; node: GraphNode }) {
  const { run, waits, definitions } = view;
  const {
    data: detail,
    error,
    refetch,
  } = useApi<StepRun>(`/v1/workflow-runs/${run.id}/steps/${encodeURIComponent(node.step_ref)}`);
  const wait = waits.get(node.step_ref);
  const definition = definitions.get(node.step_ref);
  return (
    <div className="flex flex-col gap-5 p-4">
      <div>
        <StatusMark status={shownStatus(node)} as="badge" />
      </div>
      {node.type === "approval" && <ApprovalPanel run={run} node={node} wait={wait} definition={definition} />}
      {wait && node.type !== "approval" && <WaitPanel wait={wait} definition={definition} />}
      {node.error && <ErrorSection title="Error" error={node.error} />}
      {node.compensation_error && <ErrorSection title="Compensation failed" error={node.compensation_error} />}
      <StepActions view={view} node={node} />
      <StepFacts view={view} node={node} detail={detail} />
      {error && !detail && <ErrorState error={error} as="banner" onRetry={() => void refetch()} />}
      {!detail && !error && <SkeletonLines lines={3} />}
      {detail?.items && <MapItems runId={run.id} stepRef={node.step_ref} counts={detail.items} />}
      {detail && detail.output !== null && (
        <Section title="Output">
          <Json value={detail.output} />
        </Section>
      )}
      <StepDecisions runId={run.id} stepRef={node.step_ref} />
      {definition && (
        <Section title="Definition">
          <Json value={definition} open={1} />
        </Section>
      )}
    </div>
  );
}

function ErrorSection({ title, error }: { title: string; error: NonNullable<GraphNode["error"]> }) {
  return (
    <Section title={title}>
      <div className="rounded-sm border border-l-2 border-l-failed bg-surface px-3 py-2">
        <code className="font-mono text-xs">{error.code}</code>
        <p className="mt-0.5 whitespace-pre-wrap text-ink-2">{error.message}</p>
        {error.by_id && <Id value={error.by_id} className="text-ink-3" />}
      </div>
    </Section>
  );
}

type FactsProps = { view: WorkflowRunView; node: GraphNode; detail: StepRun | undefined };

function StepFacts({ view: { definitions }, node, detail }: FactsProps) {
  const { at } = usePlace();
  const jobs = useJobs();
  const definition = definitions.get(node.step_ref);
  const job = definition?.job_id ? jobs?.get(definition.job_id) : undefined;
  const { label } = kindOf(node.type);
  return (
    <Facts
      facts={[
        ["Type", label],
        ["Job", definition?.job_id && <RefLink href={at(`jobs/${definition.job_id}`)}>{job?.name ?? "Job"}</RefLink>],
        ["Run", node.run_id && <RefLink href={at(`runs/${node.run_id}`)}>Open job run</RefLink>],
        [
          "Workflow run",
          detail?.child_workflow_run_id && (
            <RefLink href={at(`workflow-runs/${detail.child_workflow_run_id}`)}>Open workflow run</RefLink>
          ),
        ],
        [
          "Compensated by",
          node.compensation_run_id && <RefLink href={at(`runs/${node.compensation_run_id}`)}>Open job run</RefLink>,
        ],
        ["Cause", node.cause && `${node.cause.replaceAll("_", " ")}${node.cause_ref ? `: ${node.cause_ref}` : ""}`],
        [
          "Message",
          node.status !== "waiting" && node.message ? (
            <span key="a" className="whitespace-pre-wrap">
              {node.message}
            </span>
          ) : null,
        ],
        ["Depends on", definition?.depends_on.join(", ")],
        ["Condition", definition?.condition && <code className="font-mono text-xs">{definition.condition}</code>],
        ["On failure", definition && effectOf(definition.on_failure)],
        ["Started", node.started_at && <Time at={node.started_at} />],
        ["Duration", node.started_at && <Duration from={node.started_at} to={node.finished_at} />],
        [
          "Typical duration",
          node.estimate_ms !== null ? (
            <span key="u" className="font-mono text-xs">
              {formatDuration(node.estimate_ms)}
            </span>
          ) : null,
        ],
        ["Restarts", node.generation > 1 ? node.generation - 1 : null],
        ["Id", detail && <Id value={detail.id} />],
      ]}
    />
  );
}

function RefLink({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href} className="text-accent hover:underline">
      {children}
    </Link>
  );
}

function Members({
  view,
  refs,
  onSelect,
}: {
  view: WorkflowRunView;
  refs: readonly string[];
  onSelect: (id: string) => void;
}) {
  const inside = new Set(refs);
  return (
    <ul className="flex flex-col p-2">
      {view.graph.nodes
        .filter(({ step_ref }) => inside.has(step_ref))
        .map((node) => (
          <li key={node.step_ref}>
            <button
              type="button"
              onClick={() => onSelect(node.step_ref)}
              className="flex h-9 w-full items-center gap-2 rounded-sm px-2 text-left hover:bg-hover"
            >
              <StatusMark status={shownStatus(node)} as="mark" />
              <span className="min-w-0 flex-1 truncate">{node.step_ref}</span>
              <Duration from={node.started_at} to={node.finished_at} />
            </button>
          </li>
        ))}
    </ul>
  );
}
