import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { listenerName } from "../../platform/wakeups/wakeup.ts";
import { hasEnded, ownProcess, type ProcessIdentity } from "./register-instance.ts";

/** The registration of an instance. */
export type Registered = ProcessIdentity & {
  id: string;
  name: string | null;
  /** It has an embedded database: while it is alive, no other process can use it. */
  holds_data_dir: boolean;
  /** Its connection for wake-ups is open. */
  is_listening: boolean;
};

type Own = ProcessIdentity & { name: string | null; holds_data_dir: boolean };

/** Longer than any lease. */
const REMEMBERED_MINUTES = 5;

/**
 * Marks instances that are certainly gone, and returns those of the last minutes, including clean stops. Missing
 * heartbeats are no proof: a stalled process may still have requests in flight, and its runs would be dispatched twice.
 */
export async function markGone(ctx: Ctx): Promise<string[]> {
  const own = { ...ownProcess(), name: ctx.config.instance_name, holds_data_dir: ctx.state.holdsDataDir };
  const others = await listOthers(ctx);
  const known = others.filter(({ is_marked }) => is_marked).map(({ id }) => id);
  const gone = others.filter((other) => !other.is_marked && isGone(other, own)).map(({ id }) => id);
  if (gone.length === 0) return known;
  ctx.log.warn({ instances: gone }, "instances are gone; their leases are released");
  await sql`
    update instances set gone_at = clock() where id = any(${gone}::uuid[]) and gone_at is null`.execute(ctx.db);
  return [...known, ...gone];
}

/** The proofs, strongest first. Without proof, an instance keeps its leases until they expire. */
export function isGone(other: Registered, own: Own): boolean {
  // Only one process at a time can hold the data directory, and this one does.
  if (own.holds_data_dir && other.holds_data_dir) return true;
  if (own.machine !== null && own.machine === other.machine) return hasEnded(other);
  // Operators must give each name to one instance at a time. An instance that is still listening shows that the name is
  // shared.
  return own.name !== null && own.name === other.name && !other.is_listening;
}

/** Those that are not marked yet, and those that were marked in the last minutes. */
async function listOthers(ctx: Ctx): Promise<(Registered & { is_marked: boolean })[]> {
  const { rows } = await sql<Registered & { is_marked: boolean }>`
    /* prepared */
    select i.id, i.name, i.machine, i.pid, i.process_start, i.holds_data_dir, i.gone_at is not null as is_marked, exists (
      select 1 from pg_stat_activity a
      where a.datname = current_database() and a.application_name = ${listenerName("")} || i.id::text) as is_listening
    from instances i
    where case when i.gone_at is null then i.id <> ${ctx.instance_id}
      else i.gone_at > clock() - ${REMEMBERED_MINUTES} * interval '1 minute' end`.execute(ctx.db);
  return rows;
}
