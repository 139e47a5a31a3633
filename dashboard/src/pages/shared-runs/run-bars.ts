import type { EventTrigger } from "@millrace/contract/events";
import type { RunCheckpoint, RunLog, RunToolCall } from "@millrace/contract/run-records";
import type { Run, RunAttempt } from "@millrace/contract/runs";
import type { WaterfallBar, WaterfallTick } from "../../parts/chart/waterfall.tsx";

export type RunRecords = {
  attempts: RunAttempt[];
  waits?: EventTrigger[] | undefined;
  checkpoints?: RunCheckpoint[] | undefined;
  toolCalls?: RunToolCall[] | undefined;
  logs?: RunLog[] | undefined;
};

/**
 * Timeline of a run: queue, attempts with their tool calls, checkpoints and logs, and the gaps between them. `only`:
 * one attempt and the gap after it.
 */
export function runBars(run: Run, records: RunRecords, only?: number): WaterfallBar[] {
  const { attempts } = records;
  const waits = records.waits ?? [];
  const first = attempts[0]?.started_at ?? run.started_at;
  const isAll = only === undefined || attempts.every(({ attempt }) => attempt !== only);
  const bars = isAll ? [idle("queue", "Queued", "queued", run.created_at, first ?? run.finished_at)] : [];
  attempts.forEach((attempt, nth) => {
    if (!isAll && attempt.attempt !== only) return;
    bars.push(attemptBar(attempt, records));
    bars.push(...toolBars(attempt, records.toolCalls ?? []));
    const next = attempts[nth + 1];
    bars.push(...gapBars(run, attempt, next, waits));
  });
  return bars;
}

function attemptBar(attempt: RunAttempt, { checkpoints = [], logs = [] }: RunRecords): WaterfallBar {
  const ticks = logs.filter((each) => each.attempt === attempt.attempt).map(tickOf);
  const marks = checkpoints
    .filter((each) => each.attempt === attempt.attempt)
    .map(({ created_at }, nth) => ({ at: created_at, label: `Checkpoint ${nth + 1}` }));
  return {
    id: `attempt-${attempt.attempt}`,
    label: `Attempt ${attempt.attempt}`,
    status: statusOf(attempt),
    start: attempt.started_at,
    end: attempt.finished_at,
    ...(marks.length > 0 && { marks }),
    ...(ticks.length > 0 && { ticks }),
  };
}

function tickOf({ logged_at, level, message }: RunLog): WaterfallTick {
  return {
    at: logged_at,
    label: message.slice(0, 120),
    tone: level === "error" ? "bad" : level === "warn" ? "warn" : undefined,
  };
}

/** An attempt that led to a wait counts as completed. */
function statusOf({ finished_at, error, to_status }: RunAttempt): string {
  if (finished_at === null) return "running";
  if (to_status === "waiting" || to_status === "completed") return "completed";
  if (to_status === "canceled" || to_status === "timed_out" || to_status === "paused") return to_status;
  return error || to_status === "failed" || to_status === "pending" ? "failed" : "completed";
}

/** Tool calls are reported when they finish. Clamped to their attempt, because the job's clock may differ. */
function toolBars({ attempt, started_at }: RunAttempt, calls: RunToolCall[]): WaterfallBar[] {
  return calls
    .filter((call) => call.attempt === attempt)
    .map(({ id, name, status, created_at, duration_ms }) => ({
      id: `tool-${id}`,
      label: name,
      status,
      start: new Date(Math.max(Date.parse(started_at), Date.parse(created_at) - (duration_ms ?? 0))).toISOString(),
      end: created_at,
      depth: 1,
    }));
}

/** The gap between attempts: waits, a pause, or the backoff. */
function gapBars(run: Run, attempt: RunAttempt, next: RunAttempt | undefined, waits: EventTrigger[]): WaterfallBar[] {
  const { finished_at: from } = attempt;
  const isOver = run.finished_at !== null;
  if (from === null || (next === undefined && isOver && attempt.to_status !== "waiting")) return [];
  const until = next?.started_at ?? run.finished_at;
  if (attempt.to_status === "waiting") {
    const own = waits.filter(({ created_at }) => isWithin(created_at, attempt.started_at, until));
    const bars = own.map((wait) =>
      idle(`wait-${wait.id}`, waitLabel(wait), waitStatus(wait), wait.requested_at, wait.finished_at ?? until),
    );
    return bars.length > 0 ? bars : [idle(`wait-${attempt.attempt}`, "Waiting", "waiting", from, until)];
  }
  if (run.status === "paused" && next === undefined)
    return [idle(`pause-${attempt.attempt}`, "Paused", "paused", from, null)];
  return [idle(`backoff-${attempt.attempt}`, "Backoff", "retrying", from, until)];
}

function isWithin(at: string, from: string, to: string | null): boolean {
  return at >= from && (to === null || at <= to);
}

function waitLabel({ wait_kind, event_key }: EventTrigger): string {
  if (wait_kind === "sleep") return "Sleep";
  return wait_kind === "child" ? "Waiting for child run" : `Waiting for ${event_key}`;
}

function waitStatus({ wait_kind, status }: EventTrigger): string {
  return wait_kind === "sleep" && status !== "canceled" ? "sleeping" : status;
}

function idle(id: string, label: string, status: string, start: string, end: string | null): WaterfallBar {
  return { id, label, status, start, end, isIdle: true };
}
