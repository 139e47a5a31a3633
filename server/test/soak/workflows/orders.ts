import { setTimeout as pause } from "node:timers/promises";
import type { ProjectClient } from "../../harness/client.ts";
import type { Received, Receiver } from "../../harness/receiver.ts";

/** The step of an order that fails, which selects the `on_failure` under test. */
export const FAILS = ["none", "shaky", "optional", "strict"] as const;
export type Fails = (typeof FAILS)[number];

export type Workflows = { order: string; listener: string };

const FAN_OUT = 6;
/** This many are slow, so that a killed instance holds some. */
const SLOW = 0.15;

/** Two workflows: an order that fans out, waits, sleeps, spawns and emits an event, and one that waits for that event. */
export async function makeWorkflows(
  { post }: ProjectClient,
  receiver: Receiver,
  random: () => number,
): Promise<Workflows> {
  const make = async (path: string, fields: object): Promise<string> => (await post(path, fields)).body.id;
  const shared = { max_attempts: 10, retry_strategy: "fixed" };
  const child = receiver.endpoint("child", (received) => work(received, random));
  const child_job = await make("/v1/jobs", { name: "Child", endpoint_url: child, ...shared });
  const step = receiver.endpoint("step", (received) => workOrSpawn(received, child_job, random));
  const job_id = await make("/v1/jobs", { name: "Step", endpoint_url: step, ...shared });
  const order = await make("/v1/workflows", { name: "Order", steps: orderSteps(job_id), ...LIMITS });
  const listener = await make("/v1/workflows", { name: "Listener", steps: listenerSteps(job_id) });
  return { order, listener };
}

/** `spawner` waits for a child: the attempt ends once it is spawned, and the run continues when the child has ended. */
async function workOrSpawn(received: Received, job_id: string, random: () => number) {
  const { dispatch, body, report } = received;
  if (dispatch.step_ref !== "spawner" || body.waits.length > 0) return work(received, random);
  await report("spawn", { job_id, wait: true, idempotency_key: dispatch.run_id });
  return {};
}

/** Fails the step that the payload names. */
async function work({ dispatch: { run_id, step_ref }, body }: Received, random: () => number) {
  await pause(random() < SLOW ? 500 + random() * 2_500 : 5 + random() * 120);
  const hasFailed = step_ref !== null && body.payload.fails === step_ref;
  return { status: hasFailed ? 422 : 200, body: { run_id, step_ref, resumed_with: body.checkpoint } };
}

const LIMITS = { max_concurrent_runs: 120, max_parallel_steps: 5 };
const WAIT = { type: "wait_for_event", timeout_secs: 600 };

function orderSteps(job_id: string): object[] {
  const parts = Array.from({ length: FAN_OUT }, (_, nth) => `part${nth}`);
  const step = (step_ref: string, depends_on: string[], rest: object = {}) => ({
    step_ref,
    job_id,
    depends_on,
    ...rest,
  });
  return [
    step("start", []),
    ...parts.map((ref) => step(ref, ["start"])),
    step("join", parts),
    { step_ref: "paid", ...WAIT, event_key: "paid-{{payload.id}}", depends_on: ["join"] },
    { step_ref: "nap", type: "sleep", sleep_duration: "1s", depends_on: ["join"] },
    { step_ref: "longer", type: "sleep", sleep_duration: "2s", depends_on: ["start"] },
    step("shaky", ["start"], { on_failure: "continue" }),
    step("optional", ["start"], { on_failure: "skip_dependents" }),
    step("behind", ["optional"]),
    step("strict", ["join"]),
    step("spawner", ["start"]),
    step("emit", ["paid", "nap"], { event_emit_key: "done-{{payload.id}}", event_emit_buffer_secs: 3_600 }),
    step("last", ["emit", "spawner", "shaky", "longer"]),
  ];
}

function listenerSteps(job_id: string): object[] {
  return [
    { step_ref: "done", ...WAIT, event_key: "done-{{payload.id}}" },
    { step_ref: "after", job_id, depends_on: ["done"], payload: { of: "{{parent_outputs.done.step_ref}}" } },
  ];
}

/** The expected end of a run, by its failing step: its status, its failed steps, and its skipped steps. */
export const ENDS: Record<Fails, { status: string; error_count: number; failed: string[]; skipped: string[] }> = {
  none: { status: "completed", error_count: 0, failed: [], skipped: [] },
  shaky: { status: "completed", error_count: 1, failed: ["shaky"], skipped: [] },
  optional: { status: "completed", error_count: 1, failed: ["optional"], skipped: ["behind"] },
  strict: { status: "failed", error_count: 1, failed: ["strict"], skipped: [] },
};
