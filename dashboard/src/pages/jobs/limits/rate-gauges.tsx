import type { Job } from "@millrace/contract/jobs/jobs";
import type { Run } from "@millrace/contract/runs/runs";
import { type Page, useApi } from "../../../api/use-api.ts";
import { Section } from "../../../parts/facts.tsx";
import { formatDuration } from "../../../parts/format.ts";
import { Countdown } from "../../../parts/state/countdown.tsx";
import { SkeletonLines } from "../../../parts/state/skeleton.tsx";
import { useNow } from "../../../parts/use-now.ts";
import { type RateLimit, roomAt, startsOf } from "../starts.ts";
import { LimitGauge } from "./limit-gauge.tsx";

/** Starts within the current window of each rate limit, counted in the newest hundred runs. */
export function RateGauges({ job }: { job: Job }) {
  const { data } = useApi<Page<Run>>("/v1/runs", { job_id: job.id, limit: 100 });
  const limits = limitsOf(job);
  return (
    <>
      {limits.length === 0 && (
        <Section title="Rate limit">
          <p className="card px-4 py-3 text-ink-3">No rate limit. Runs start as soon as there is capacity.</p>
        </Section>
      )}
      {limits.map((limit) => (
        <RateGauge key={limit.name} limit={limit} runs={data?.data} />
      ))}
    </>
  );
}

function RateGauge({ limit, runs }: { limit: RateLimit; runs: Run[] | undefined }) {
  const now = useNow();
  const { name, key, max, window_secs } = limit;
  const found = startsOf(runs ?? [], limit, now);
  const isOfAll = !key.includes("{{");
  const shown = isOfAll && found.length === 0 ? [{ key, times: [] }] : found;
  return (
    <Section
      title={`${name}: ${max} starts per ${formatDuration(window_secs * 1_000)}${isOfAll ? "" : ` for each ${key}`}`}
    >
      {shown.map((starts) => {
        const at = starts.times.length >= max ? roomAt(starts, max, window_secs) : undefined;
        return (
          <LimitGauge
            key={starts.key}
            label={isOfAll ? "Starts" : starts.key}
            isKey={!isOfAll}
            used={runs && Math.min(starts.times.length, max)}
            max={max}
            note={
              at !== undefined && (
                <span className="flex items-center gap-1 text-ink-2 text-xs">
                  next start in <Countdown until={at} />
                </span>
              )
            }
          />
        );
      })}
      {!runs && !isOfAll && <SkeletonLines lines={1} />}
      {runs && shown.length === 0 && <p className="card px-4 py-3 text-ink-3">No starts in this window.</p>}
    </Section>
  );
}

/** The limit of the whole job is one with a constant key. */
function limitsOf({ rate_limit_max, rate_limit_window_secs, rate_limit_keys }: Job): RateLimit[] {
  if (rate_limit_max === null || rate_limit_window_secs === null) return rate_limit_keys;
  const whole = { name: "All runs", key: "all", max: rate_limit_max, window_secs: rate_limit_window_secs };
  return [whole, ...rate_limit_keys];
}
