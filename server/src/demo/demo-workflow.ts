import type { CreateSchedule } from "@millrace/contract/jobs/schedules";
import type { CreateWorkflow } from "@millrace/contract/workflows/workflows";

/** The step that a new user is invited to approve. */
export const APPROVAL_STEP = "approval";

/** Fan-out, fan-in, an approval of large orders only, and a map. */
export const DEMO_WORKFLOW = {
  name: "Order",
  slug: "order",
  description: "Processes an order. Large orders wait for approval. Part of the demo.",
  tags: { demo: "true" },
  steps: [
    { step_ref: "validate", job_id: "validate-order" },
    { step_ref: "stock", job_id: "reserve-stock", depends_on: ["validate"] },
    { step_ref: "charge", job_id: "charge-card", depends_on: ["validate"] },
    { step_ref: "fraud", job_id: "check-fraud", depends_on: ["validate"] },
    {
      step_ref: APPROVAL_STEP,
      type: "approval",
      depends_on: ["stock", "charge", "fraud"],
      message: "Order {{payload.order}} comes to €{{parent_outputs.validate.total}}. Ship it?",
      condition: "parent_outputs.validate.total > 100",
      timeout_secs: 30 * 86_400,
    },
    {
      step_ref: "pack",
      type: "map",
      depends_on: ["approval"],
      items: "{{payload.items}}",
      job_id: "pack-item",
      payload: { item: "{{item.name}}" },
    },
    { step_ref: "ship", job_id: "ship-order", depends_on: ["pack"] },
  ],
} satisfies CreateWorkflow;

/** A canary tries this with a part of the orders: the parcel waits for the courier. */
export const CANARY_STEPS: CreateWorkflow["steps"] = [
  ...DEMO_WORKFLOW.steps.filter(({ step_ref }) => step_ref !== "ship"),
  { step_ref: "courier", type: "sleep", sleep_duration: "2s", depends_on: ["pack"] },
  { step_ref: "ship", job_id: "ship-order", depends_on: ["courier"] },
];
export const DEMO_CANARY = { source_version: 1, target_version: 2, traffic_pct: 25 };

export const LARGE_ORDER = {
  order: "A-1001",
  items: [
    { name: "mill wheel", price: 180 },
    { name: "axle", price: 45 },
    { name: "grease", price: 6 },
    { name: "bolts", price: 9 },
  ],
};

export const SMALL_ORDER = {
  order: "A-1002",
  items: [
    { name: "flour", price: 4 },
    { name: "oats", price: 3 },
  ],
};

export const DEMO_SCHEDULE: CreateSchedule = {
  name: "A small order every minute (demo)",
  workflow_id: DEMO_WORKFLOW.slug,
  cron: "* * * * *",
  overlap_policy: "skip",
  payload: SMALL_ORDER,
};
