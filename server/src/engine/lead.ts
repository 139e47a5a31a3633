import { type RawBuilder, sql } from "kysely";
import type { Ctx } from "../platform/context.ts";
import type { Loop } from "../platform/loop.ts";

const LEASE_SECS = 30; // longer than any turn: duties work in bounded pages

/**
 * Takes the lease of a duty that one instance does at a time, if it is due and free. An economy, not a lock: every
 * duty guards its own changes, so two leads at once would do no harm. A lease row, since poolers strand session locks.
 */
export function takeLead(ctx: Ctx, loop: Loop): Promise<boolean> {
  return takeLeadWhen(ctx, loop, sql`l.next_due_at <= clock()`);
}

/** The same for a duty that was woken: there is work, so it need not be due. */
export function takeLeadEarly(ctx: Ctx, loop: Loop): Promise<boolean> {
  return takeLeadWhen(ctx, loop, sql`true`);
}

async function takeLeadWhen(ctx: Ctx, loop: Loop, isTime: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql`
    /* kept */
    insert into leaders as l (name, holder, epoch, lease_until, next_due_at)
    values (${loop.name}, ${ctx.instance_id}, 1, clock() + ${LEASE_SECS} * interval '1 second', clock())
    on conflict (name) do update
    set holder = excluded.holder, epoch = l.epoch + 1, lease_until = excluded.lease_until
    where ${isTime} and (l.lease_until <= clock() or l.holder = excluded.holder)
    returning epoch`.execute(ctx.db);
  return rows.length > 0;
}

/** Of instances that are gone: whoever is next due may take them. */
export async function giveUpLeadsOf(ctx: Ctx, instance_ids: readonly string[]): Promise<void> {
  await sql`
    update leaders set lease_until = clock()
    where holder = any(${[...instance_ids]}::uuid[]) and lease_until > clock()`.execute(ctx.db);
}

/** Says when the duty is next due, for all instances: at once when more is waiting. */
export async function giveUpLead(ctx: Ctx, loop: Loop, more: boolean): Promise<void> {
  const pauseMs = more ? 0 : loop.everyMs;
  await sql`
    /* kept */
    update leaders set lease_until = clock(), next_due_at = clock() + ${pauseMs}::int * interval '1 millisecond' * 0.9
    where name = ${loop.name} and holder = ${ctx.instance_id}`.execute(ctx.db);
}
