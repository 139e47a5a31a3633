import { SCOPES, scopesBeyond } from "@millrace/contract/scopes";
import { sql } from "kysely";
import { covers, subjectsOf } from "../../platform/access/policies/policies.ts";
import { refuseDeniedGrant } from "../../platform/access/policies/refuse-denied-grant.ts";
import { actorOf } from "../../platform/actor.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import type { PolicyRow } from "./queries.ts";

export type DraftedPolicy = Omit<
  PolicyRow,
  "project_id" | "created_by" | "created_by_id" | "created_at" | "updated_at"
>;

export async function writePolicy(tx: ProjectCtx & InTransaction, policy: DraftedPolicy): Promise<void> {
  refuseWiderAllow(tx, policy);
  await refuseDeniedAllow(tx, policy);
  await sql`
    insert into access_policies (project_id, id, kind, effect, actions, subject, resource_type, resource_id, tag_key,
      tag_value, description, created_by, created_by_id, created_at, updated_at)
    values (${tx.project_id}, ${policy.id}, ${policy.kind}, ${policy.effect}, ${policy.actions}, ${policy.subject},
      ${policy.resource_type}, ${policy.resource_id}, ${policy.tag_key}, ${policy.tag_value}, ${policy.description},
      ${tx.caller.name}, ${actorOf(tx.caller).id}, clock(), clock())
    on conflict (project_id, id) do update
    set effect = excluded.effect, actions = excluded.actions, subject = excluded.subject,
      resource_type = excluded.resource_type, resource_id = excluded.resource_id, tag_key = excluded.tag_key,
      tag_value = excluded.tag_value, description = excluded.description, updated_at = clock()`.execute(tx.db);
}

/** A caller cannot remove an allow that it does not hold, nor lift a deny that names the caller. */
export function refuseOwnDeny(tx: ProjectCtx, policy: DraftedPolicy): void {
  refuseWiderAllow(tx, policy);
  const isOwn = policy.effect === "deny" && policy.subject !== "*" && subjectsOf(tx.caller).includes(policy.subject);
  if (isOwn)
    throw new ApiError("forbidden", "The policy denies the caller something, so only another subject can change it.");
}

/** An `allow` is a grant: the caller must hold it. */
function refuseWiderAllow({ caller }: ProjectCtx, { effect, actions }: DraftedPolicy): void {
  const beyond = effect === "allow" ? scopesBeyond(caller.scopes, [...actions]) : [];
  if (beyond.length === 0) return;
  throw new ApiError("grant_too_wide", `The caller does not hold ${beyond.join(", ")} and cannot allow it.`, {
    errors: beyond.map((value) => ({ location: "body.actions", message: "is not held by the caller", value })),
  });
}

/** A caller cannot allow what is denied to itself: the allowed subject could do it on the caller's behalf. */
async function refuseDeniedAllow(tx: ProjectCtx, { effect, actions }: DraftedPolicy): Promise<void> {
  if (effect === "deny") return;
  await refuseDeniedGrant(
    tx,
    SCOPES.filter((scope) => covers(actions, scope)),
  );
}
