import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { inSlices } from "../../platform/time-slices.ts";
import { type StoredEvent, signHead, storedHash } from "./chain.ts";
import { lockHead } from "./heads.ts";
import { STORED_COLUMNS } from "./queries.ts";

type Seal = { id: string; chain_no: number; hash: string };

const MAX_EVENTS = 1_000; // events of one project per transaction
const MAX_PROJECTS = 50;

/**
 * Numbers new events in the order in which it sees them, without waiting for open transactions or relying on a clock.
 * Each project has one chain; the lock on its head keeps a second sealer from forking it.
 */
export async function sealAudit(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql<{ project_id: string }>`
    /* prepared */
    select distinct u.project_id from (
      select project_id from audit_events where chain_no is null order by created_at, id limit ${sql.lit(MAX_EVENTS)}
    ) u limit ${sql.lit(MAX_PROJECTS)}`.execute(ctx.db);
  let isMore = rows.length === MAX_PROJECTS;
  for (const { project_id } of rows) {
    const sealed = await inTransaction(ctx, (tx) => sealProject(tx, project_id));
    isMore ||= sealed === MAX_EVENTS;
  }
  return isMore;
}

async function sealProject(tx: Ctx & InTransaction, project_id: string): Promise<number> {
  const head = await lockHead(tx, project_id);
  const { rows: events } = await sql<StoredEvent>`
    select ${STORED_COLUMNS} from audit_events e
    where e.project_id = ${project_id} and e.chain_no is null
    order by e.created_at, e.id limit ${MAX_EVENTS}`.execute(tx.db);
  if (events.length === 0) return 0;
  let { count, hash } = head;
  const sealed: Seal[] = [];
  for (const event of events) {
    count++;
    hash = await inSlices(storedHash(hash, count, event));
    sealed.push({ id: event.id, chain_no: count, hash: hash.toString("hex") });
  }
  await writeSeals(tx, project_id, sealed);
  const signature = signHead(tx.config, "head", { project_id, no: count, hash });
  await sql`
    update audit_heads set count = ${count}, hash = ${hash}, signature = ${signature}, sealed_at = clock()
    where project_id = ${project_id}`.execute(tx.db);
  return events.length;
}

async function writeSeals(tx: Ctx & InTransaction, project_id: string, sealed: readonly Seal[]): Promise<void> {
  const { rows } = await sql`
    update audit_events e set chain_no = s.chain_no, hash = decode(s.hash, 'hex')
    from json_to_recordset(${JSON.stringify(sealed)}::json) as s(id uuid, chain_no bigint, hash text)
    where e.project_id = ${project_id} and e.id = s.id and e.chain_no is null
    returning 1`.execute(tx.db);
  if (rows.length !== sealed.length) throw new Error("an audit event changed while it was being sealed");
}
