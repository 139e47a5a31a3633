import type { Job, JobVersion } from "@millrace/contract/jobs/jobs";
import type { Run } from "@millrace/contract/runs/runs";
import { Json } from "../../parts/code/json.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { formatDuration } from "../../parts/format.ts";
import { TagList } from "../../parts/tag-list.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorDetail } from "./error-detail.tsx";

type Props = { run: Run; job: Job | undefined; version: Job | JobVersion | undefined };

export function OverviewTab({ run, job, version }: Props) {
  return (
    <div className="flex flex-col gap-5">
      {run.error && (
        <Section title="Error">
          <ErrorDetail {...run.error} />
        </Section>
      )}
      <div className="grid gap-x-8 gap-y-5 lg:grid-cols-2">
        <Section title="Payload">
          <Json value={run.payload} />
        </Section>
        <Section title="Result">
          {run.result === null ? (
            <p className="text-ink-3">None{run.finished_at ? "." : " yet."}</p>
          ) : (
            <Json value={run.result} />
          )}
        </Section>
        <Section title="Run">
          <Facts
            facts={[
              ["Created", <Time key="c" at={run.created_at} />],
              // A start in the past is visible in the timeline.
              ["Scheduled for", run.status === "pending" ? <Time key="s" at={run.scheduled_at} /> : null],
              ["Started", run.started_at && <Time key="b" at={run.started_at} />],
              ["Finished", run.finished_at && <Time key="f" at={run.finished_at} />],
              ["Dead letter", run.dead_lettered_at && <Time key="d" at={run.dead_lettered_at} />],
              ["Priority", run.priority],
              ["Timeout", `${formatDuration(run.timeout_secs * 1_000)} per attempt`],
              [
                "Idempotency key",
                run.idempotency_key && (
                  <code key="i" className="break-all font-mono text-xs">
                    {run.idempotency_key}
                  </code>
                ),
              ],
              ["Tags", Object.keys(run.tags).length > 0 ? <TagList key="t" tags={run.tags} /> : null],
            ]}
          />
        </Section>
        <Section title="Job">
          <Facts
            facts={[
              [
                "Slug",
                job && (
                  <code key="g" className="font-mono text-xs">
                    {job.slug}
                  </code>
                ),
              ],
              ["Delivery", version?.delivery],
              [
                "Queue",
                job && (
                  <code key="q" className="font-mono text-xs">
                    {job.queue}
                  </code>
                ),
              ],
              [
                "Endpoint",
                version?.endpoint_url && (
                  <code key="e" className="break-all font-mono text-xs">
                    {version.endpoint_url}
                  </code>
                ),
              ],
              ["Version", version && job && versionText(version.version, job.version)],
              ["Retry backoff", version?.retry_strategy],
            ]}
          />
        </Section>
        {Object.keys(run.metadata).length > 0 && (
          <Section title="Metadata">
            <Json value={run.metadata} />
          </Section>
        )}
      </div>
    </div>
  );
}

function versionText(own: number, current: number): string {
  return own === current ? String(own) : `${own} (current version is ${current})`;
}
