import type { Job, JobVersion } from "@millrace/contract/jobs/jobs";
import type { Run } from "@millrace/contract/runs/runs";
import { useParams } from "@tanstack/react-router";
import { useMay } from "../../api/me.ts";
import { useApi } from "../../api/use-api.ts";
import { Section } from "../../parts/facts.tsx";
import { Inspector } from "../../parts/overlay/inspector.tsx";
import { PageBody } from "../../parts/page-header.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { NoObject } from "../../parts/state/no-object.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { ENDED, useRun } from "../shared-runs/use-run.ts";
import { SpanPanel } from "../shared-trace/span-panel.tsx";
import { TraceView } from "../shared-trace/trace-view.tsx";
import { useTrace } from "../shared-trace/use-trace.ts";
import { AttemptDetail } from "./attempt-detail.tsx";
import { RunHeader } from "./run-header.tsx";
import { RunTabs } from "./run-tabs.tsx";
import { WhyNotRunning } from "./why-not-running.tsx";

/** One run: what happened, why, and actions. */
export default function RunPage() {
  const { runId = "" } = useParams({ strict: false }) as { runId?: string };
  const { run, error, refetch } = useRun(runId);
  if (error && !run) return <NoObject error={error} onRetry={() => void refetch()} noun="run" list="runs" />;
  if (!run) {
    return (
      <PageBody>
        <SkeletonLines lines={6} />
      </PageBody>
    );
  }
  return <ShownRun run={run} error={error} onRetry={() => void refetch()} />;
}

type Props = { run: Run; error: unknown; onRetry: () => void };

function ShownRun({ run, error, onRetry }: Props) {
  const { job, version } = useJobOf(run);
  const [{ span: selected }, change] = useSearchParams();
  const trace = useTrace({ type: "run", id: run.id });
  const span = trace.shown?.spanOf.get(selected ?? "");
  const close = () => change({ span: undefined }, { replace: true });
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto">
        {error !== null && error !== undefined && <ErrorState error={error} as="banner" onRetry={onRetry} />}
        <RunHeader run={run} job={job} version={version} />
        <PageBody className="flex flex-col gap-4">
          {!ENDED.has(run.status) && run.status !== "running" && <WhyNotRunning run={run} />}
          <Section title="Trace">
            <TraceView
              trace={trace}
              selected={selected}
              onSelect={(id) => change({ span: id === selected ? undefined : id }, { replace: true })}
            />
          </Section>
          <RunTabs key={run.id} run={run} job={job} version={version} trace={trace.shown} />
        </PageBody>
      </div>
      <Inspector open={span !== undefined} onClose={close} label="Span" title={span?.name}>
        {span && (
          <SpanPanel span={span}>
            {span.kind === "attempt" && span.id.startsWith(run.id) && (
              <AttemptDetail run={run} attempt={span} endpoint={version?.endpoint_url} />
            )}
          </SpanPanel>
        )}
      </Inspector>
    </div>
  );
}

/** The job now, and its version for this run, which loads separately if it is older. */
function useJobOf(run: Run): { job: Job | undefined; version: Job | JobVersion | undefined } {
  const isAllowed = useMay("jobs:read");
  const { data: job } = useApi<Job>(`/v1/jobs/${run.job_id}`, {}, isAllowed);
  const isOlder = job !== undefined && job.version_id !== run.job_version_id;
  const { data: version } = useApi<JobVersion>(`/v1/jobs/${run.job_id}/versions/${run.job_version_id}`, {}, isOlder);
  return { job, version: isOlder ? version : job };
}
