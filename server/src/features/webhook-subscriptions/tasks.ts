import { hasNewChanges } from "../../platform/changelog/has-new-changes.ts";
import { RUN_CHANGES_TOPIC } from "../../platform/changelog/wake-readers.ts";
import { sql } from "../../platform/database/sql.ts";
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
    wakesWhile: sql`exists (
      select s.project_id from webhook_subscriptions s join projects p on p.id = s.project_id and p.deleted_at is null
      where s.enabled)`,
    hasWork: hasNewChanges(WEBHOOKS_CONSUMER),
    runOnce: publishChanges,
  },
];
