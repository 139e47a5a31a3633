import { createHash, randomBytes } from "node:crypto";
import type { Invitation } from "@millrace/contract/access/invitations";
import { actorOf } from "../../../platform/actor.ts";
import type { Ctx, InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { isId, newId } from "../../../platform/ids.ts";
import type { Page } from "../../../platform/listing/page.ts";

export type InvitationRow = Omit<Invitation, "url" | "$schema">;

const COLUMNS = sql`i.id, i.project_id, i.email, i.role_id, i.created_by, i.created_by_id, i.created_at, i.expires_at`;

type New = { email: string; role_id: string; hours: number };

/** The token names its project, so that it is found there; the rest is random, and stored as a hash. */
export async function insertInvitation(tx: ProjectCtx & InTransaction, { email, role_id, hours }: New) {
  const token = `${tx.project_id}.${randomBytes(32).toString("base64url")}`;
  const { rows } = await sql<InvitationRow>`
    insert into invitations as i (project_id, id, email, role_id, token_hash, created_by, created_by_id, created_at, expires_at)
    values (${tx.project_id}, ${newId()}, ${email}, ${role_id}, ${hash(token)}, ${tx.caller.name},
      ${actorOf(tx.caller).id}, clock(), clock() + ${hours} * interval '1 hour')
    returning ${COLUMNS}`.execute(tx.db);
  if (!rows[0]) throw new Error("the invitation was not written");
  return { invitation: rows[0], token };
}

export async function listInvitations(ctx: ProjectCtx, page: Page): Promise<InvitationRow[]> {
  const { rows } = await sql<InvitationRow>`
    select ${COLUMNS} from invitations i
    where i.project_id = ${ctx.project_id} and i.expires_at > clock() ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export async function deleteInvitation(tx: ProjectCtx & InTransaction, id: string): Promise<InvitationRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<InvitationRow>`
    delete from invitations i where i.project_id = ${tx.project_id} and i.id = ${id} returning ${COLUMNS}`.execute(
    tx.db,
  );
  return rows[0];
}

export async function findInvitation(ctx: Ctx, token: string): Promise<InvitationRow | undefined> {
  const [project_id = ""] = token.split(".");
  if (!isId(project_id)) return undefined;
  const { rows } = await sql<InvitationRow>`
    select ${COLUMNS} from invitations i join projects p on p.id = i.project_id and p.deleted_at is null
    where i.project_id = ${project_id} and i.token_hash = ${hash(token)} and i.expires_at > clock()`.execute(ctx.db);
  return rows[0];
}

/** Of two requests with the same link, one takes it. */
export async function takeInvitation(tx: Ctx & InTransaction, { project_id, id }: InvitationRow): Promise<boolean> {
  const { rows } = await sql`
    delete from invitations where project_id = ${project_id} and id = ${id} returning id`.execute(tx.db);
  return rows.length > 0;
}

function hash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
