import type { ClaimedRun } from "../../src/flow/runs/claim/claimed-run.ts";
import type { Outcome } from "../../src/flow/runs/dispatch/outcome.ts";
import type { Choices } from "../soak/differential/choices.ts";

/** What an endpoint does with one dispatch: calls of the job to the service, then the reply. */
export type Behavior = {
  calls: { verb: string; body: object }[];
  reply: Outcome;
  /** After a 202: how the job ends its run later. */
  later?: { verb: string; body: object } | undefined;
};

const FAILED = { code: "broken", message: "broken" };

/** The behavior is in the payload, like that of the endpoint of the suite `differential`. */
export function behave(run: ClaimedRun, choices: Choices): Behavior {
  const payload = JSON.parse(run.payload) ?? {};
  const completed: Outcome = { kind: "completed", result_json: JSON.stringify({ ok: true, attempt: run.attempt }) };
  const isFirst = run.waits === 0;
  const waits = (verb: string, body: object): Behavior => ({
    calls: isFirst ? [{ verb, body }] : [],
    reply: completed,
  });
  switch (payload.do) {
    case "fail":
      if (run.tries_used >= payload.times) return { calls: [], reply: completed };
      return { calls: [], reply: { kind: "failed", retryable: true, error: FAILED } };
    case "refuse":
      return { calls: [], reply: { kind: "failed", retryable: false, error: FAILED } };
    case "hang":
      return { calls: [], reply: { kind: "timed_out" } };
    case "accept": {
      const end = choices.chance(0.8) ? "complete" : "fail";
      const body = end === "complete" ? { result: { ok: true, attempt: run.attempt } } : { error: FAILED };
      return { calls: [], reply: { kind: "accepted" }, later: { verb: end, body } };
    }
    case "wait":
      return waits("wait-for-event", { event_key: payload.key, timeout_secs: payload.timeout_secs ?? 3_600 });
    case "sleep":
      return waits("sleep", { secs: 1 + choices.upTo(20) });
    case "spawn":
      return waits("spawn", {
        job_id: payload.job,
        payload: payload.child,
        wait: payload.wait,
        idempotency_key: `child-${payload.n}-${run.run_id}`,
      });
    default:
      return { calls: choices.chance(0.2) ? [{ verb: "heartbeat", body: {} }] : [], reply: completed };
  }
}
