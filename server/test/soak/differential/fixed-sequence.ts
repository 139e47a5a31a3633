import type { Operation } from "./operation.ts";

const job = { name: "Job a", slug: "job-a", endpoint_url: "$endpoint", timeout_secs: 3_600 };
const retries = { max_attempts: 2, retry_strategy: "custom", retry_delays_secs: [0] };
export const trigger = (payload: object, fields: object = {}): Operation => ({
  call: "POST /v1/jobs/job-a/trigger",
  body: { payload, ...fields },
});

/** A little of everything, for tests of the tests. */
export const FIXED_SEQUENCE: Operation[] = [
  { call: "POST /v1/jobs", body: { ...job, ...retries } },
  trigger({ n: 1 }, { tags: { customer: "ann" } }),
  trigger({ n: 2, do: "fail", times: 1 }),
  trigger({ n: 3, do: "fail", times: 5 }),
  trigger({ n: 4, do: "report" }, { idempotency_key: "once", tags: { customer: "ann" } }),
  trigger({ n: 5, do: "wait", key: "k.1" }),
  { call: "POST /v1/events/k.1/send", body: { payload: { by: "ann" } } },
  { call: "POST /v1/runs/$0/replay", body: {}, picks: [{ of: "dead", nth: 0 }] },
  { call: "POST /v1/runs/bulk-dlq-replay", body: { filter: {} } },
  {
    call: "POST /v1/workflows",
    body: {
      ...{ name: "Flow", slug: "flow-1" },
      steps: [
        { step_ref: "all", type: "map", items: [1, 2, 3], job_id: "job-a", payload: { n: "{{item}}" } },
        { step_ref: "ok", type: "approval", depends_on: ["all"] },
      ],
    },
  },
  { call: "POST /v1/workflows/flow-1/trigger", body: { payload: { n: 10 } } },
  {
    ...{ call: "POST /v1/workflow-runs/$0/approve", body: { comment: "fine" } },
    picks: [{ of: "step", status: "waiting", nth: 0 }],
  },
];
