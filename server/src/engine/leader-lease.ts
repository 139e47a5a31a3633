import type { Ctx } from "../platform/context.ts";
import { type Sql, sql } from "../platform/database/sql.ts";
import type { Task } from "../platform/task.ts";

const LEASE_SECS = 30; // longer than any pass: tasks work in bounded pages
/** A time that lies farther ahead than it was ever set, by more than this: the clock went back. */
const CLOCK_SLACK_SECS = 30;

/**
 * Acquires the lease of a task that runs on one instance at a time, if it is due and free. An optimization, not a lock:
 * every task guards its own changes, so two leaders at once would do no harm. A row and not an advisory lock: behind a
 * pooler, a session lock could stay held.
 */
export function acquireLeaderLease(ctx: Ctx, task: Task): Promise<boolean> {
  return acquireLeaderLeaseWhen(
    ctx,
    task,
    sql`(l.next_due_at <= clock() or ${isBeyond(sql`l.next_due_at`, task.everyMs / 1_000)})`,
  );
}

/** The same for a task that was woken: there is work, so it need not be due. */
export function acquireLeaderLeaseEarly(ctx: Ctx, task: Task): Promise<boolean> {
  return acquireLeaderLeaseWhen(ctx, task, sql`true`);
}

async function acquireLeaderLeaseWhen(ctx: Ctx, task: Task, isDue: Sql): Promise<boolean> {
  const { rows } = await sql`
    /* prepared */
    insert into leaders as l (name, holder, epoch, lease_until, next_due_at)
    values (${task.name}, ${ctx.instance_id}, 1, clock() + ${LEASE_SECS} * interval '1 second', clock())
    on conflict (name) do update
    set holder = excluded.holder, epoch = l.epoch + 1, lease_until = excluded.lease_until
    where ${isDue} and (
      l.lease_until <= clock() or l.holder = excluded.holder or ${isBeyond(sql`l.lease_until`, LEASE_SECS)})
    returning epoch`.execute(ctx.db);
  return rows.length > 0;
}

function isBeyond(time: Sql, secs: number): Sql {
  return sql`${time} > clock() + ${secs + CLOCK_SLACK_SECS}::float8 * interval '1 second'`;
}

/** Expires the leases of dead instances, so that another instance can acquire them when the task is next due. */
export async function releaseLeaderLeasesOf(ctx: Ctx, instance_ids: readonly string[]): Promise<void> {
  await sql`
    update leaders set lease_until = clock()
    where holder = any(${[...instance_ids]}::uuid[]) and lease_until > clock()`.execute(ctx.db);
}

/** Records when the task is next due, for all instances. */
export async function releaseLeaderLease(ctx: Ctx, task: Task, pauseMs: number): Promise<void> {
  await sql`
    /* prepared */
    update leaders set lease_until = clock(), next_due_at = clock() + ${Math.round(pauseMs)}::int * interval '1 millisecond' * 0.9
    where name = ${task.name} and holder = ${ctx.instance_id}`.execute(ctx.db);
}
