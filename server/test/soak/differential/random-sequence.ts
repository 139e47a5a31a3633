import { type Choices, choicesFrom } from "./choices.ts";
import type { Operation, Pick } from "./operation.ts";
import { randomSteps } from "./random-workflow.ts";

const HOUR_SECS = 3_600;
const KEYS = ["k.1", "k.2", "other.1"];

/** Operations on a project: a few definitions, then anything that the API offers. The same for the same seed. */
export function randomSequence(seed: number): Operation[] {
  const choices = choicesFrom(seed);
  const { chance, upTo } = choices;
  const operations = [createJob(choices, "a"), createJob(choices, "b"), createJob(choices, "c")];
  if (chance(0.6)) operations.push(createWorkflow(choices, "flow-1"));
  if (chance(0.4)) operations.push(createWorkflow(choices, "flow-2", chance(0.5) ? "flow-1" : undefined));
  if (chance(0.15)) operations.push(setBudget(choices));
  for (let count = 5 + upTo(8); count > 0; count--) operations.push(choices.weighted(OPERATIONS)(choices));
  return operations;
}

function createJob(choices: Choices, letter: string): Operation {
  const { chance, one } = choices;
  const slug = `job-${letter}`;
  const body = {
    name: `Job ${letter}`,
    slug,
    endpoint_url: "$endpoint",
    timeout_secs: HOUR_SECS,
    heartbeat_timeout_secs: HOUR_SECS,
  };
  const retries = { max_attempts: one([1, 2, 3]), retry_strategy: "custom", retry_delays_secs: [0] };
  const options =
    letter === "a"
      ? {}
      : {
          ...(chance(0.3) && { max_concurrency: 1 }),
          ...(chance(0.3) && { max_concurrency_per_key: 1 }),
          ...(chance(0.3) && { tags: { team: one(["red", "blue"]) }, default_run_metadata: { origin: letter } }),
          ...(chance(0.2) && { on_failure_job_id: "job-a" }),
          ...(chance(0.15) && { cancel_on: [{ event_key: "stop.{{payload.n}}" }] }),
          ...(chance(0.15) && { dedup_window_secs: HOUR_SECS }),
          ...(chance(0.15) && { result_schema: { type: "object", required: ["ok"] } }),
          ...(chance(0.15) && { payload_schema: { type: "object", required: ["n"] } }),
          ...(chance(0.2) && { estimated_cost_microusd: 500 }),
          ...(chance(0.15) && { max_cost_microusd: 150 }),
          ...(chance(0.1) && { headers: { "x-custom": letter } }),
        };
  return { call: "POST /v1/jobs", body: { ...body, ...retries, ...options } };
}

/** Its canceling event is not that of its job runs: which of the two were canceled first would be a race. */
function createWorkflow(choices: Choices, slug: string, inner?: string): Operation {
  const { chance } = choices;
  const options = {
    ...(chance(0.15) && { max_concurrent_runs: 1 }),
    ...(chance(0.2) && { tags: { flow: slug } }),
    ...(chance(0.15) && { cancel_on: [{ event_key: `${slug}.stop.{{payload.n}}` }] }),
    ...(chance(0.1) && { on_failure_job_id: "job-a" }),
  };
  return { call: "POST /v1/workflows", body: { name: slug, slug, steps: randomSteps(choices, inner), ...options } };
}

/** What the endpoint does with a run that a trigger starts. */
function payload(choices: Choices): object {
  const { weighted, one, next, chance } = choices;
  const n = next();
  const script = weighted<object>([
    [5, {}],
    [3, { do: "fail", times: one([1, 2, 5]) }],
    [2, { do: "refuse" }],
    [4, { do: "accept" }],
    [3, { do: "wait", key: one(KEYS), ...(chance(0.3) && { timeout_secs: 1 }) }],
    [1, { do: "sleep" }],
    [
      2,
      {
        do: "spawn",
        job: one(["job-a", "job-b"]),
        child: { n: 100 + n, do: one(["complete", "refuse", "accept"]) },
        wait: chance(0.6),
      },
    ],
    [4, { do: "report", cost: one([0, 100, 200]) }],
  ]);
  return { n, color: one(["green", "grey"]), ...script };
}

function job({ weighted }: Choices): string {
  return weighted([
    [4, "job-a"],
    [4, "job-b"],
    [2, "job-c"],
  ]);
}

function trigger(choices: Choices): Operation {
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

function repeatedTrigger(choices: Choices): Operation {
  const { one } = choices;
  const body = { payload: { n: 1_000, color: one(["green", "green", "grey"]) }, idempotency_key: "repeated" };
  return { call: "POST /v1/jobs/job-a/trigger", body };
}

/** Without waits: items that start in parallel would compete for the key. */
function bulkTrigger(choices: Choices): Operation {
  const { upTo, one, next, chance } = choices;
  const items = Array.from({ length: 1 + upTo(4) }, () => {
    const fields = one([{}, { do: "report" }, { do: "fail", times: 1 }, { do: "accept" }, { do: "refuse" }]);
    return { payload: { n: next(), ...fields }, ...(chance(0.3) && { idempotency_key: `bulk-${upTo(3)}` }) };
  });
  return { call: `POST /v1/jobs/${job(choices)}/trigger/bulk`, body: { items } };
}

function any({ upTo }: Choices, of: Pick["of"], status?: string): Pick {
  return { of, nth: upTo(5), ...(status !== undefined && { status }) };
}

function onRun(choices: Choices): Operation {
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

function onManyRuns(choices: Choices): Operation {
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
function onAccepted(choices: Choices): Operation {
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

function onEvent(choices: Choices): Operation {
  const { one, upTo, next } = choices;
  const payload = { by: one(["ann", "bob"]) };
  const n = 1 + upTo(12);
  const key = one([...KEYS, `stop.${n}`, `flow-1.stop.${n}`, `flow-2.stop.${n}`]);
  return choices.weighted<() => Operation>([
    [5, () => ({ call: "POST /v1/events/$0/send", body: { payload }, picks: [any(choices, "event")] })],
    [2, () => ({ call: `POST /v1/events/${key}/send`, body: { payload } })],
    [2, () => ({ call: `POST /v1/events/${one(KEYS)}/send`, body: { payload, buffer_secs: HOUR_SECS } })],
    [
      1,
      () => ({
        call: `POST /v1/events/${one(KEYS)}/send`,
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

function triggerWorkflow(choices: Choices): Operation {
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

function onWorkflowRun(choices: Choices): Operation {
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

function onStep(choices: Choices): Operation {
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

function onJob(choices: Choices): Operation {
  const { one, chance } = choices;
  const slug = one(["job-a", "job-b", "job-b", "job-c"]);
  const patch = one([
    { priority: 4 },
    { tags: { team: "green" } },
    { max_concurrency: one([null, 1, 2]) },
    { max_attempts: 2 },
    { description: "new" },
  ]);
  return choices.weighted<Operation>([
    [3, { call: `PATCH /v1/jobs/${slug}`, body: patch }],
    [2, { call: `POST /v1/jobs/${slug}/pause`, body: {} }],
    [3, { call: `POST /v1/jobs/${slug}/resume`, body: {} }],
    [
      1,
      {
        call: `PUT /v1/jobs/job-b/dependencies`,
        body: { dependencies: chance(0.7) ? [{ job_id: "job-a", condition: one(["completed", "ended"]) }] : [] },
      },
    ],
    [0.5, { call: "DELETE /v1/jobs/job-c" }],
    [0.5, { call: "PATCH /v1/jobs/job-c", body: { enabled: false } }],
  ]);
}

function onWorkflow(choices: Choices): Operation {
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

/** Once a year: a sequence never lasts until it fires by itself. */
function onSchedule(choices: Choices): Operation {
  const cron = "0 0 29 2 *";
  return choices.weighted<() => Operation>([
    [2, () => ({ call: "POST /v1/schedules", body: { job_id: job(choices), cron, payload: payload(choices) } })],
    [1, () => ({ call: "POST /v1/schedules", body: { workflow_id: "flow-1", cron, payload: { n: choices.next() } } })],
    [4, () => ({ call: "POST /v1/schedules/$0/run-now", body: {}, picks: [any(choices, "schedule")] })],
    [1, () => ({ call: "POST /v1/schedules/$0/pause", body: {}, picks: [any(choices, "schedule")] })],
    [1, () => ({ call: "DELETE /v1/schedules/$0", picks: [any(choices, "schedule")] })],
  ])();
}

function setBudget({ one }: Choices): Operation {
  const body = {
    monthly_budget_microusd: one([null, 0, 300, 1_000, 1_000_000]),
    action: one(["notify", "block"]),
    thresholds: [50, 100],
  };
  return { call: "PUT /v1/project-budget", body };
}

function onSubscription(choices: Choices): Operation {
  const { one } = choices;
  const events = one([["run.failed", "run.dead_lettered"], ["workflow_run.*"], ["event_trigger.*"], ["*"]]);
  const filter = one([null, null, 'event.type != "run.created"', "event.data.attempt > 1"]);
  return choices.weighted<Operation>([
    [
      4,
      { call: "POST /v1/webhook-subscriptions", body: { url: `$hooks/${one(["some", "rejects"])}`, events, filter } },
    ],
    [
      1,
      {
        call: "PATCH /v1/webhook-subscriptions/$0",
        body: { enabled: one([true, false]) },
        picks: [any(choices, "subscription")],
      },
    ],
    [1, { call: "DELETE /v1/webhook-subscriptions/$0", picks: [any(choices, "subscription")] }],
  ]);
}

const OPERATIONS: readonly (readonly [number, (choices: Choices) => Operation])[] = [
  [16, trigger],
  [3, repeatedTrigger],
  [5, bulkTrigger],
  [9, onRun],
  [4, onManyRuns],
  [9, onAccepted],
  [7, onEvent],
  [9, triggerWorkflow],
  [4, onWorkflowRun],
  [7, onStep],
  [5, onJob],
  [3, onWorkflow],
  [3, onSchedule],
  [1.5, setBudget],
  [3, onSubscription],
];
