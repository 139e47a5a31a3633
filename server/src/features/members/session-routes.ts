import { type Member, MemberSessions } from "@millrace/contract/access/members";
import { endSessionOf, endSessionsOf, listSessions } from "../../platform/access/credentials/person-sessions.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { refuseWiderRole } from "./assign-member.ts";
import { findMember, lockMember } from "./queries.ts";

const foundBy = { table: "members", param: "memberID" } as const;

export const memberSessionRoutes: Route[] = [
  projectRoute("GET /v1/members/{memberID}/sessions", {
    summary: "List the sessions of a member",
    scope: "access:read",
    foundBy,
    response: MemberSessions,
    run: (ctx, { params }) => listOf(ctx, params.memberID),
  }),
  projectRoute("DELETE /v1/members/{memberID}/sessions", {
    summary: "Sign a member out everywhere",
    scope: "access:write",
    foundBy,
    errors: ["grant_too_wide"],
    run: (ctx, { params }) => endAll(ctx, params.memberID),
  }),
  projectRoute("DELETE /v1/members/{memberID}/sessions/{sessionID}", {
    summary: "End a session of a member",
    scope: "access:write",
    foundBy,
    errors: ["grant_too_wide"],
    run: (ctx, { params }) => endOne(ctx, params.memberID, params.sessionID),
  }),
];

async function listOf(ctx: ProjectCtx, id: string) {
  const member = await findMember(ctx, id);
  if (!member) throw notFound("member");
  return { sessions: hasBeenHere(member) ? await listSessions(ctx, member.subject) : [] };
}

/**
 * A session belongs to the person, not to the project, and anyone may add any subject to their own project. So sessions
 * of a member are listed and ended only if the member has used this project.
 */
function hasBeenHere({ last_seen_at }: Member): boolean {
  return last_seen_at !== null;
}

/** Also in other projects. */
async function endAll(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const member = await lockMember(tx, { id });
    if (!member) throw notFound("member");
    await refuseWiderRole(tx, member.role_id);
    const ended = hasBeenHere(member) ? await endSessionsOf(tx, member.subject) : 0;
    const after = { subject: member.subject, ended_sessions: ended };
    await recordAudit(tx, { action: "member.signed_out", resource_type: "member", resource_id: id, after });
  });
}

async function endOne(ctx: ProjectCtx, id: string, session_id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const member = await lockMember(tx, { id });
    if (!member) throw notFound("member");
    await refuseWiderRole(tx, member.role_id);
    if (!hasBeenHere(member)) throw notFound("session");
    const session = await endSessionOf(tx, member.subject, session_id);
    const after = { subject: member.subject, session };
    await recordAudit(tx, { action: "member.session_ended", resource_type: "member", resource_id: id, after });
  });
}
