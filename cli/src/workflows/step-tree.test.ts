import type { WorkflowRunState } from "@millrace/contract/workflows/workflow-runs";
import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import type { Cli } from "../cli.ts";
import { stepTree } from "./step-tree.ts";

const at = "2030-01-01T00:00:00.000Z";

const cli = { colors: picocolors.createColors(false) } as Cli;

function stateOf(steps: Record<string, string>): WorkflowRunState {
  const run = { id: "run", status: "running", phase: null, error: null, started_at: at, finished_at: at };
  const stepOf = ([step_ref, status]: [string, string]) => {
    return { step_ref, status, type: "job", error: null, compensation_status: null, started_at: at, finished_at: at };
  };
  return { run, steps: Object.entries(steps).map(stepOf) } as unknown as WorkflowRunState;
}

describe("stepTree", () => {
  it("puts a step below its deepest dependency and names the others", () => {
    const state = stateOf({ a: "completed", b: "failed", c: "running", d: "pending" });
    const edges = [
      { from: "a", to: "b" },
      { from: "a", to: "d" },
      { from: "b", to: "d" },
    ];
    expect(stepTree(cli, state, edges)).toEqual([
      "● run  running  0ms",
      "├─ ✓ a  completed 0ms",
      "│  └─ ✗ b  failed 0ms",
      "│     └─ ○ d  pending 0ms (also after a)",
      "└─ ● c  running 0ms",
    ]);
  });

  it("shows the message of a waiting approval on one line", () => {
    const state = stateOf({ ok: "waiting", done: "completed" });
    for (const step of state.steps) Object.assign(step, { type: "approval", message: "Pay 7?\nThe bill is old." });
    expect(stepTree(cli, state, [])).toEqual([
      "● run  running  0ms",
      "├─ ◷ ok approval  waiting 0ms Pay 7? The bill is old.",
      "└─ ✓ done approval  completed 0ms",
    ]);
  });

  it("shows errors on one line, without control characters", () => {
    const state = stateOf({ a: "failed" });
    for (const each of [state.run, ...state.steps]) Object.assign(each, { error: { message: "bad\n\u001b[2Jidea" } });
    expect(stepTree(cli, state, [])).toEqual(["● run  running bad [2Jidea  0ms", "└─ ✗ a  failed 0ms bad [2Jidea"]);
  });
});
