import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import { TRIGGER_COLUMNS, type TriggerRow } from "../read-trigger.ts";
import { type Prefix, waitingWith } from "./find-prefix.ts";
import { countCanceled } from "./take-cancel-keys.ts";

type PrefixPreview = { resolved: number; canceled: number; triggers: TriggerRow[] };

const MAX_SHOWN = 100;

/** The receivers of an event sent to the prefix now: how many, and the first hundred by key. */
export async function previewPrefix(ctx: Ctx, prefix: Prefix): Promise<PrefixPreview> {
  const { rows: counted } = await sql<{ resolved: number }>`
    select count(*)::int as resolved from event_triggers t
    where t.project_id = ${prefix.project_id} and ${waitingWith(prefix)}`.execute(ctx.db);
  const { rows: triggers } = await sql<TriggerRow>`
    select ${TRIGGER_COLUMNS} from event_triggers t
    where t.project_id = ${prefix.project_id} and ${waitingWith(prefix)}
    order by t.event_key limit ${MAX_SHOWN}`.execute(ctx.db);
  const canceled = await countCanceled(ctx, { ...prefix, event_key: prefix.prefix, is_prefix: true });
  return { resolved: counted[0]?.resolved ?? 0, canceled, triggers };
}
