import type { Job } from "@millrace/contract/jobs";
import type { Run } from "@millrace/contract/runs";
import { useMemo } from "react";
import { type Page, useApi } from "../../api/use-api.ts";
import { Facts, Section } from "../../parts/facts.tsx";
import { formatDuration, formatMoney } from "../../parts/format.ts";
import { Progress } from "../../parts/progress.tsx";

const TOP = 10;

/** What bounds the job, and how much of it is used now. */
export function LimitsTab({ job }: { job: Job }) {
  const { data } = useApi<Page<Run>>("/v1/runs", { job_id: job.id, status: "running", limit: 100 });
  const running = data?.data.length;
  const keys = useMemo(() => countKeys(data?.data ?? []), [data]);
  const window = job.rate_limit_window_secs;
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <Section title="At the same time">
        <Gauge label="Runs of the job" used={running} most={job.max_concurrency} />
        {job.max_concurrency_per_key !== null &&
          (keys.length === 0 ? (
            <p className="text-ink-3">No key is at work: {job.max_concurrency_per_key} for each.</p>
          ) : (
            keys.map(([key, used]) => <Gauge key={key} label={key} used={used} most={job.max_concurrency_per_key} />)
          ))}
      </Section>
      <Section title="Starts">
        <Facts
          facts={[
            [
              "Rate",
              job.rate_limit_max !== null && window !== null
                ? `${job.rate_limit_max} in ${formatDuration(window * 1_000)}`
                : "no limit",
            ],
            ...job.rate_limit_keys.map((limit): [string, string] => [
              limit.name,
              `${limit.max} in ${formatDuration(limit.window_secs * 1_000)} for each ${limit.key}`,
            ]),
            ["Debounce", job.debounce_window_secs && formatDuration(job.debounce_window_secs * 1_000)],
            ["Same payload", job.dedup_window_secs && `once in ${formatDuration(job.dedup_window_secs * 1_000)}`],
            ["Start within", job.run_ttl_secs && formatDuration(job.run_ttl_secs * 1_000)],
            [
              "Cost of a run",
              job.max_cost_microusd === null ? "no limit" : `at most ${formatMoney(job.max_cost_microusd)}`,
            ],
          ]}
        />
      </Section>
    </div>
  );
}

function Gauge({ label, used, most }: { label: string; used: number | undefined; most: number | null }) {
  return (
    <div className="card flex flex-col gap-2 px-4 py-3">
      <div className="flex justify-between gap-3">
        <span className="truncate">{label}</span>
        <span className="font-mono text-xs">
          {used ?? "–"} <span className="text-ink-3">of {most ?? "any"}</span>
        </span>
      </div>
      {most !== null && <Progress label={label} value={Math.min(used ?? 0, most)} total={most} />}
    </div>
  );
}

function countKeys(runs: Run[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { concurrency_key: key } of runs) if (key) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, TOP);
}
