import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { perService } from "../../platform/service-state.ts";

const PROJECTS_PER_PASS = 100;
/** After a page with more triggers than this, passes are skipped: counting a million takes most of a second. */
const TRIGGERS_PER_PASS = 200_000;
const START = "00000000-0000-0000-0000-000000000000";

const scanOf = perService(() => ({ after: START, rest: 0 }));

/**
 * Finds projects whose trigger counts are wrong, in one statement and without a lock: counts and triggers change
 * together, so they agree in every snapshot. A page of projects in each pass.
 */
export async function recountTriggers(ctx: Ctx): Promise<number> {
  const walk = scanOf(ctx);
  if (walk.rest-- > 0) return 0;
  const page = await listPage(ctx, walk.after);
  walk.after = page.length === PROJECTS_PER_PASS ? (page.at(-1)?.id ?? START) : START;
  walk.rest = Math.floor(page.reduce((sum, project) => sum + project.triggers, 0) / TRIGGERS_PER_PASS);
  let wrong = 0;
  for (const project_id of await findDrifted(
    ctx,
    page.map((project) => project.id),
  )) {
    if (await inTransaction(ctx, (tx) => recountOne(tx, project_id))) wrong++;
  }
  return wrong;
}

async function listPage(ctx: Ctx, after: string): Promise<{ id: string; triggers: number }[]> {
  const { rows } = await sql<{ id: string; triggers: number }>`
    select p.id, (
      select coalesce(sum(c.waiting + c.received + c.timed_out + c.canceled), 0)::float8 from event_trigger_counts c
      where c.project_id = p.id) as triggers
    from projects p where p.id > ${after} order by p.id limit ${PROJECTS_PER_PASS}`.execute(ctx.db);
  return rows;
}

async function findDrifted(ctx: Ctx, project_ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select g.project_id from unnest(${project_ids}::uuid[]) as g(project_id),
      lateral (${countedOf(sql`g.project_id`)}) c, lateral (${presentOf(sql`g.project_id`)}) p
    where (c.active, c.waiting, c.received, c.timed_out, c.canceled)
      <> (p.active, p.waiting, p.received, p.timed_out, p.canceled)`.execute(ctx.db);
  return rows.map((row) => row.project_id);
}

/**
 * Adds the difference to one of its counters. Needs no lock: the difference between counts and triggers is the same in
 * every snapshot, whatever is counted meanwhile.
 */
async function recountOne(tx: Ctx & InTransaction, project_id: string): Promise<boolean> {
  await sql`
    insert into event_trigger_counts (project_id, shard) values (${project_id}, 0)
    on conflict (project_id, shard) do nothing`.execute(tx.db);
  const { rows } = await sql`
    update event_trigger_counts e set active = e.active + p.active - c.active,
      waiting = e.waiting + p.waiting - c.waiting, received = e.received + p.received - c.received,
      timed_out = e.timed_out + p.timed_out - c.timed_out, canceled = e.canceled + p.canceled - c.canceled
    from (${countedOf(sql`${project_id}::uuid`)}) c, (${presentOf(sql`${project_id}::uuid`)}) p
    where e.project_id = ${project_id} and e.shard = 0
      and (c.active, c.waiting, c.received, c.timed_out, c.canceled)
        <> (p.active, p.waiting, p.received, p.timed_out, p.canceled)
    returning 1`.execute(tx.db);
  return rows.length > 0;
}

function countedOf(project_id: ReturnType<typeof sql>) {
  return sql`
    select coalesce(sum(active), 0) as active, coalesce(sum(waiting), 0) as waiting,
      coalesce(sum(received), 0) as received, coalesce(sum(timed_out), 0) as timed_out,
      coalesce(sum(canceled), 0) as canceled
    from event_trigger_counts where project_id = ${project_id}`;
}

function presentOf(project_id: ReturnType<typeof sql>) {
  return sql`
    select count(*) filter (where status = 'waiting' and wait_kind = 'event') as active,
      count(*) filter (where status = 'waiting') as waiting, count(*) filter (where status = 'received') as received,
      count(*) filter (where status = 'timed_out') as timed_out, count(*) filter (where status = 'canceled') as canceled
    from event_triggers where project_id = ${project_id}`;
}
