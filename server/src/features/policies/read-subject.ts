import { systemRole } from "../../platform/access/policies/role-lineage.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { findMemberSubject, findRoleId, hasKey } from "./queries.ts";

/**
 * Resolves a subject as policies store it: keys and roles by id, members by their subject, which does not depend on how
 * they sign in.
 */
export async function readSubject(ctx: ProjectCtx, subject: string): Promise<string> {
  if (subject === "*") return subject;
  const [, kind, name = ""] = /^(api_key|member|role):(.+)$/.exec(subject) ?? [];
  const member = kind === "member" ? await findMemberSubject(ctx, name) : undefined;
  if (member !== undefined) return `member:${member}`;
  if (kind === "api_key" && (await hasKey(ctx, name))) return subject;
  const role_id = kind === "role" ? (systemRole(name)?.id ?? (await findRoleId(ctx, name))) : undefined;
  if (role_id !== undefined) return `role:${role_id}`;
  throw invalid(
    "body.subject",
    "must be `*` or an existing API key, member or role of this project; add a new member first",
    subject,
  );
}
