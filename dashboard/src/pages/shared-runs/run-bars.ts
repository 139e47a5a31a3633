import type { Run, RunAttempt } from "@millrace/contract/runs/runs";
import type { WaterfallBar } from "../../parts/chart/waterfall.tsx";

/** A preview of a run: its time in the queue, its attempts, and the gaps between them. The trace has the details. */
export function runBars(run: Run, attempts: readonly RunAttempt[]): WaterfallBar[] {
  const first = attempts[0]?.started_at ?? run.started_at;
  const bars = [idle("queue", "Queued", "queued", run.created_at, first ?? run.finished_at)];
  attempts.forEach((attempt, nth) => {
    bars.push({
      id: `attempt-${attempt.attempt}`,
      label: `Attempt ${attempt.attempt}`,
      status: statusOf(attempt),
      start: attempt.started_at,
      end: attempt.finished_at,
    });
    bars.push(...gapBars(run, attempt, attempts[nth + 1]));
  });
  return bars;
}

/** An attempt that led to a wait counts as completed. */
function statusOf({ finished_at, error, to_status }: RunAttempt): string {
  if (finished_at === null) return "running";
  if (to_status === "waiting" || to_status === "completed") return "completed";
  if (to_status === "canceled" || to_status === "timed_out" || to_status === "paused") return to_status;
  return error || to_status === "failed" || to_status === "pending" ? "failed" : "completed";
}

/** The gap between attempts: a wait, a pause, or the backoff. */
function gapBars(run: Run, attempt: RunAttempt, next: RunAttempt | undefined): WaterfallBar[] {
  const { finished_at: from } = attempt;
  const isOver = run.finished_at !== null;
  if (from === null || (next === undefined && isOver && attempt.to_status !== "waiting")) return [];
  const until = next?.started_at ?? run.finished_at;
  if (attempt.to_status === "waiting") return [idle(`wait-${attempt.attempt}`, "Waiting", "waiting", from, until)];
  if (run.status === "paused" && next === undefined)
    return [idle(`pause-${attempt.attempt}`, "Paused", "paused", from, null)];
  return [idle(`backoff-${attempt.attempt}`, "Backoff", "retrying", from, until)];
}

function idle(id: string, label: string, status: string, start: string, end: string | null): WaterfallBar {
  return { id, label, status, start, end, isIdle: true };
}
