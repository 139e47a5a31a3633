import type { AssignMember, Member } from "@millrace/contract/members";
import { scopesBeyond } from "@millrace/contract/scopes";
import { sql } from "kysely";
import { refuseDeniedGrant } from "../../platform/access/refuse-denied-grant.ts";
import { permissionsOf, readLineage } from "../../platform/access/role-lineage.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { ApiError, invalid } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import { lockMember, shareRole } from "./queries.ts";

export type Assigned = { member: Member; status: "created" | "updated" | "unchanged" };

type Assignment = Pick<AssignMember, "subject" | "role_id" | "name">;

/** Gives a person a role, as a new member or in place of the one they had. `at` is where in the body it stands. */
export async function assignMember(tx: ProjectCtx & InTransaction, asked: Assignment, at = "body"): Promise<Assigned> {
  const role_id = await shareRole(tx, asked.role_id);
  if (role_id === undefined) throw invalid(`${at}.role_id`, "is not a role of this project", asked.role_id);
  await refuseWiderRole(tx, role_id);
  await refuseDeniedGrant(tx, permissionsOf(await readLineage(tx, tx.project_id, role_id)));
  const before = await lockMember(tx, { subject: asked.subject });
  if (before) await refuseWiderRole(tx, before.role_id);
  const name = asked.name === undefined ? (before?.name ?? null) : asked.name;
  if (before && before.role_id === role_id && before.name === name) return { member: before, status: "unchanged" };
  await sql`
    insert into members (project_id, id, subject, name, role_id, created_by, created_at, updated_at)
    values (${tx.project_id}, ${newId()}, ${asked.subject}, ${name}, ${role_id}, ${tx.caller.name}, clock(), clock())
    on conflict (project_id, subject) do update
    set role_id = excluded.role_id, name = excluded.name, updated_at = clock()`.execute(tx.db);
  const member = await lockMember(tx, { subject: asked.subject });
  if (!member) throw new Error("a member that was just written");
  const action = before ? "member.updated" : "member.created";
  const resource = { resource_type: "member", resource_id: member.id };
  await recordAudit(tx, { action, ...resource, before: before ?? null, after: member });
  return { member, status: before ? "updated" : "created" };
}

/** Nobody raises another, or himself, above what he holds; nor takes down who stands above him. */
export async function refuseWiderRole(tx: ProjectCtx & InTransaction, role_id: string): Promise<void> {
  const permissions = permissionsOf(await readLineage(tx, tx.project_id, role_id));
  const beyond = scopesBeyond(tx.caller.scopes, permissions);
  if (beyond.length === 0) return;
  throw new ApiError("grant_too_wide", `The caller does not hold ${beyond.join(", ")} and cannot give or take it.`, {
    errors: [{ location: "body.role_id", message: "grants what the caller does not hold", value: role_id }],
  });
}
