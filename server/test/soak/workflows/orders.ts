import { makeClient } from "../../client.ts";
import { SECRETS } from "../../service/start-service.ts";
import type { Receiver } from "./receiver.ts";

/** Which step of an order fails, and so which `on_failure` is tried. */
export const FAILS = ["none", "shaky", "optional", "strict"] as const;
export type Fails = (typeof FAILS)[number];

export type Workflows = { key: string; order: string; listener: string };

const FAN_OUT = 6;

/** A project with two workflows: an order that fans out, waits, sleeps, spawns and tells, and one that hears of it. */
export async function makeWorkflows(url: string, receiver: Receiver): Promise<Workflows> {
  const admin = makeClient(url, { "x-internal-secret": SECRETS.INTERNAL_SECRET });
  const project = await admin.post("/v1/projects", { name: "Workflows" });
  const { body } = await admin.post("/v1/api-keys", { name: "load", project_id: project.body.id });
  const api = makeClient(url, { authorization: `Bearer ${body.key}` });
  const make = async (path: string, fields: object): Promise<string> => {
    const answer = await api.post(path, fields);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body.id;
  };
  const shared = { endpoint_url: receiver.url, max_attempts: 10, retry_strategy: "fixed" };
  const job_id = await make("/v1/jobs", { name: "Step", ...shared });
  receiver.childJob(await make("/v1/jobs", { name: "Child", ...shared }));
  const order = await make("/v1/workflows", { name: "Order", steps: orderSteps(job_id), ...LIMITS });
  const listener = await make("/v1/workflows", { name: "Listener", steps: listenerSteps(job_id) });
  return { key: body.key, order, listener };
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
    step("tell", ["paid", "nap"], { event_emit_key: "told-{{payload.id}}", event_emit_buffer_secs: 3_600 }),
    step("last", ["tell", "spawner", "shaky", "longer"]),
  ];
}

function listenerSteps(job_id: string): object[] {
  return [
    { step_ref: "told", ...WAIT, event_key: "told-{{payload.id}}" },
    { step_ref: "heard", job_id, depends_on: ["told"], payload: { of: "{{parent_outputs.told.step_ref}}" } },
  ];
}

/** How a run must have ended, by which of its steps fails: its status, its failed steps, and those that were skipped. */
export const ENDS: Record<Fails, { status: string; error_count: number; failed: string[]; skipped: string[] }> = {
  none: { status: "completed", error_count: 0, failed: [], skipped: [] },
  shaky: { status: "completed", error_count: 1, failed: ["shaky"], skipped: [] },
  optional: { status: "completed", error_count: 1, failed: ["optional"], skipped: ["behind"] },
  strict: { status: "failed", error_count: 1, failed: ["strict"], skipped: [] },
};
