import { setTimeout as pause } from "node:timers/promises";
import type { ProjectClient } from "../../harness/client.ts";
import type { Received, Receiver } from "../../harness/receiver.ts";

export type Kind = "quick" | "flaky" | "slow" | "accepted";

const HEARTBEAT_EVERY_MS = 1_500;
const LATEST_MS = 45_000;
const MAX_PER_KEY = 3;

/** Two jobs that follow instructions in the payload: one without limits, and one with a limit per key. */
export async function makeJobs(
  { post }: ProjectClient,
  receiver: Receiver,
  random: () => number,
): Promise<[string, string]> {
  const shared = {
    endpoint_url: receiver.endpoint("work", (received) => work(received, random)),
    max_attempts: 10,
    retry_strategy: "fixed",
    heartbeat_timeout_secs: 10,
  };
  const free = await post("/v1/jobs", { name: "Free", ...shared });
  const keyed = await post("/v1/jobs", { name: "Keyed", max_concurrency_per_key: MAX_PER_KEY, ...shared });
  return [free.body.id, keyed.body.id];
}

async function work(received: Received, random: () => number) {
  const { dispatch, body, isGone, reply, report } = received;
  const result = { attempt: dispatch.attempt };
  const kind: Kind = body.payload.kind;
  if (kind === "accepted") {
    await reply({ status: 202 });
    if (await beats(received, Math.floor(random() * 4))) await report("complete", { result });
    return {};
  }
  await pause(kind === "slow" ? 2_000 + random() * 4_000 : 5 + random() * 80);
  if (isGone()) {
    // The dispatching instance is gone, but its job is not, and reports to the others: in time, or long after the run
    // was rescued.
    await pause(random() * LATEST_MS);
    await report("complete", { result });
  }
  return kind === "flaky" && body.tries_used === 0 ? { status: 500 } : { body: result };
}

/** False: this attempt is over. */
async function beats({ report }: Received, count: number): Promise<boolean> {
  for (let beat = 0; beat < count; beat++) {
    await pause(HEARTBEAT_EVERY_MS);
    if ((await report("heartbeat")) >= 300) return false;
  }
  return true;
}
