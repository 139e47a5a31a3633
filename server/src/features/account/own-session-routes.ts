import { MemberSessions } from "@millrace/contract/access/members";
import { endSessionOf, listSessions } from "../../platform/access/credentials/person-sessions.ts";
import { subjectOfPerson } from "../../platform/access/person.ts";
import { auditPerson } from "../../platform/audit/audit-person.ts";
import type { CallerCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { callerRoute, type Route } from "../../platform/route.ts";

/** Only people have sessions. */
export const ownSessionRoutes: Route[] = [
  callerRoute("GET /v1/account/sessions", {
    summary: "List the caller's own sessions",
    response: MemberSessions,
    run: async (ctx) => ({ sessions: await listSessions(ctx, subjectOfPerson(ctx)) }),
  }),
  callerRoute("DELETE /v1/account/sessions/{sessionID}", {
    summary: "End one of the caller's own sessions",
    errors: ["not_found"],
    run: (ctx, { params }) => endOwn(ctx, params.sessionID),
  }),
];

async function endOwn(ctx: CallerCtx, id: string): Promise<undefined> {
  const subject = subjectOfPerson(ctx);
  await inTransaction(ctx, async (tx) => {
    const session = await endSessionOf(tx, subject, id);
    await auditPerson(tx, subject ?? "", { action: "member.session_ended", after: { subject, session } });
  });
}
