import { type RawBuilder, sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import { prefixRange } from "./prefix-range.ts";

/** The scope of a prefix: the whole project, or one environment. */
export type Prefix = { project_id: string; prefix: string; environment_id?: string | null | undefined };

export type PrefixCandidate = { id: string; event_key: string; workflow_run_id: string | null };

/** The waits that existed when the call began, in order of their keys. A range of the index of waiting keys. */
export async function findByPrefix(
  ctx: Ctx,
  prefix: Prefix,
  { started_at, after, max }: { started_at: string; after: string; max: number },
): Promise<PrefixCandidate[]> {
  const { rows } = await sql<PrefixCandidate>`
    select t.id, t.event_key, t.workflow_run_id from event_triggers t
    where t.project_id = ${prefix.project_id} and ${waitingWith(prefix)} and t.event_key > ${after}
      and t.created_at <= ${started_at}::timestamptz
    order by t.event_key limit ${max}`.execute(ctx.db);
  return rows;
}

/** Of `event_triggers t`; the statement itself adds the project. */
export function waitingWith({ prefix, environment_id }: Prefix): RawBuilder<unknown> {
  const { start, end } = prefixRange(prefix);
  return sql`t.status = 'waiting' and t.wait_kind = 'event'
    and t.event_key >= ${start} ${end === null ? sql`` : sql`and t.event_key < ${end}`}
    ${environment_id == null ? sql`` : sql`and t.environment_id = ${environment_id}`}`;
}
