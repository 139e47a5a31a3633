import type { Choices } from "./choices.ts";
import type { Operation } from "./operation.ts";
import { any, HOUR_SECS, job, payload } from "./random-picks.ts";

export function trigger(choices: Choices): Operation {
  const { chance, one, weighted } = choices;
  const options = weighted<object>([
    [6, {}],
    [2, { idempotency_key: one(["same", "other"]) }],
    [2, { priority: one([-5, 0, 7]) }],
    [2, { tags: { customer: one(["ann", "bob"]) }, metadata: { m: 1 } }],
    [3, { concurrency_key: one(["x", "y"]) }],
    [1, { delay_secs: one([0, 2 * HOUR_SECS]) }],
  ]);
  const body = { payload: payload(choices), ...options };
  if (chance(0.06))
    return {
      call: `POST /v1/jobs/${job(choices)}/trigger`,
      body: { payload: { n: choices.next(), do: "hang" }, timeout_secs: 1, max_attempts: 1 },
    };
  if (chance(0.08)) return { call: `POST /v1/jobs/${job(choices)}/trigger`, body: { ...body, dry_run: true } };
  if (chance(0.1))
    return {
      call: `POST /v1/jobs/${job(choices)}/trigger`,
      body: { ...body, depends_on_run_ids: ["$0"] },
      picks: [any(choices, "run")],
    };
  return { call: `POST /v1/jobs/${job(choices)}/trigger`, body };
}

export function repeatedTrigger(choices: Choices): Operation {
  const { one } = choices;
  const body = { payload: { n: 1_000, color: one(["green", "green", "grey"]) }, idempotency_key: "repeated" };
  return { call: "POST /v1/jobs/job-a/trigger", body };
}

/** Without waits: items that start in parallel would compete for the key. */
export function bulkTrigger(choices: Choices): Operation {
  const { upTo, one, next, chance } = choices;
  const items = Array.from({ length: 1 + upTo(4) }, () => {
    const fields = one([{}, { do: "report" }, { do: "fail", times: 1 }, { do: "accept" }, { do: "refuse" }]);
    return { payload: { n: next(), ...fields }, ...(chance(0.3) && { idempotency_key: `bulk-${upTo(3)}` }) };
  });
  return { call: `POST /v1/jobs/${job(choices)}/trigger/bulk`, body: { items } };
}

export function onRun(choices: Choices): Operation {
  const on = (verb: string, status: string, body: object = {}): Operation => ({
    call: `POST /v1/runs/$0/${verb}`,
    body,
    picks: [any(choices, "run", status)],
  });
  return choices.weighted<() => Operation>([
    [4, () => on("cancel", "pending,running,waiting,paused", { reason: "not needed" })],
    [2, () => on("pause", "pending,running,waiting")],
    [2, () => on("resume", "paused")],
    [4, () => on("replay", "completed,failed,timed_out,canceled")],
    [1, () => on("replay", "failed,timed_out", { payload: payload(choices) })],
    [1, () => on("cancel", "completed,failed,canceled")],
    [2, () => ({ call: "POST /v1/runs/$0/discard", body: {}, picks: [any(choices, "dead")] })],
    [2, () => ({ call: "POST /v1/runs/$0/replay", body: {}, picks: [any(choices, "dead")] })],
    [1, () => ({ call: "DELETE /v1/runs/$0/data", picks: [any(choices, "run", "completed,failed,canceled")] })],
    [
      1,
      () => ({
        call: "PATCH /v1/runs/$0",
        body: { priority: 3, tags: { patched: "yes" } },
        picks: [any(choices, "run", "pending")],
      }),
    ],
  ])();
}

export function onManyRuns(choices: Choices): Operation {
  const { one } = choices;
  const two = (status: string) => [any(choices, "run", status), any(choices, "run", status)];
  return one<() => Operation>([
    () => ({
      call: "POST /v1/runs/bulk-cancel",
      body: { run_ids: ["$0", "$1"], reason: "bulk" },
      picks: two("pending,running,waiting,paused,failed"),
    }),
    () => ({
      call: "POST /v1/runs/bulk-replay",
      body: { run_ids: ["$0", "$1"] },
      picks: two("completed,failed,canceled"),
    }),
    () => ({ call: "POST /v1/runs/bulk-dlq-replay", body: one([{ filter: {} }, { filter: { job_id: "job-a" } }]) }),
    () => ({
      call: "POST /v1/runs/bulk-cancel-all",
      body: {
        filter: one([
          { q: "job:job-b status:pending" },
          { status: "running" },
          { concurrency_key: "x" },
          { tag: "team" },
        ]),
      },
    }),
    () => ({
      call: "POST /v1/runs/bulk-cancel-all",
      body: { filter: { status: "pending,running" }, dry_run: true },
      isWhole: true,
    }),
  ])();
}

/** Reports of a run that its endpoint accepted with 202. */
export function onAccepted(choices: Choices): Operation {
  const sdk = (verb: string, body: object): Operation => ({
    call: `POST /sdk/v1/runs/$0/${verb}`,
    body,
    picks: [any(choices, "accepted")],
    isOfRun: true,
  });
  return choices.weighted([
    [6, sdk("complete", { result: { ok: "later" } })],
    [2, sdk("fail", { error: { code: "out_of_stock", message: "none left" } })],
    [2, sdk("fail", { error: { code: "nope", message: "never" }, retryable: false })],
    [1, sdk("log", { level: "error", message: "needle in a late line" })],
    [1, sdk("usage", { model: "m", cost_microusd: 60, input_tokens: 3 })],
    [1, sdk("progress", { percent: 80 })],
    [1, sdk("checkpoint", { state: { half: true } })],
    [1, sdk("heartbeat", {})],
    [1, sdk("wait-for-event", { event_key: "k.2", timeout_secs: HOUR_SECS })],
    [1, sdk("spawn", { job_id: "job-a", payload: { n: 500 }, wait: true })],
  ]);
}
