import type { Ctx } from "../../src/platform/context.ts";
import { runSql, type TestConnection } from "./database.ts";
import { until } from "./until.ts";

/**
 * Waits until instances listen for wake-ups and have triggered the initial pass of every task. PostgreSQL lists the
 * listener before the instance has read the reply to LISTEN; a wake-up sent then arrives after that reply.
 */
export async function untilListening(connection: TestConnection, instances: readonly { ctx: Ctx }[]): Promise<void> {
  await until("the listeners", 20_000, async () => (await runSql(connection, LISTENERS)).length >= instances.length);
  const notified = new Set<Ctx>();
  for (const { ctx } of instances) ctx.wakeup.onWake("listening", () => notified.add(ctx));
  await runSql(connection, "select pg_notify('millrace', E'a test\\nlistening')");
  await until("the wake-up", 20_000, () => notified.size === instances.length);
}

export const LISTENERS = `
  select 1 from pg_stat_activity where datname = current_database() and application_name like 'millrace listen%'
    and state = 'idle' and query ilike '%has_others%'`;
