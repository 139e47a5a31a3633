import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { perService } from "../../../platform/service-state.ts";

/** Of limits that runs wait for. A page costs 10 ms of CPU; a hundred thousand keys take fifty minutes. */
const PAGE = 500;
/** Reconciliation releases them every 30 s. A slot that is released this instant is no violation either. */
const GRACE_MS = 60_000;
const MAX_KEPT = 1_000;

type Limit = { project_id: string; reason: string };
type Free = Limit & { startable: number; at_ms: number };

const START: Limit = { project_id: "00000000-0000-0000-0000-000000000000", reason: "" };

/** Where the last check ended, and since when each limit that it found is free: they are looked at again each time. */
const scanOf = perService(() => ({ after: START, freeSince: new Map<string, Limit & { since: number }>() }));

/** Runs that could start: they wait for a limit that has had room for a minute, in the pages that were checked so far. */
export async function countUnstarted(ctx: Ctx): Promise<number> {
  const scan = scanOf(ctx);
  const { free, next } = await listFreeLimits(ctx, scan.after, [...scan.freeSince.values()]);
  const known = scan.freeSince;
  scan.after = next;
  scan.freeSince = new Map(
    free.slice(0, MAX_KEPT).map(({ project_id, reason, at_ms }) => {
      const name = `${project_id} ${reason}`;
      return [name, { project_id, reason, since: Math.min(at_ms, known.get(name)?.since ?? at_ms) }];
    }),
  );
  const isLate = ({ project_id, reason, at_ms }: Free) =>
    at_ms - (scan.freeSince.get(`${project_id} ${reason}`)?.since ?? at_ms) >= GRACE_MS;
  return free.filter(isLate).reduce((sum, { startable }) => sum + startable, 0);
}

/**
 * Limits with room that runs are blocked on, in the next page of all that runs are blocked on, and among `again`. The
 * first is found by skipping from one reason to the next in their index, however many runs wait for each.
 */
async function listFreeLimits(ctx: Ctx, after: Limit, again: readonly Limit[]): Promise<{ free: Free[]; next: Limit }> {
  const { rows } = await sql<{ free: Free[]; next: Limit | null }>`
    with recursive walked as (
      (${nextReason(sql`${after.project_id}::uuid`, sql`${after.reason}::text`, sql`1`)})
      union all
      select n.* from walked w cross join lateral (
        ${nextReason(sql`w.project_id`, sql`w.reason`, sql`w.nth + 1`)}) n where w.nth < ${PAGE}
    ), looked_at as (
      select w.project_id, w.reason from walked w
      union
      select a.project_id, a.reason from unnest(
        ${again.map((limit) => limit.project_id)}::uuid[], ${again.map((limit) => limit.reason)}::text[]) as a(project_id, reason)
    ), free as (${FREE})
    select (select coalesce(json_agg(f), '[]') from free f) as free,
      (select to_json(w) from walked w where w.nth = ${PAGE}) as next`.execute(ctx.db);
  return { free: rows[0]?.free ?? [], next: rows[0]?.next ?? START };
}

function nextReason(project_id: Sql, reason: Sql, nth: Sql): Sql {
  return sql`
    select q.project_id, q.blocked_on as reason, ${nth} as nth from run_queue q
    where (q.project_id, q.blocked_on) > (${project_id}, ${reason})
      and q.blocked_on is not null and q.blocked_on <> 'not_due'
    order by q.project_id, q.blocked_on limit 1`;
}

/**
 * The room of a concurrency limit, less what is granted to runs that no claim has come to; a limit that was removed
 * has room for all. A rate limit has room if nothing would release it. Of a paused job or queue, and of a stopped workflow run, nothing may start.
 */
const FREE = sql`
  select l.project_id, l.reason, least(r.room, waiting.count)::int as startable,
    (extract(epoch from clock()) * 1000)::float8 as at_ms
  from looked_at l
  cross join lateral (
    select q.job_id from run_queue q
    where q.project_id = l.project_id and q.blocked_on = l.reason and q.blocked_on is not null and q.blocked_on <> 'not_due'
    limit 1
  ) q
  join jobs j on j.project_id = l.project_id and j.id = q.job_id
  left join queues k on k.project_id = l.project_id and k.name = j.queue
  left join concurrency_counters c on c.project_id = l.project_id and c.key = l.reason
  left join rate_windows w on w.project_id = l.project_id and w.key = l.reason
  cross join lateral (
    select case split_part(l.reason, ':', 1)
      when 'job' then coalesce(j.max_concurrency, ${sql.lit(PAGE)}) when 'key' then coalesce(j.max_concurrency_per_key, ${sql.lit(PAGE)})
      when 'queue' then coalesce(k.max_concurrency, ${sql.lit(PAGE)}) end - coalesce(c.active, 0) as slots
  ) s
  cross join lateral (
    select case
      when s.slots > 0 then s.slots - (
        select count(*) from run_queue g
        where g.project_id = l.project_id and g.granted_by is not null and g.lease_until is null
          and (l.reason like 'queue:%' or g.job_id = q.job_id)
          and (g.granted_by = l.reason or g.kept @> array[l.reason]))
      when split_part(l.reason, ':', 1) in ('rate', 'queue_rate')
        and (w.next_at is null or w.next_at < clock() - interval '1 minute') then 1
      else 0 end as room
  ) r
  cross join lateral (
    select count(*) from (
      select 1 from run_queue b join jobs o on o.project_id = b.project_id and o.id = b.job_id
      where b.project_id = l.project_id and b.blocked_on = l.reason and b.blocked_on is not null
        and b.blocked_on <> 'not_due' and b.stopped is null and o.paused_at is null
      limit least(greatest(r.room, 0), ${sql.lit(PAGE)})) listed
  ) waiting
  where r.room > 0 and k.paused_at is null and waiting.count > 0`;
