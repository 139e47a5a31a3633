import type { Job } from "@millrace/contract/jobs/jobs";
import type { Run } from "@millrace/contract/runs/runs";
import { useMemo } from "react";
import { useDisabledReason, useMay } from "../../../api/me.ts";
import { type Page, useApi } from "../../../api/use-api.ts";
import { Facts, Section } from "../../../parts/facts.tsx";
import { formatDuration, formatMoney } from "../../../parts/format.ts";
import { EmptyState } from "../../../parts/state/empty-state.tsx";
import { SkeletonLines } from "../../../parts/state/skeleton.tsx";
import { useRefetchOnChange } from "../../shared-analytics/use-refetch-on-change.ts";
import { LimitGauge } from "./limit-gauge.tsx";
import { RateGauges } from "./rate-gauges.tsx";

const TOP = 10;
const REFETCH_SETS = [["/v1/runs"]];
const noop = () => {};

/** The limits of a job and their current usage. */
export function LimitsTab({ job }: { job: Job }) {
  const disabledReason = useDisabledReason("runs:read");
  useRefetchOnChange(useMay("runs:read"), REFETCH_SETS, undefined, noop);
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      {disabledReason ? (
        <EmptyState small title="You don't have access to runs">
          {disabledReason}
        </EmptyState>
      ) : (
        <div className="flex flex-col gap-6">
          <AtOnce job={job} />
          <RateGauges job={job} />
        </div>
      )}
      <Section title="Other limits">
        <div className="card p-4">
          <Facts
            facts={[
              ["Debounce", job.debounce_window_secs ? secsText(job.debounce_window_secs) : "none"],
              [
                "Deduplication",
                job.dedup_window_secs ? `one run per payload in ${secsText(job.dedup_window_secs)}` : "none",
              ],
              ["Must start within", job.run_ttl_secs ? secsText(job.run_ttl_secs) : "no limit"],
              ["Attempt timeout", secsText(job.timeout_secs)],
              [
                "Cost per run",
                job.max_cost_microusd === null ? "no limit" : `at most ${formatMoney(job.max_cost_microusd)}`,
              ],
            ]}
          />
        </div>
      </Section>
    </div>
  );
}

function AtOnce({ job }: { job: Job }) {
  const { data } = useApi<Page<Run>>("/v1/runs", { job_id: job.id, status: "running", limit: 100 });
  const keys = useMemo(() => data && countKeys(data.data), [data]);
  const perKey = job.max_concurrency_per_key;
  return (
    <>
      <Section title="Concurrency">
        <LimitGauge
          label="Runs in flight"
          used={data?.data.length}
          isLowerBound={data?.has_more ?? false}
          max={job.max_concurrency}
        />
      </Section>
      <Section title="Busiest concurrency keys">
        {!keys && <SkeletonLines lines={1} />}
        {keys?.map(([key, used]) => (
          <LimitGauge key={key} label={key} isKey used={used} max={perKey} />
        ))}
        {keys?.length === 0 && (
          <p className="card px-4 py-3 text-ink-3">
            No runs with a concurrency key{perKey === null ? ", and no limit per key." : `. Limit per key: ${perKey}.`}
          </p>
        )}
      </Section>
    </>
  );
}

function secsText(secs: number): string {
  return formatDuration(secs * 1_000);
}

function countKeys(runs: Run[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { concurrency_key: key } of runs) if (key) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, TOP);
}
