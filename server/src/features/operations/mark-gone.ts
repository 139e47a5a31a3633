import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { listenerName } from "../../platform/wakeup.ts";
import { hasEnded, ownProcess, type ProcessMark } from "./own-process.ts";

/** An instance as it has registered. */
export type Registered = ProcessMark & {
  id: string;
  name: string | null;
  /** Its database is embedded: while it lives nobody else works on it. */
  holds_data_dir: boolean;
  /** It has its connection for wake-ups. */
  is_listening: boolean;
};

type Own = ProcessMark & { name: string | null; holds_data_dir: boolean };

/** Leases are shorter. */
const REMEMBERED_MINUTES = 5;

/**
 * Notes which instances are surely gone, and answers those of the last minutes, with those that stopped in order. To be
 * silent is no proof: a process that is held up still has its calls under way, and its runs would be dispatched twice.
 */
export async function markGone(ctx: Ctx): Promise<string[]> {
  const own = { ...ownProcess(), name: ctx.config.instance_name, holds_data_dir: ctx.state.holdsDataDir };
  const gone = (await listOthers(ctx)).filter((other) => isGone(other, own)).map(({ id }) => id);
  if (gone.length > 0) ctx.log.warn({ instances: gone }, "instances are gone; what they held is taken back");
  const { rows } = await sql<{ id: string }>`
    with marked as (
      update instances set gone_at = clock() where id = any(${gone}::uuid[]) and gone_at is null returning id
    )
    select id from marked union
    select id from instances where gone_at > clock() - ${REMEMBERED_MINUTES} * interval '1 minute'`.execute(ctx.db);
  return rows.map(({ id }) => id);
}

/** What is proof, the strongest first. Nothing else is: what cannot be told keeps its leases until they run out. */
export function isGone(other: Registered, own: Own): boolean {
  // The data directory lets in one process at a time, and we are in.
  if (own.holds_data_dir && other.holds_data_dir) return true;
  if (own.machine !== null && own.machine === other.machine) return hasEnded(other);
  // Whoever gives names promises to give each to one instance at a time. One that still listens shows that it was not kept.
  return own.name !== null && own.name === other.name && !other.is_listening;
}

async function listOthers(ctx: Ctx): Promise<Registered[]> {
  const { rows } = await sql<Registered>`
    select i.id, i.name, i.machine, i.pid, i.birth_mark, i.holds_data_dir, exists (
      select 1 from pg_stat_activity a
      where a.datname = current_database() and a.application_name = ${listenerName("")} || i.id::text) as is_listening
    from instances i where i.gone_at is null and i.id <> ${ctx.instance_id}`.execute(ctx.db);
  return rows;
}
