import type { EventTrigger } from "@millrace/contract/events";
import type { RunCheckpoint, RunToolCall } from "@millrace/contract/run-records";
import type { Run, RunAttempt } from "@millrace/contract/runs";
import { useMay } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { Section } from "../../parts/facts.tsx";
import { SkeletonLines } from "../../parts/skeleton.tsx";
import { Waterfall } from "../../parts/waterfall.tsx";
import { useSearchParams } from "../../shell/place.ts";
import { runBars } from "../of-runs/run-bars.ts";
import { BarDetail } from "./bar-detail.tsx";

const ALL = { limit: 100, order: "asc" };

/** What happened when: queue, attempts, backoff, waits, tools. A bar that is chosen is told of below. */
export function RunTimeline({ run }: { run: Run }) {
  const [{ bar }, change] = useSearchParams();
  const path = `/v1/runs/${run.id}`;
  const attempts = useApi<Page<RunAttempt>>(`${path}/attempts`, ALL);
  const checkpoints = useApi<Page<RunCheckpoint>>(`${path}/checkpoints`, ALL);
  const toolCalls = useApi<Page<RunToolCall>>(`${path}/tool-calls`, ALL);
  const waits = useApi<Page<EventTrigger>>("/v1/events", { job_run_id: run.id, ...ALL }, useMay("events:read"));
  const records = {
    attempts: own(attempts.data, run.id),
    checkpoints: own(checkpoints.data, run.id),
    toolCalls: own(toolCalls.data, run.id),
    waits: waits.data?.data.filter(({ job_run_id }) => job_run_id === run.id),
  };
  return (
    <Section title="Timeline">
      {attempts.error && <ErrorState error={attempts.error} as="banner" onRetry={() => void attempts.refetch()} />}
      {attempts.data ? (
        <div className="card px-3 py-2">
          <Waterfall
            bars={runBars(run, records)}
            selected={bar}
            onSelect={(id) => change({ bar: id === bar ? undefined : id }, { replace: true })}
          />
        </div>
      ) : (
        <SkeletonLines lines={3} />
      )}
      {bar && (
        <BarDetail
          run={run}
          bar={bar}
          records={records}
          onClose={() => change({ bar: undefined }, { replace: true })}
        />
      )}
    </Section>
  );
}

/** While another run is read, what was read before is still at hand: it is not of this one. */
function own<T extends { run_id: string }>(page: Page<T> | undefined, id: string): T[] {
  return page?.data.filter(({ run_id }) => run_id === id) ?? [];
}
