import type { Job, JobVersion } from "@millrace/contract/jobs";
import type { Run } from "@millrace/contract/runs";
import { useParams } from "@tanstack/react-router";
import { useMay } from "../../api/me.ts";
import { useApi } from "../../api/use-api.ts";
import { PageBody } from "../../parts/page-header.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { NoObject } from "../../parts/state/no-object.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { ENDED, useRun } from "../shared-runs/use-run.ts";
import { RunHeader } from "./run-header.tsx";
import { RunTabs } from "./run-tabs.tsx";
import { RunTimeline } from "./run-timeline.tsx";
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

function ShownRun({ run, error, onRetry }: { run: Run; error: unknown; onRetry: () => void }) {
  const { job, version } = useJobOf(run);
  return (
    <>
      {error !== null && error !== undefined && <ErrorState error={error} as="banner" onRetry={onRetry} />}
      <RunHeader run={run} job={job} version={version} />
      <PageBody className="flex flex-col gap-4">
        {!ENDED.has(run.status) && run.status !== "running" && <WhyNotRunning run={run} />}
        <RunTimeline run={run} endpoint={version?.endpoint_url} />
        <RunTabs key={run.id} run={run} job={job} version={version} />
      </PageBody>
    </>
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
