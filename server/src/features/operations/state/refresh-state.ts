import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { Sample } from "../../../platform/metrics/snapshot-gauge.ts";
import type { StateFigure } from "../../../platform/metrics/state-gauges.ts";
import { perService } from "../../../platform/service-state.ts";
import { backlogState } from "./backlog-state.ts";
import { databaseState } from "./database-state.ts";
import { deliveryState } from "./delivery-state.ts";
import { workflowState } from "./workflow-state.ts";

/** Several scrapers, or one with a short interval, read the database no more often than this. */
const KEPT_MS = 10_000;
/** A scrape waits this long for a busy database, then returns the previous figures. */
const WAIT_MS = 2_000;

/**
 * Refreshes the gauges of the service's state. Only engine instances do: the figures are the same on all instances, and
 * those that serve the API scale out.
 */
export async function refreshState(ctx: Ctx): Promise<void> {
  if (!ctx.config.roles.has("engine")) return;
  const waited = new Promise<void>((resolve) => setTimeout(resolve, WAIT_MS).unref());
  await Promise.race([readerOf(ctx)(), waited]);
}

const readerOf = perService((ctx: Ctx) => {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  return async (): Promise<void> => {
    if (!reading && performance.now() - readAt < KEPT_MS) return;
    reading ??= readGauges(ctx).finally(() => {
      readAt = performance.now();
      reading = undefined;
    });
    await reading;
  };
});

/** Without an answer there are no figures: old ones would hide an outage. */
async function readGauges(ctx: Ctx): Promise<void> {
  const rows = ctx.watch.isUp() ? await readState(ctx).catch((error: Error) => logFailed(ctx, error)) : [];
  for (const figure of Object.keys(ctx.metrics.state) as StateFigure[]) {
    ctx.metrics.state[figure].set(rows.filter((row) => row.figure === figure));
  }
}

function logFailed({ log }: Ctx, { message }: Error): [] {
  log.debug({ reason: message }, "the state of the service could not be read for the metrics");
  return [];
}

type StateRow = Sample & { figure: StateFigure };

/** All figures in one statement: one snapshot, and one connection for as long as it takes. */
export async function readState({ db }: Ctx): Promise<StateRow[]> {
  const { rows } = await sql<StateRow>`
    /* prepared */
    with recursive ${backlogState.tables}, ${workflowState.tables}, ${deliveryState.tables}, ${databaseState.tables}
    ${backlogState.rows}
    union all ${workflowState.rows}
    union all ${deliveryState.rows}
    union all ${databaseState.rows}`.execute(db);
  return rows;
}
