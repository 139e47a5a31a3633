import { sql } from "kysely";
import { hasNewChanges } from "../../platform/changelog/has-new-changes.ts";
import { RUN_CHANGES_TOPIC } from "../../platform/changelog/wake-readers.ts";
import type { Ctx } from "../../platform/context.ts";
import { perService } from "../../platform/service-state.ts";
import type { Task } from "../../platform/task.ts";
import { publishChanges, WEBHOOKS_CONSUMER } from "./publish-changes.ts";

export const webhookSubscriptionTasks: Task[] = [
  {
    name: "publish-webhooks",
    everyMs: 500,
    oneInstance: true,
    consumesLog: true,
    wakeOn: RUN_CHANGES_TOPIC,
    // Without subscriptions only the cursor moves, which can wait.
    wakesWhile: sql`exists (select s.project_id from webhook_subscriptions s where s.enabled)`,
    hasWork: hasNewChanges(WEBHOOKS_CONSUMER),
    runOnce: publishChanges,
  },
];

const NOTE_EVERY_MS = 500;

const notedBy = perService((_: Ctx) => ({ isSubscribed: false, atMs: Number.NEGATIVE_INFINITY }));

/** Whether the service had an enabled subscription at the last check: then changes are published sooner. */
function isSubscribed(ctx: Ctx): boolean {
  return notedBy(ctx).isSubscribed;
}

/** On every instance, since any of them may publish the next changes. */
async function noteSubscriptions(ctx: Ctx): Promise<void> {
  const noted = notedBy(ctx);
  if (performance.now() - noted.atMs < NOTE_EVERY_MS) return;
  const { rows } = await sql<{ is_subscribed: boolean }>`
    /* prepared */
    select exists (select 1 from webhook_subscriptions s where s.enabled) as is_subscribed`.execute(ctx.db);
  noted.isSubscribed = rows[0]?.is_subscribed ?? false;
  noted.atMs = performance.now();
}
