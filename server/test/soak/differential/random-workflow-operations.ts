import type { Choices } from "./choices.ts";
import type { Operation } from "./operation.ts";
import { any, EVENT_KEYS, HOUR_SECS } from "./random-picks.ts";
import { randomSteps } from "./random-workflow.ts";

/** Its `cancel_on` event differs from that of its job runs; otherwise, which is canceled first would be a race. */
export function createWorkflow(choices: Choices, slug: string, inner?: string): Operation {
  const { chance } = choices;
  const options = {
    ...(chance(0.15) && { max_concurrent_runs: 1 }),
    ...(chance(0.2) && { tags: { flow: slug } }),
    ...(chance(0.15) && { cancel_on: [{ event_key: `${slug}.stop.{{payload.n}}` }] }),
    ...(chance(0.1) && { on_failure_job_id: "job-a" }),
  };
  return { call: "POST /v1/workflows", body: { name: slug, slug, steps: randomSteps(choices, inner), ...options } };
}

export function onEvent(choices: Choices): Operation {
  const { one, upTo, next } = choices;
  const payload = { by: one(["ann", "bob"]) };
  const n = 1 + upTo(12);
  const key = one([...EVENT_KEYS, `stop.${n}`, `flow-1.stop.${n}`, `flow-2.stop.${n}`]);
  return choices.weighted<() => Operation>([
    [5, () => ({ call: "POST /v1/events/$0/send", body: { payload }, picks: [any(choices, "event")] })],
    [2, () => ({ call: `POST /v1/events/${key}/send`, body: { payload } })],
    [2, () => ({ call: `POST /v1/events/${one(EVENT_KEYS)}/send`, body: { payload, buffer_secs: HOUR_SECS } })],
    [
      1,
      () => ({
        call: `POST /v1/events/${one(EVENT_KEYS)}/send`,
        body: { payload },
        headers: { "idempotency-key": `send-${next() % 3}` },
      }),
    ],
    [
      2,
      () => ({ call: `POST /v1/events/prefix/${one(["k.", "w.", "j.", "stop.", "flow-1."])}/send`, body: { payload } }),
    ],
    [1, () => ({ call: "DELETE /v1/events/$0", picks: [any(choices, "event")] })],
  ])();
}

export function triggerWorkflow(choices: Choices): Operation {
  const { one, chance, next } = choices;
  const options = {
    ...(chance(0.2) && { idempotency_key: "flow" }),
    ...(chance(0.2) && { tags: { customer: "ann" } }),
    ...(chance(0.1) && { delay_secs: HOUR_SECS }),
  };
  return {
    call: `POST /v1/workflows/${one(["flow-1", "flow-1", "flow-2"])}/trigger`,
    body: { payload: { n: next() }, ...options },
  };
}

export function onWorkflowRun(choices: Choices): Operation {
  const on = (verb: string, status: string): Operation => ({
    call: `POST /v1/workflow-runs/$0/${verb}`,
    body: {},
    picks: [any(choices, "workflow_run", status)],
  });
  return choices.weighted([
    [3, on("cancel", "pending,running,paused")],
    [3, on("pause", "running,pending")],
    [3, on("resume", "paused")],
    [3, on("retry", "failed,canceled,completed")],
  ]);
}

export function onStep(choices: Choices): Operation {
  const on = (verb: string, status: string, body: object = {}): Operation => ({
    call: `POST /v1/workflow-runs/$0/${verb}`,
    body,
    picks: [any(choices, "step", status)],
  });
  return choices.weighted([
    [6, on("approve", "waiting", { comment: "fine" })],
    [2, on("reject", "waiting")],
    [2, on("skip", "waiting,running,pending,failed")],
    [2, on("retry", "failed,completed,canceled,skipped")],
    [2, on("replay-subtree", "completed,failed,waiting")],
  ]);
}

export function onWorkflow(choices: Choices): Operation {
  const slug = choices.one(["flow-1", "flow-2"]);
  return choices.weighted<() => Operation>([
    [2, () => createWorkflow(choices, slug)],
    [
      3,
      () => ({
        call: `PATCH /v1/workflows/${slug}`,
        body: { steps: randomSteps(choices), breaking_change: choices.chance(0.5) },
      }),
    ],
    [1, () => ({ call: `PATCH /v1/workflows/${slug}`, body: { max_concurrent_runs: choices.one([null, 2]) } })],
    [0.5, () => ({ call: `DELETE /v1/workflows/${slug}` })],
    [0.5, () => ({ call: `POST /v1/workflows/${slug}/simulate`, body: { payload: { n: 20 } }, isWhole: true })],
  ])();
}
