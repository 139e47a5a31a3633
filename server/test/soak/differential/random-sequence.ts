import { type Choices, choicesFrom } from "./choices.ts";
import type { Operation } from "./operation.ts";
import { any, HOUR_SECS, job, payload } from "./random-picks.ts";
import { bulkTrigger, onAccepted, onManyRuns, onRun, repeatedTrigger, trigger } from "./random-run-operations.ts";
import {
  createWorkflow,
  onEvent,
  onStep,
  onWorkflow,
  onWorkflowRun,
  triggerWorkflow,
} from "./random-workflow-operations.ts";

/** Operations on a project: a few definitions, then anything that the API offers. The same for the same seed. */
export function randomSequence(seed: number): Operation[] {
  const choices = choicesFrom(seed);
  const { chance, upTo } = choices;
  const operations = [createJob(choices, "a"), createJob(choices, "b"), createJob(choices, "c")];
  const hasInner = chance(0.6);
  if (hasInner) operations.push(createWorkflow(choices, "flow-1"));
  if (chance(0.4)) operations.push(createWorkflow(choices, "flow-2", chance(0.5) && hasInner ? "flow-1" : undefined));
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

/** The cron fires only on 29 February, so that schedules start runs only on request. */
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
