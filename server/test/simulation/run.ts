import type { ClaimedRun } from "../../src/flow/runs/claim/claimed-run.ts";
import { signRunToken } from "../../src/platform/access/credentials/run-token.ts";
import type { JournaledCall, JournaledDispatch, JournaledReport } from "../harness/history.ts";
import type { Choices } from "../soak/differential/choices.ts";
import type { TestProject, World } from "../world/world.ts";
import type { Simulated } from "./members.ts";
import type { Scheduler } from "./scheduler.ts";

/** What callers and endpoints saw, and what the simulation did. */
export type Simulation = {
  seed: number;
  project: TestProject;
  calls: JournaledCall[];
  dispatches: JournaledDispatch[];
  reports: JournaledReport[];
  /** What must not happen whatever the faults: a 500 of an instance that lives, an error that no task expects. */
  problems: string[];
  counts: { statements: number; crashes: number; lost: number; freezes: number; operations: number };
  /** Virtual seconds from the last fault until nothing was left to do. Undefined: longer than the limit. */
  healedSecs: number | undefined;
};

export type Run = {
  world: World;
  scheduler: Scheduler;
  members: Simulated[];
  choices: Choices;
  nowMs: () => number;
  pass: (secs: number) => Promise<void>;
  seen: Simulation;
  /** Every dispatch that an endpoint has received, the newest attempt of each run. */
  sent: Map<string, ClaimedRun>;
};

export const TASKS = [
  ...[
    "release-due-runs",
    "release-rate-limits",
    "expire-runs",
    "sweep-leases",
    "run-outbox",
    "start-due-workflow-runs",
  ],
  ...["time-out-workflow-runs", "resolve-due-triggers", "fire-schedules", "work-on-batches", "admit-blocked-on-budget"],
  ...["reconcile-queue", "reconcile-dependencies", "reconcile-triggers", "reconcile-workflows", "finish-bulk-cancels"],
  ...["sweep-cancel-keys", "sum-changes"],
];

/** A call of a running job to an instance, with the token of its dispatch. */
export async function report(
  { seen, nowMs }: Run,
  member: Simulated,
  run: ClaimedRun,
  { verb, body }: { verb: string; body: object },
): Promise<void> {
  const entry = { run_id: run.run_id, attempt: run.attempt, verb, at: nowMs(), accepted: false };
  const token = signRunToken(member.ctx, run);
  const { status, body: answer } = await member.api(token).post(`/sdk/v1/runs/${run.run_id}/${verb}`, body);
  // A repeated call gets the wait or child of the first with 200, a heartbeat of a canceled run no token.
  const isOld = status === 200 && (verb === "heartbeat" ? answer.token === null : verb in CREATES);
  seen.reports.push({ ...entry, accepted: status < 300 && !isOld });
}

const CREATES = { "wait-for-event": 201, sleep: 201, spawn: 201 };
