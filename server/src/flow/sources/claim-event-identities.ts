import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { LoadedSource } from "./source-rows.ts";

/** The prefix of the hash of the signed content. */
const SIGNED = "signed:";
/** Signatures are accepted for five minutes on either side: for that long the same bytes are not accepted again. */
const REPLAY_SECS = 600;

/** The event was received before. The transaction is rolled back: nothing of this one is stored. */
export class AlreadyReceived extends Error {
  readonly source_event_id: string;
  constructor(source_event_id: string) {
    super("the event was received before");
    this.source_event_id = source_event_id;
  }
}

/**
 * Records the identity of an event: its id, and the signed content. Of two concurrent ones the second waits here for
 * the first to commit, and then finds it. An expired identity is free again.
 */
export async function claimEventIdentities(
  tx: Ctx & InTransaction,
  { project_id, id: source_id, dedup_window_secs }: LoadedSource,
  source_event_id: string,
  identities: readonly string[],
): Promise<void> {
  const claimed = dedup_window_secs === 0 ? identities.filter((each) => each.startsWith(SIGNED)) : identities;
  if (claimed.length === 0) return;
  const { rows } = await sql<{ name: string }>`
    insert into source_event_ids as i (project_id, source_id, name, source_event_id, expires_at)
    select ${project_id}, ${source_id}, name, ${source_event_id}, clock() + interval '1 second'
      * case when starts_with(name, ${SIGNED}) then ${Math.max(dedup_window_secs, REPLAY_SECS)}::int
        else ${dedup_window_secs}::int end
    from unnest(${claimed}::text[]) as name order by name
    on conflict (project_id, source_id, name) do update
    set source_event_id = excluded.source_event_id, expires_at = excluded.expires_at
    where i.expires_at <= clock()
    returning i.name`.execute(tx.db);
  if (rows.length === claimed.length) return;
  const { rows: holders } = await sql<{ source_event_id: string }>`
    select source_event_id from source_event_ids
    where project_id = ${project_id} and source_id = ${source_id} and name = any(${claimed}::text[])
      and source_event_id <> ${source_event_id} limit 1`.execute(tx.db);
  if (holders[0]) throw new AlreadyReceived(holders[0].source_event_id);
}

/** For an event that was removed: its identities may be claimed again. */
export async function releaseEventIdentities(
  ctx: Ctx,
  project_id: string,
  source_id: string,
  identities: readonly string[],
) {
  await sql`
    delete from source_event_ids i
    where i.project_id = ${project_id} and i.source_id = ${source_id} and i.name = any(${[...identities]}::text[])
      and not exists (
        select 1 from source_events e where e.project_id = i.project_id and e.id = i.source_event_id)`.execute(ctx.db);
}
