import type { OutboxSource } from "@millrace/contract/events/outbox-sources";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

export type SourceRow = Omit<OutboxSource, "$schema" | "state" | "next_attempt_at"> & {
  database_url: Buffer;
  is_claimed: boolean;
  next_attempt_at: string;
};

const COLUMNS = sql`o.project_id, o.id, o.name, o.host, o.port, o.database, o.username, o.sslmode, o.database_url, o.enabled,
  o.claim_token is not null and o.next_attempt_at > clock() as is_claimed, o.consecutive_failures, o.failing_since,
  o.next_attempt_at, o.last_error, o.last_drained_at, o.drained_count::float8 as drained_count,
  o.refused_count::float8 as refused_count, o.created_by, o.created_by_id, o.created_at, o.updated_at`;

export async function findSource(ctx: ProjectCtx, id: string): Promise<SourceRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<SourceRow>`
    select ${COLUMNS} from outbox_sources o where o.project_id = ${ctx.project_id} and o.id = ${id}`.execute(ctx.db);
  return rows[0];
}

export async function lockSource(tx: ProjectCtx & InTransaction, id: string): Promise<SourceRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<SourceRow>`
    select ${COLUMNS} from outbox_sources o
    where o.project_id = ${tx.project_id} and o.id = ${id} for update`.execute(tx.db);
  return rows[0];
}

export async function listSources(ctx: ProjectCtx, page: Page): Promise<SourceRow[]> {
  const { rows } = await sql<SourceRow>`
    select ${COLUMNS} from outbox_sources o where o.project_id = ${ctx.project_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export function presentSource(row: SourceRow): OutboxSource {
  const { database_url: _, is_claimed, ...source } = row;
  const state = stateOf(row);
  // In other states, `next_attempt_at` is the end of a claim.
  return { ...source, state, next_attempt_at: state === "failing" && !is_claimed ? row.next_attempt_at : null };
}

function stateOf({ enabled, consecutive_failures, is_claimed }: SourceRow): OutboxSource["state"] {
  if (!enabled) return "disabled";
  if (consecutive_failures > 0) return "failing";
  return is_claimed ? "draining" : "waiting";
}
