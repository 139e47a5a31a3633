import type { AccessDecision, CheckAccess } from "@millrace/contract/access/policies";
import { findMember } from "../../platform/access/credentials/member-cache.ts";
import { findTarget } from "../../platform/access/find-target.ts";
import { type Decision, decide, type Target } from "../../platform/access/policies/decide.ts";
import { readAccess } from "../../platform/access/policies/policies.ts";
import { permissionsOf, readLineage } from "../../platform/access/policies/role-lineage.ts";
import type { Caller, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { withArticle } from "./read-resource.ts";
import { readSubject } from "./read-subject.ts";

/**
 * Makes the decision that the API would make for another subject, with the reason. Without a resource, it is about the
 * action in general.
 */
export async function checkAccess(ctx: ProjectCtx, body: CheckAccess): Promise<AccessDecision> {
  const subject = body.subject === undefined ? ctx.caller : await findSubject(ctx, body.subject);
  const target = await readTarget(ctx, body);
  const none = { policy_id: null, granted_by: null };
  if (subject.kind === "internal_secret") {
    return { allowed: true, decided_by: "internal_secret", reason: "The internal secret has full access.", ...none };
  }
  const bound = subject.kind === "api_key" ? subject.environment_id : null;
  if (bound !== null && target.environment_id != null && target.environment_id !== bound) {
    return { allowed: false, decided_by: "environment", reason: "The key is bound to another environment.", ...none };
  }
  const decision = decide(await readAccess(ctx, subject, ctx.project_id, body.action), target);
  const granted_by = decision.decided_by === "scope" ? await pathTo(ctx, subject, body.action) : null;
  return { ...decision, reason: reasonOf(decision, body.action, granted_by), granted_by };
}

async function readTarget(ctx: ProjectCtx, { resource_type: type, resource_id: id }: CheckAccess): Promise<Target> {
  if (type === undefined || type === "*" || id === undefined) return { type: type ?? "*", id: id ?? "*" };
  const found = await findTarget(ctx, type, id);
  if (!found) throw invalid("body.resource_id", `is not ${withArticle(type)} of this project`, id);
  return found;
}

/** For a member: the names of the roles from theirs to the one that holds the permission. */
async function pathTo(ctx: ProjectCtx, subject: Caller, action: string): Promise<string[] | null> {
  if (subject.kind !== "member") return null;
  const lineage = await readLineage(ctx, ctx.project_id, subject.role_ids[0] ?? "");
  const at = lineage.findIndex(({ permissions }) => permissions.includes("*") || permissions.includes(action));
  return lineage.slice(0, at + 1).map(({ name }) => name);
}

function reasonOf({ decided_by, policy_id }: Decision, action: string, path: string[] | null): string {
  switch (decided_by) {
    case "scope":
      return path ? `The role grants ${action}: ${path.join(" → ")}.` : `The key has the scope ${action}.`;
    case "allow_policy":
      return `The subject lacks the scope ${action}, but the policy ${policy_id} allows it here.`;
    case "deny_policy":
      return `The policy ${policy_id} denies it. Deny wins.`;
    case "nothing":
      return `The subject lacks the scope ${action}, and no policy allows it.`;
  }
}

/** A subject as the API would authenticate it. A role stands for anyone who has it. */
async function findSubject(ctx: ProjectCtx, named: string): Promise<Caller> {
  const [kind, ...rest] = (await readSubject(ctx, named)).split(":");
  const name = rest.join(":");
  const found = kind === "api_key" ? await keyOf(ctx, name) : await personOf(ctx, kind ?? "", name);
  if (!found) throw invalid("body.subject", "is not a subject of this project", named);
  return found;
}

async function personOf(ctx: ProjectCtx, kind: string, name: string): Promise<Caller | undefined> {
  const person = { kind: "member", name, email: null, project_id: ctx.project_id, org_id: null } as const;
  if (kind === "role") {
    const lineage = await readLineage(ctx, ctx.project_id, name);
    const role_ids = lineage.map(({ id }) => id);
    return { ...person, subject: "", member_id: null, role_ids, scopes: permissionsOf(lineage) };
  }
  const member = kind === "member" ? await findMember(ctx, ctx.project_id, name) : undefined;
  return member && { ...person, subject: name, ...member, name };
}

async function keyOf({ db, project_id }: ProjectCtx, key_id: string): Promise<Caller | undefined> {
  const { rows } = await sql<{ name: string; environment_id: string | null; scopes: string[] | null }>`
    select k.name, k.environment_id, k.scopes from api_keys k
    where k.project_id = ${project_id} and k.id = ${key_id} and k.subject is null and k.revoked_at is null`.execute(db);
  return rows[0] && { kind: "api_key", key_id, project_id, org_id: null, ...rows[0] };
}
