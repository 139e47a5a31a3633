import {
  AcceptInvitation,
  CreateInvitation,
  Invitation,
  InvitationList,
  ListInvitationsQuery,
} from "@millrace/contract/access/invitations";
import { Session } from "@millrace/contract/access/session";
import { foldEmail } from "../../../platform/access/email-address.ts";
import { refuseDeniedGrant } from "../../../platform/access/policies/refuse-denied.ts";
import { permissionsOf, readLineage } from "../../../platform/access/policies/role-lineage.ts";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { invalid, notFound } from "../../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../../platform/listing/page.ts";
import { projectRoute, publicRoute, type Route } from "../../../platform/route.ts";
import { refuseWiderRole } from "../assign-member.ts";
import { shareRole } from "../queries.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { deleteInvitation, insertInvitation, listInvitations } from "./invitation-queries.ts";

const DEFAULT_HOURS = 72;

export const invitationRoutes: Route[] = [
  projectRoute("POST /v1/members/invitations", {
    summary: "Invite a person",
    scope: "access:write",
    body: CreateInvitation,
    response: Invitation,
    status: 201,
    errors: ["grant_too_wide"],
    run: (ctx, { body }) => invite(ctx, body),
  }),
  projectRoute("GET /v1/members/invitations", {
    summary: "List open invitations",
    scope: "access:read",
    query: ListInvitationsQuery,
    response: InvitationList,
    run: (ctx, { query }) => list(ctx, query),
  }),
  projectRoute("DELETE /v1/members/invitations/{invitationID}", {
    summary: "Withdraw an invitation",
    scope: "access:write",
    foundBy: { table: "invitations", param: "invitationID" },
    run: (ctx, { params }) => withdraw(ctx, params.invitationID),
  }),
  publicRoute("POST /v1/members/invitations/accept", {
    summary: "Accept an invitation, and sign in",
    limit: "sign_in",
    body: AcceptInvitation,
    response: Session,
    status: 201,
    errors: ["not_found", "unauthorized", "totp_required", "rate_limited", "conflict"],
    run: (ctx, { body }, reply) => acceptInvitation(ctx, body, reply),
  }),
];

async function invite(ctx: ProjectCtx, { email, role_id, expires_in_hours = DEFAULT_HOURS }: CreateInvitation) {
  return inTransaction(ctx, async (tx): Promise<Omit<Invitation, "$schema">> => {
    const role = await shareRole(tx, role_id);
    if (role === undefined) throw invalid("body.role_id", "is not a role of this project", role_id);
    await refuseWiderRole(tx, role);
    await refuseDeniedGrant(tx, permissionsOf(await readLineage(tx, tx.project_id, role)));
    const added = { email: foldEmail(email), role_id: role, hours: expires_in_hours };
    const { invitation, token } = await insertInvitation(tx, added);
    const resource = { resource_type: "invitation", resource_id: invitation.id };
    await recordAudit(tx, { action: "member.invited", ...resource, after: invitation });
    // After the #, which browsers send to no server: it stays out of logs.
    return { ...invitation, url: `${ctx.origin.base_url}/invitation#${token}` };
  });
}

async function list(ctx: ProjectCtx, query: ListInvitationsQuery) {
  const page = readPage(ctx, "invitations", query, "i");
  const rows = await listInvitations(ctx, page);
  return presentPage(
    ctx,
    page,
    rows.map((row) => ({ ...row, url: null })),
  );
}

async function withdraw(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const before = await deleteInvitation(tx, id);
    if (!before) throw notFound("invitation");
    const resource = { resource_type: "invitation", resource_id: id };
    await recordAudit(tx, { action: "member.invitation_withdrawn", ...resource, before });
  });
}
