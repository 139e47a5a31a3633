import type { EventsPurged, PurgeEvents } from "@millrace/contract/events";
import { countPurgeable, purgeTriggers as purge } from "../../flow/waits/purge-triggers.ts";
import { boundEnvironment } from "../../platform/access/bound-environment.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";

/** Deletes ended triggers page by page; the audit record is written with the first page. A dry run counts them. */
export async function purgeTriggers(
  ctx: ProjectCtx,
  { older_than_days, dry_run = false }: PurgeEvents,
): Promise<EventsPurged> {
  const { project_id, caller } = ctx;
  const environment_id = boundEnvironment(caller);
  const order = { project_id, environment_id, older_than_days };
  if (dry_run) return { dry_run, matched: await countPurgeable(ctx, order), deleted: 0 };
  const deleted = await purge(ctx, order, (tx) =>
    recordAudit(tx, {
      action: "event_triggers.purged",
      resource_type: "project",
      resource_id: project_id,
      after: { older_than_days, environment_id },
    }),
  );
  return { dry_run, matched: deleted, deleted };
}
