import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { perService } from "../../platform/service-state.ts";

const NOTE_EVERY_MS = 500;

const notedBy = perService((_: Ctx) => ({ isSubscribed: false, atMs: Number.NEGATIVE_INFINITY }));

/** Whether the service had an enabled subscription at the last check: then changes are published sooner. */
export function isSubscribed(ctx: Ctx): boolean {
  return notedBy(ctx).isSubscribed;
}

/** On every instance, since any of them may publish the next changes. */
export async function noteSubscriptions(ctx: Ctx): Promise<void> {
  const noted = notedBy(ctx);
  if (performance.now() - noted.atMs < NOTE_EVERY_MS) return;
  const { rows } = await sql<{ is_subscribed: boolean }>`
    /* prepared */
    select exists (select 1 from webhook_subscriptions s where s.enabled) as is_subscribed`.execute(ctx.db);
  noted.isSubscribed = rows[0]?.is_subscribed ?? false;
  noted.atMs = performance.now();
}
