import type { ShadowDifference } from "@millrace/contract/shadow";
import type { RecordedRun } from "./recorded-run.ts";
import type { Replay } from "./replay-history.ts";

/** Every decision that differs between a recorded run and its replay: step by step, then the end. */
export function compareReplay(run: RecordedRun, replay: Replay): ShadowDifference[] {
  const differences: ShadowDifference[] = [];
  for (const [step_ref, { status, reason }] of replay.steps) {
    const was = run.steps.get(step_ref)?.status ?? null;
    if (was !== status) differences.push({ step_ref, kind: kindOf(was, status), was, is: status, reason });
  }
  for (const [step_ref, { status }] of run.steps) {
    if (replay.steps.has(step_ref)) continue;
    const reason = "the candidate has no such step";
    differences.push({ step_ref, kind: "step_missing", was: status, is: null, reason });
  }
  if (replay.status !== run.status) {
    const { status: is, reason } = replay;
    differences.push({ step_ref: null, kind: "end_status", was: run.status, is, reason });
  }
  return differences;
}

function kindOf(was: string | null, is: string): ShadowDifference["kind"] {
  if (was === null) return "step_added";
  if (was === "skipped" && RAN.has(is)) return "skipped_to_ran";
  return RAN.has(was) && is === "skipped" ? "ran_to_skipped" : "other_outcome";
}

const RAN: ReadonlySet<string> = new Set(["completed", "failed"]);
