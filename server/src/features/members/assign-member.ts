import type { AssignMember, Member } from "@millrace/contract/access/members";
import { ADMIN_ROLE_ID } from "@millrace/contract/access/roles";
import { scopesBeyond } from "@millrace/contract/access/scopes";
import { invalidateMembers } from "../../platform/access/credentials/member-cache.ts";
import { refuseDeniedGrant } from "../../platform/access/policies/refuse-denied.ts";
import { permissionsOf, readLineage } from "../../platform/access/policies/role-lineage.ts";
import { actorOf } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { RouteReply } from "../../platform/route.ts";
import { lockAdmins, refuseLastAdmin } from "./last-admin.ts";
import { lockMember, shareRole } from "./queries.ts";

export type Assigned = { member: Member; status: "created" | "updated" | "unchanged" };

type Assignment = Pick<AssignMember, "subject" | "role_id" | "name">;

/** Assigns a role to a person, as a new member or replacing their role. `at` is the location in the body. */
export async function assignMember(
  tx: ProjectCtx & InTransaction,
  requested: Assignment,
  at = "body",
): Promise<Assigned> {
  const role_id = await shareRole(tx, requested.role_id);
  if (role_id === undefined) throw invalid(`${at}.role_id`, "is not a role of this project", requested.role_id);
  await refuseWiderRole(tx, role_id);
  await refuseDeniedGrant(tx, permissionsOf(await readLineage(tx, tx.project_id, role_id)));
  const admins = role_id === ADMIN_ROLE_ID ? [] : await lockAdmins(tx);
  const before = await lockMember(tx, { subject: requested.subject });
  if (before) await refuseWiderRole(tx, before.role_id);
  if (before) refuseLastAdmin(tx, admins, before);
  const name = requested.name === undefined ? (before?.name ?? null) : requested.name;
  // Assigned by hand, a membership no longer follows the rules.
  if (before && !before.by_rule && before.role_id === role_id && before.name === name)
    return { member: before, status: "unchanged" };
  await sql`
    insert into members (project_id, id, subject, name, role_id, created_by, created_by_id, created_at, updated_at)
    values (${tx.project_id}, ${newId()}, ${requested.subject}, ${name}, ${role_id}, ${tx.caller.name}, ${actorOf(tx.caller).id}, clock(),
      clock())
    on conflict (project_id, subject) do update
    set role_id = excluded.role_id, name = excluded.name, by_rule = false, updated_at = clock()`.execute(tx.db);
  const member = await lockMember(tx, { subject: requested.subject });
  if (!member) throw new Error("the member that was just written is missing");
  const action = before ? "member.updated" : "member.created";
  const resource = { resource_type: "member", resource_id: member.id };
  await recordAudit(tx, { action, ...resource, before: before ?? null, after: member });
  return { member, status: before ? "updated" : "created" };
}

/** A caller cannot raise anyone, including itself, above its own permissions, nor demote someone with more. */
export async function refuseWiderRole(tx: ProjectCtx & InTransaction, role_id: string): Promise<void> {
  const permissions = permissionsOf(await readLineage(tx, tx.project_id, role_id));
  const beyond = scopesBeyond(tx.caller.scopes, permissions);
  if (beyond.length === 0) return;
  throw new ApiError("grant_too_wide", `The caller does not hold ${beyond.join(", ")} and cannot grant or remove it.`, {
    errors: [{ location: "body.role_id", message: "grants permissions that the caller does not hold", value: role_id }],
  });
}

export async function createMember(ctx: ProjectCtx, body: AssignMember, reply: RouteReply): Promise<Member> {
  const { member, status } = await inTransaction(ctx, (tx) => assignMember(tx, body));
  invalidateMembers(ctx);
  if (status !== "created") reply.status(200);
  return member;
}
