import type { AuditHead } from "@millrace/contract/projects/audit-events";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { NO_HASH, publicKeyOf, signHead } from "./chain.ts";

export type HeadRow = {
  project_id: string;
  count: number;
  hash: Buffer;
  signature: Buffer;
  start_no: number;
  start_hash: Buffer;
  start_signature: Buffer;
  sealed_at: string;
};

const COLUMNS = sql`h.project_id, h.count::int as count, h.hash, h.signature, h.start_no::int as start_no, h.start_hash,
  h.start_signature, h.sealed_at`;

export async function findHead(ctx: Ctx, project_id: string): Promise<HeadRow | undefined> {
  const { rows } = await sql<HeadRow>`
    select ${COLUMNS} from audit_heads h where h.project_id = ${project_id}`.execute(ctx.db);
  return rows[0];
}

/** The head of a project's chain, created if missing and locked until the commit: a chain has one writer at a time. */
export async function lockHead(tx: Ctx & InTransaction, project_id: string): Promise<HeadRow> {
  const none = { project_id, no: 0, hash: NO_HASH };
  await sql`
    insert into audit_heads (project_id, count, hash, signature, start_no, start_hash, start_signature, sealed_at)
    values (${project_id}, 0, ${NO_HASH}, ${signHead(tx.config, "head", none)},
      0, ${NO_HASH}, ${signHead(tx.config, "start", none)}, clock())
    on conflict do nothing`.execute(tx.db);
  const { rows } = await sql<HeadRow>`
    select ${COLUMNS} from audit_heads h where h.project_id = ${project_id} for update`.execute(tx.db);
  if (!rows[0]) throw new Error("the audit chain has no head");
  return rows[0];
}

export function presentHead(ctx: Ctx, head: HeadRow): AuditHead {
  return {
    ...head,
    hash: head.hash.toString("hex"),
    signature: head.signature.toString("base64"),
    start_hash: head.start_hash.toString("hex"),
    start_signature: head.start_signature.toString("base64"),
    public_key: publicKeyOf(ctx.config),
  };
}
