import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { LoadedSource } from "./source-rows.ts";

/** The prefix of the hash of the signed content. */
const SIGNED = "signed:";
/** Signatures are accepted for five minutes on either side: for that long the same bytes are not accepted again. */
const REPLAY_SECS = 600;

/** The event was received before. The transaction is rolled back: nothing of this one is stored. */
export class TakenBefore extends Error {
  readonly source_event_id: string;
  constructor(source_event_id: string) {
    super("the event was received before");
    this.source_event_id = source_event_id;
  }
}

/**
 * Records the identity of an event: its id, and the signed content. Of two concurrent ones the second waits here for
 * the first to commit, and then finds it. An expired name is free again.
 */
export async function takeEventNames(
  tx: Ctx & InTransaction,
  { project_id, id: source_id, dedup_window_secs }: LoadedSource,
  source_event_id: string,
  names: readonly string[],
): Promise<void> {
  const kept = dedup_window_secs === 0 ? names.filter((name) => name.startsWith(SIGNED)) : names;
  if (kept.length === 0) return;
  const { rows } = await sql<{ name: string }>`
    insert into source_event_ids as i (project_id, source_id, name, source_event_id, expires_at)
    select ${project_id}, ${source_id}, name, ${source_event_id}, clock() + interval '1 second'
      * case when starts_with(name, ${SIGNED}) then ${Math.max(dedup_window_secs, REPLAY_SECS)}::int
        else ${dedup_window_secs}::int end
    from unnest(${kept}::text[]) as name order by name
    on conflict (project_id, source_id, name) do update
    set source_event_id = excluded.source_event_id, expires_at = excluded.expires_at
    where i.expires_at <= clock()
    returning i.name`.execute(tx.db);
  if (rows.length === kept.length) return;
  const { rows: holders } = await sql<{ source_event_id: string }>`
    select source_event_id from source_event_ids
    where project_id = ${project_id} and source_id = ${source_id} and name = any(${kept}::text[])
      and source_event_id <> ${source_event_id} limit 1`.execute(tx.db);
  if (holders[0]) throw new TakenBefore(holders[0].source_event_id);
}

/** The event they refer to was removed. */
export async function freeEventNames(ctx: Ctx, project_id: string, source_id: string, names: readonly string[]) {
  await sql`
    delete from source_event_ids i
    where i.project_id = ${project_id} and i.source_id = ${source_id} and i.name = any(${[...names]}::text[])
      and not exists (
        select 1 from source_events e where e.project_id = i.project_id and e.id = i.source_event_id)`.execute(ctx.db);
}
