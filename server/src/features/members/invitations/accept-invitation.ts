import type { AcceptInvitation } from "@millrace/contract/access/invitations";
import type { Session } from "@millrace/contract/access/session";
import {
  createAccount,
  findAccount,
  hashNewPassword,
  LOCAL,
  verifyAccount,
} from "../../../platform/access/accounts/account-store.ts";
import { invalidateMembers } from "../../../platform/access/credentials/member-cache.ts";
import { sessionCookie } from "../../../platform/access/credentials/session-cookie.ts";
import { startPersonSession } from "../../../platform/access/credentials/session-store.ts";
import { readLineage } from "../../../platform/access/policies/role-lineage.ts";
import { recordServiceAudit } from "../../../platform/audit/record-audit.ts";
import type { Ctx, InTransaction, RequestOrigin } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { newId } from "../../../platform/ids.ts";
import type { RouteReply } from "../../../platform/route.ts";
import { findInvitation, type InvitationRow, takeInvitation } from "./invitation-queries.ts";

type PublicCtx = Ctx & { origin: RequestOrigin };
type Joining = { id: string | undefined; email: string; name: string };

/** Creates the account, or checks the password of the one that exists, and signs the person in. */
export async function acceptInvitation(ctx: PublicCtx, body: AcceptInvitation, reply: RouteReply): Promise<Session> {
  const invitation = await findInvitation(ctx, body.token);
  if (!invitation) throw over();
  const { email } = invitation;
  const known = await findAccount(ctx, { email });
  if (known) await verifyAccount(ctx, { email, password: body.password, totp: body.totp });
  const password = known ? undefined : await hashNewPassword(ctx, body.password);
  const joining = { id: known?.id, email, name: known?.name ?? body.name ?? email };
  const id = await inTransaction(ctx, async (tx) => {
    if (!(await takeInvitation(tx, invitation))) throw over();
    const account_id = joining.id ?? (password && (await createAccount(tx, { ...joining, password })).id) ?? "";
    await join(tx, invitation, { ...joining, id: account_id });
    return account_id;
  });
  const person = { subject: `${LOCAL}${id}`, name: joining.name, email, provider: null };
  const { token, expires_at } = await startPersonSession(ctx, { person, refresh_token: undefined, origin: ctx.origin });
  reply.header("set-cookie", sessionCookie(ctx, token, expires_at));
  return { kind: "member", project_id: null, key_id: null, expires_at, sign_out_url: null } as Session;
}

/** A person who is a member keeps the role: an old link must not change it. */
async function join(tx: Ctx & InTransaction, invitation: InvitationRow, { id, name }: Joining): Promise<void> {
  const { project_id, role_id, created_by, created_by_id } = invitation;
  if ((await readLineage(tx, project_id, role_id)).length === 0)
    throw new ApiError("conflict", "The role of this invitation was deleted. Ask for another invitation.");
  const { rows } = await sql<{ id: string }>`
    insert into members (project_id, id, subject, name, role_id, created_by, created_by_id, created_at, updated_at)
    values (${project_id}, ${newId()}, ${`${LOCAL}${id}`}, ${name}, ${role_id}, ${created_by}, ${created_by_id}, clock(), clock())
    on conflict (project_id, subject) do nothing returning id`.execute(tx.db);
  const after = { subject: `${LOCAL}${id}`, role_id, name, invitation_id: invitation.id };
  const resource = { resource_type: "member", resource_id: rows[0]?.id ?? id ?? "" };
  await recordServiceAudit(tx, project_id, { action: "member.invitation_accepted", ...resource, after });
  tx.afterCommit(invalidateMembers);
}

function over(): ApiError {
  return new ApiError("not_found", "The invitation was used or has expired. Ask for another one.");
}
