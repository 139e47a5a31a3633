import { isDeepStrictEqual } from "node:util";
import type {
  CreateResourcePolicy,
  CreateTagPolicy,
  UpdateResourcePolicy,
  UpdateTagPolicy,
} from "@millrace/contract/access/policies";
import { SCOPES, scopesBeyond } from "@millrace/contract/access/scopes";
import { covers, invalidatePolicies, subjectsOf } from "../../platform/access/policies/policies.ts";
import { refuseDeniedGrant } from "../../platform/access/policies/refuse-denied.ts";
import { actorOf } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { getPolicy, presentPolicy } from "./get-policy.ts";
import { countPolicies, lockPolicy, type PolicyKind, type PolicyRow } from "./queries.ts";
import { readResource } from "./read-resource.ts";
import { readSubject } from "./read-subject.ts";

export type DraftedPolicy = Omit<
  PolicyRow,
  "project_id" | "created_by" | "created_by_id" | "created_at" | "updated_at"
>;

async function writePolicy(tx: ProjectCtx & InTransaction, policy: DraftedPolicy): Promise<void> {
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

/** Every request evaluates all policies of the project. */
const MAX_POLICIES = 500;

export async function createPolicy(
  ctx: ProjectCtx,
  kind: PolicyKind,
  { project_id: _, ...body }: CreateResourcePolicy | CreateTagPolicy,
) {
  const id = newId();
  const created = await inTransaction(ctx, async (tx) => {
    await refuseTooMany(tx);
    const none = { resource_type: null, resource_id: null, tag_key: null, tag_value: null, description: null };
    const about = "resource_id" in body && {
      resource_id: await readResource(tx, body.resource_type, body.resource_id),
    };
    await writePolicy(tx, { ...none, ...body, ...about, id, kind, subject: await readSubject(tx, body.subject) });
    const after = await getPolicy(tx, kind, id);
    const resource_type = `${kind}_policy`;
    const { matches_anything: _moving, ...recorded } = after;
    await recordAudit(tx, { action: `${resource_type}.created`, resource_type, resource_id: id, after: recorded });
    return after;
  });
  invalidatePolicies(ctx);
  return created;
}

async function refuseTooMany(tx: ProjectCtx & InTransaction): Promise<void> {
  await sql`select 1 from projects where id = ${tx.project_id} for update`.execute(tx.db);
  if ((await countPolicies(tx)) < MAX_POLICIES) return;
  throw new ApiError("conflict", `A project has at most ${MAX_POLICIES} policies.`);
}

type PolicyRef = { kind: PolicyKind; id: string };

export async function updatePolicy(ctx: ProjectCtx, ref: PolicyRef, body: UpdateResourcePolicy | UpdateTagPolicy) {
  const { kind, id } = ref;
  const updated = await inTransaction(ctx, async (tx) => {
    const row = await lockPolicy(tx, kind, id);
    if (!row) throw notFound("policy");
    const policy = await withIds(tx, row, { ...row, ...body });
    if (isDeepStrictEqual(policy, row)) return getPolicy(tx, kind, id);
    refuseOwnDeny(tx, row);
    await writePolicy(tx, policy);
    const after = await getPolicy(tx, kind, id);
    const resource_type = `${kind}_policy`;
    const { matches_anything: _moving, ...recorded } = after;
    const entry = { resource_type, resource_id: id, before: presentPolicy(row), after: recorded };
    await recordAudit(tx, { action: `${resource_type}.updated`, ...entry });
    return after;
  });
  invalidatePolicies(ctx);
  return updated;
}

/** Unchanged references are not looked up again: they may be deleted. */
async function withIds(tx: ProjectCtx, row: PolicyRow, requested: PolicyRow): Promise<PolicyRow> {
  const { resource_type, resource_id } = requested;
  const isSame = resource_type === row.resource_type && resource_id === row.resource_id;
  return {
    ...requested,
    subject: requested.subject === row.subject ? row.subject : await readSubject(tx, requested.subject),
    resource_id:
      isSame || resource_type === null || resource_id === null
        ? resource_id
        : await readResource(tx, resource_type, resource_id),
  };
}
