import { workflowBench } from "../../server/test/costs/workflow-bench.ts";
import type { TestProject, World } from "../../server/test/world/world.ts";

export type DemoWorkflows = { workflow_id: string; slug: string; waiting: string; failed: string; completed: string };

const ORDER = [
  { step_ref: "validate" },
  { step_ref: "reserve-stock", depends_on: ["validate"] },
  { step_ref: "charge-card", depends_on: ["validate"] },
  {
    step_ref: "paid",
    type: "wait_for_event",
    event_key: "paid-{{payload.order.id}}",
    timeout_secs: 7_200,
    depends_on: ["charge-card"],
  },
  { step_ref: "fraud-check", depends_on: ["charge-card"], on_failure: "skip_dependents" },
  {
    step_ref: "release",
    type: "approval",
    message: "Ship order {{payload.order.id}} over 1,000? {{parent_outputs.reserve-stock.step}} is done.",
    depends_on: ["reserve-stock"],
  },
  { step_ref: "cool-down", type: "sleep", sleep_duration: "45m", depends_on: ["charge-card"] },
  { step_ref: "pack", depends_on: ["paid", "release", "fraud-check"] },
  { step_ref: "ship", depends_on: ["pack", "cool-down"] },
  { step_ref: "send-receipt", depends_on: ["paid"] },
];

const PACES: [string, number][] = [
  ["fetch", 3],
  ["render", 11],
  ["mail", 2],
  ["validate", 1],
  ["reserve-stock", 2],
];

/** One order waiting for payment and approval, one with a failed payment, one completed; two versions and a canary. */
export async function seedDemoWorkflows(
  world: World,
  project: TestProject,
  /** With a frozen clock steps take no time, so each advances it by some seconds. */
  { isPaced = false } = {},
): Promise<DemoWorkflows> {
  const bench = await workflowBench(world, project, { name: "Order step" });
  const take = async (secs: number) => {
    if (isPaced) await world.clock.pass(`${secs}s`);
  };
  for (const [step, secs] of PACES)
    bench.onDispatch(step, async () => {
      await take(secs);
      return undefined;
    });
  if (isPaced) await world.clock.set(new Date(Date.now() - 12 * 60_000).toISOString());
  const workflow_id = await bench.save(ORDER, { name: "Fulfill an order", tags: { team: "orders" } });
  const simple = await bench.save(
    [
      { step_ref: "fetch" },
      { step_ref: "render", depends_on: ["fetch"] },
      { step_ref: "mail", depends_on: ["render"] },
    ],
    { name: "Nightly report", cron: "0 3 * * *", timezone: "Europe/Berlin" },
  );
  bench.onDispatch("charge-card", async ({ body }) => {
    await take(4);
    return body.payload.order?.id === 8
      ? { status: 400, body: { error: "card declined: insufficient funds" } }
      : undefined;
  });
  bench.onDispatch("fraud-check", async () => {
    await take(2);
    return { status: 400, body: { error: "no score for this customer" } };
  });
  const order = (id: number) => ({ payload: { order: { id, total: 1_890, items: 3 } }, tags: { region: "eu" } });
  const { run: done } = await bench.run(simple, { payload: { day: "2026-11-14" } });
  const { run: failed } = await bench.run(workflow_id, order(8));
  const { run: waiting } = await bench.run(workflow_id, order(7));
  if (isPaced) await world.clock.set(new Date().toISOString());
  const path = `/v1/workflows/${workflow_id}`;
  const { body: workflow } = await project.api.get(path);
  const steps = workflow.steps
    .filter(({ step_ref }: { step_ref: string }) => step_ref !== "cool-down")
    .map((step: { step_ref: string; depends_on: string[] }) =>
      step.step_ref === "ship" ? { ...step, depends_on: ["pack"], max_attempts: 5 } : step,
    );
  const second = [...steps, { step_ref: "survey", job_id: bench.job_id, depends_on: ["ship"] }];
  await project.api.patch(path, { steps: second, activate: false });
  await project.api.post(`${path}/canary`, { target_version: 2, traffic_pct: 10 });
  return { workflow_id, slug: workflow.slug, waiting: waiting.id, failed: failed.id, completed: done.id };
}
