import type { Job } from "@millrace/contract/jobs/jobs";
import type { Run, RunAttempt } from "@millrace/contract/runs/runs";
import { type Page, useApi } from "../../api/use-api.ts";
import { Waterfall } from "../../parts/chart/waterfall.tsx";
import { Json, type JsonPath } from "../../parts/code/json.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { formatMoney } from "../../parts/format.ts";
import { Id, shortId } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { TagList } from "../../parts/tag-list.tsx";
import { Duration, Time } from "../../parts/time.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { runBars } from "../shared-runs/run-bars.ts";
import { StartedBy } from "../shared-runs/started-by.tsx";
import { RunState } from "../shared-waits/run-state.tsx";
import { useWaits } from "../shared-waits/use-waits.ts";

type Props = { run: Run; job: Job | undefined; onPick: (path: JsonPath, value: unknown) => void };

/** Preview of a run next to the list. */
export function RunPeek({ run, job, onPick }: Props) {
  // Refetched when the run changes, because the stream has no attempts.
  const attempts = useApi<Page<RunAttempt>>(`/v1/runs/${run.id}/attempts`, { limit: 100, order: "asc" });
  const whole = useApi<Run>(`/v1/runs/${run.id}`);
  const shown = whole.data && whole.data.updated_at >= run.updated_at ? whole.data : run;
  const wait = useWaits("job_run_id", shown.status === "waiting" ? [shown.id] : []).get(shown.id);
  return (
    <div className="flex flex-col gap-5 p-4">
      <Facts
        facts={[
          [
            "Status",
            <span key="s" className="flex flex-wrap gap-1.5">
              <RunState run={shown} wait={wait} as="badge" />
              {shown.dead_lettered_at && <StatusMark status="dead_lettered" label="Dead letter" as="badge" />}
            </span>,
          ],
          ["Run", <Id key="i" value={shown.id} head={8} tail={12} />],
          [
            "Job",
            job
              ? `${job.name} · ${job.version_id === shown.job_version_id ? `version ${job.version}` : "an earlier version"}`
              : shown.job_id,
          ],
          ["Trigger", <StartedBy key="by" run={shown} />],
          ["Workflow run", shown.workflow_run_id ? <WorkflowRunLink key="w" id={shown.workflow_run_id} /> : null],
          ["Concurrency key", shown.concurrency_key],
          ["Tags", Object.keys(shown.tags).length > 0 ? <TagList key="t" tags={shown.tags} /> : null],
          ["Created", <Time key="c" at={shown.created_at} />],
          ["Duration", shown.started_at ? <Duration key="d" from={shown.started_at} to={shown.finished_at} /> : null],
          ["Cost", shown.cost_microusd > 0 ? formatMoney(shown.cost_microusd) : null],
        ]}
      />
      {shown.error && (
        <Section title="Error">
          <div className="rounded-sm border border-l-2 border-l-failed bg-surface px-3 py-2">
            <code className="font-mono text-xs">{shown.error.code}</code>
            <p className="mt-0.5 whitespace-pre-wrap text-ink-2">{shown.error.message}</p>
          </div>
        </Section>
      )}
      <Section title="Timeline">
        {attempts.error && !attempts.data && (
          <ErrorState error={attempts.error} as="banner" onRetry={() => void attempts.refetch()} />
        )}
        {attempts.data ? <Waterfall bars={runBars(shown, attempts.data.data)} /> : <SkeletonLines lines={2} />}
      </Section>
      <Section title="Payload">
        <Json value={shown.payload} onPick={onPick} />
      </Section>
      {shown.result !== null && (
        <Section title="Result">
          <Json value={shown.result} />
        </Section>
      )}
    </div>
  );
}

function WorkflowRunLink({ id }: { id: string }) {
  const { at } = usePlace();
  return (
    <Link href={at(`workflow-runs/${id}`)} className="font-mono text-accent text-xs hover:underline" title={id}>
      {shortId(id)}
    </Link>
  );
}
