import type { EventTrigger } from "@millrace/contract/events";
import type { RunCheckpoint, RunToolCall } from "@millrace/contract/run-records";
import type { Run, RunAttempt } from "@millrace/contract/runs";
import { useMay } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { Waterfall } from "../../parts/chart/waterfall.tsx";
import { Section } from "../../parts/facts.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useSearchParams } from "../../shell/place.ts";
import { runBars } from "../shared-runs/run-bars.ts";
import { useRunLogs } from "../shared-runs/use-run-logs.ts";
import { BarDetail } from "./bar-detail.tsx";

const ALL = { limit: 100, order: "asc" };
const EVERY_LINE = { min: "debug", q: "" };

type Props = { run: Run; endpoint: string | null | undefined };

/** Timeline of queue, attempts, backoff, waits, tool calls and logs. The selected bar is detailed below. */
export function RunTimeline({ run, endpoint }: Props) {
  const [{ bar, attempt }, change] = useSearchParams();
  const { records, isRead, error, refetch } = useRecords(run);
  return (
    <Section
      title="Timeline"
      actions={
        records.attempts.length > 1 && (
          <Segments
            label="Attempt"
            value={attempt ?? ""}
            options={[
              { id: "", label: "All attempts" },
              ...records.attempts.map((each) => ({ id: String(each.attempt), label: String(each.attempt) })),
            ]}
            onChange={(id) => change({ attempt: id, bar: undefined }, { replace: true })}
          />
        )
      }
    >
      {error && <ErrorState error={error} as="banner" onRetry={() => void refetch()} />}
      {isRead ? (
        <div className="card px-3 py-2">
          <Waterfall
            bars={runBars(run, records, attempt === undefined ? undefined : Number(attempt))}
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
          endpoint={endpoint}
          onClose={() => change({ bar: undefined }, { replace: true })}
        />
      )}
    </Section>
  );
}

/** Data of the bars. Every run has attempts; the rest may load later. */
function useRecords(run: Run) {
  const path = `/v1/runs/${run.id}`;
  const attempts = useApi<Page<RunAttempt>>(`${path}/attempts`, ALL);
  const checkpoints = useApi<Page<RunCheckpoint>>(`${path}/checkpoints`, ALL);
  const toolCalls = useApi<Page<RunToolCall>>(`${path}/tool-calls`, ALL);
  const waits = useApi<Page<EventTrigger>>("/v1/events", { job_run_id: run.id, ...ALL }, useMay("events:read"));
  const { lines } = useRunLogs(run.id, EVERY_LINE);
  const records = {
    attempts: attempts.data?.data ?? [],
    logs: lines,
    checkpoints: checkpoints.data?.data ?? [],
    toolCalls: toolCalls.data?.data ?? [],
    waits: waits.data?.data,
  };
  return { records, isRead: attempts.data !== undefined, error: attempts.error, refetch: attempts.refetch };
}
