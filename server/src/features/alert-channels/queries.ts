import type { AlertChannel } from "@millrace/contract/alerts/alert-channels";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

export type ChannelRow = Omit<AlertChannel, "$schema"> & { settings: Buffer };

const COLUMNS = sql`c.id, c.project_id, c.name, c.kind, c.target, c.settings, c.enabled, c.created_by, c.created_by_id,
  c.created_at, c.updated_at`;

export async function lockChannel(tx: ProjectCtx & InTransaction, id: string): Promise<ChannelRow> {
  const { rows } = await sql<ChannelRow>`
    select ${COLUMNS} from alert_channels c
    where c.project_id = ${tx.project_id} and c.id = ${isId(id) ? id : null} for update`.execute(tx.db);
  if (!rows[0]) throw notFound("alert channel");
  return rows[0];
}

export async function getChannel(ctx: ProjectCtx, id: string): Promise<AlertChannel> {
  const { rows } = await sql<ChannelRow>`
    select ${COLUMNS} from alert_channels c
    where c.project_id = ${ctx.project_id} and c.id = ${isId(id) ? id : null}`.execute(ctx.db);
  if (!rows[0]) throw notFound("alert channel");
  return presentChannel(rows[0]);
}

export async function listChannels(ctx: ProjectCtx, page: Page): Promise<ChannelRow[]> {
  const { rows } = await sql<ChannelRow>`
    select ${COLUMNS} from alert_channels c where c.project_id = ${ctx.project_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export function presentChannel({ settings: _, ...channel }: ChannelRow): AlertChannel {
  return channel;
}

/** Locks the project's row until the commit, so that two concurrent inserts cannot both pass the limit. */
export async function countChannels(tx: ProjectCtx & InTransaction): Promise<number> {
  await sql`select 1 from projects where id = ${tx.project_id} for no key update`.execute(tx.db);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from alert_channels where project_id = ${tx.project_id}`.execute(tx.db);
  return rows[0]?.count ?? 0;
}

/** Some of the rules that name the channel. */
export async function listRulesOf(tx: ProjectCtx & InTransaction, id: string) {
  const { rows } = await sql<{ id: string; name: string }>`
    select r.id, r.name from alert_rules r
    where r.project_id = ${tx.project_id} and ${id}::uuid = any(r.channel_ids) order by r.name, r.id limit 50`.execute(
    tx.db,
  );
  return rows;
}
