import { recordToolCall } from "../features/sdk-runs/record-tool-call.ts";
import { saveCheckpoint } from "../features/sdk-runs/save-checkpoint.ts";
import { appendLogs } from "../flow/runs/settle/append-logs.ts";
import { recordUsage } from "../flow/runs/settle/record-usage.ts";
import { reportProgress } from "../flow/runs/settle/run-reports.ts";
import type { RunCtx } from "../platform/context.ts";
import { unavailable } from "../platform/errors/errors.ts";

/** A dispatch of the demo, with the fields its work reads. */
export type DemoDispatch = { job_slug: string; attempt: number; tries_used: number; payload: unknown; state: unknown };

/** The response of a job that cannot succeed. */
export class DemoFailure extends Error {}

/** `pause`: simulates the duration of work. */
export type DemoCtx = RunCtx & { pause: (ms: number) => Promise<unknown> };
type Work = (ctx: DemoCtx, dispatch: DemoDispatch) => Promise<unknown>;
type Item = { name: string; price: number };

/** What the jobs of the demo do: very little, at a pace that can be watched. */
export const DEMO_WORK: Readonly<Record<string, Work>> = {
  "validate-order": async (ctx, { payload }) => {
    const { order, items } = payload as { order: string; items: Item[] };
    await busy(ctx, 300);
    const total = items.reduce((sum, { price }) => sum + price, 0);
    await appendLogs(ctx, { message: `Order ${order} comes to ${total}.`, fields: { items: items.length } });
    return { total, currency: "EUR" };
  },

  "reserve-stock": async (ctx) => {
    for (const percent of [20, 40, 60, 80, 100]) {
      await busy(ctx, 400);
      await reportProgress(ctx, { percent, message: `shelf ${percent / 20} of 5` });
    }
    return { shelf: "B7" };
  },

  "charge-card": async (ctx, { tries_used }) => {
    await busy(ctx, 600);
    if (tries_used === 0) {
      await appendLogs(ctx, { level: "warn", message: "The demo bank is not responding yet." });
      throw unavailable("The demo bank is unavailable. The next attempt succeeds.");
    }
    return { receipt: `demo-${ctx.run_id.slice(-6)}` };
  },

  "check-fraud": checkFraud,

  "pack-item": async (ctx, { payload }) => {
    await busy(ctx, 700);
    return { packed: (payload as { item: string }).item };
  },

  "ship-order": async (ctx) => {
    await busy(ctx, 500);
    await appendLogs(ctx, { message: "On its way." });
    return { parcel: `P-${ctx.run_id.slice(-6)}` };
  },

  "resize-image": async (ctx, { payload }) => {
    const { width = 640 } = payload as { width?: number };
    await busy(ctx, 100 + (width % 7) * 80);
    return { width, height: Math.round((width * 9) / 16) };
  },

  "import-customers": importCustomers,

  "sync-crm": async (ctx, { payload }) => {
    await busy(ctx, 400);
    const { plan } = payload as { plan?: string };
    if (plan === "free" || plan === "paid") return { synced: true, plan };
    await appendLogs(ctx, { level: "error", message: "The CRM refused the customer.", fields: { plan } });
    throw new DemoFailure(`There is no plan "${plan}". Replay this run with {"plan": "paid"}.`);
  },
};

async function checkFraud(ctx: DemoCtx): Promise<unknown> {
  await appendLogs(ctx, { message: "Looking up the customer's data." });
  await busy(ctx, 500);
  await recordToolCall(ctx, {
    ...{ name: "customers.find", duration_ms: 480 },
    ...{ input: { email: "ada@example.com" }, output: { orders: 12, disputes: 0 } },
  });
  await busy(ctx, 400);
  await recordToolCall(ctx, {
    ...{ name: "geo.locate", duration_ms: 390 },
    ...{ input: { ip: "192.0.2.7" }, output: { country: "NL" } },
  });
  await recordUsage(ctx, {
    ...{ provider: "demo", model: "demo-1", metadata: { made_up: true } },
    ...{ input_tokens: 1_200, output_tokens: 180, cost_microusd: 4_200 },
  });
  return { risk: "low", score: 0.04 };
}

/** Resumes where an earlier attempt stopped: try Ctrl-C and `npm start` in the middle of it. */
async function importCustomers(ctx: DemoCtx, { state }: DemoDispatch): Promise<unknown> {
  const rows = 3_000;
  const step = 100;
  const from = (state as { done?: number } | null)?.done ?? 0;
  if (from > 0) await appendLogs(ctx, { message: `Resuming after row ${from}.` });
  for (let done = from + step; done <= rows; done += step) {
    await busy(ctx, 1_000);
    await saveCheckpoint(ctx, { state: { done } });
    await reportProgress(ctx, { percent: (100 * done) / rows, message: `${done} of ${rows} rows` });
    if (done % 500 === 0) await appendLogs(ctx, { message: `${done} customers imported.`, fields: { done } });
  }
  return { imported: rows };
}

const POLL_EVERY_MS = 100;

/** Takes time, but does not delay a service that is stopping: the run is retried after the next start. */
async function busy(ctx: DemoCtx, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= POLL_EVERY_MS) {
    if (ctx.state.draining) throw unavailable("The service is stopping.");
    await ctx.pause(Math.min(left, POLL_EVERY_MS));
  }
}
