import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import { LIVE_STATUSES } from "../../runs/states.ts";

const PAGE = 500;

/**
 * Removes the cancel keys of ended runs: the end itself does not search for them, since most runs have none. An active
 * run is checked again when it is twice as old, so a long run costs a few checks. A workflow run may be retried after
 * its end: its keys stay as long as it does.
 */
export async function sweepCancelKeys(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql`
    with due as (
      select k.ctid as place, k.project_id, k.owner_id, k.owner_kind from cancel_keys k
      where k.check_at <= clock() order by k.check_at limit ${PAGE} for update skip locked
    ),
    looked as materialized (
      select d.place, coalesce(r.status = any(${LIVE_STATUSES}::text[]), w.id is not null, false) as is_kept from due d
      left join lateral (
        select r.status from runs r where d.owner_kind = 'run' and r.project_id = d.project_id and r.id = d.owner_id offset 0
      ) r on true
      left join lateral (
        select w.id from workflow_runs w
        where d.owner_kind = 'workflow_run' and w.project_id = d.project_id and w.id = d.owner_id offset 0
      ) w on true
    ),
    removed as (
      delete from cancel_keys k
      where k.ctid = any(array(select place from looked where not is_kept))
    ),
    kept as (
      update cancel_keys k set check_at = clock() + (clock() - k.created_at) + interval '1 minute'
      where k.ctid = any(array(select place from looked where is_kept))
    )
    select 1 from due`.execute(ctx.db);
  return rows.length === PAGE;
}
