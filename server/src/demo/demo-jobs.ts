import type { CreateJob } from "@millrace/contract/jobs/jobs";
import type { CreateQueue } from "@millrace/contract/workers/queues";

type DemoJob = Omit<CreateJob, "endpoint_url"> & { slug: string };

const MARK = { demo: "true" };

/** A queue of the demo project. Pause it, and its runs wait. */
export const DEMO_QUEUE: CreateQueue = {
  name: "images",
  description: "Three at a time, whatever the number of its jobs. Part of the demo.",
  max_concurrency: 3,
};

/** The jobs of the demo project. Each is executed by the function of its name in `demo-work.ts`. */
export const DEMO_JOBS: readonly DemoJob[] = [
  job("validate-order", "Validate order", "Adds up the total of an order."),
  job("reserve-stock", "Reserve stock", "Takes a moment, and reports its progress."),
  {
    ...job("charge-card", "Charge card", "The demo bank is unavailable on the first attempt: watch the retry."),
    retry_strategy: "fixed",
  },
  {
    ...job("check-fraud", "Check fraud", "A demo agent: calls two tools, and reports made-up tokens and costs."),
    max_cost_microusd: 50_000,
  },
  { ...job("pack-item", "Pack item", "Runs once for each item of an order."), max_concurrency: 4 },
  job("ship-order", "Ship order", "The last step of an order."),
  {
    ...job("resize-image", "Resize image", "Many small runs, three at a time: see its queue."),
    queue: DEMO_QUEUE.name,
  },
  {
    ...job("import-customers", "Import customers", "Takes half a minute, with progress, logs and checkpoints."),
    max_attempts: 10,
  },
  job("sync-crm", "Sync CRM", "Fails without a retry: look at its error, then replay it with another payload."),
];

function job(slug: string, name: string, what: string): DemoJob {
  return { slug, name, description: `${what} Part of the demo.`, tags: MARK };
}
