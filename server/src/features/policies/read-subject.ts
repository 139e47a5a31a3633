import { systemRole } from "../../platform/access/role-lineage.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors.ts";
import { findRoleId, hasKey } from "./queries.ts";

/** As policies keep it: roles by their id. A member need not be there yet. */
export async function readSubject(ctx: ProjectCtx, subject: string): Promise<string> {
  if (subject === "*") return subject;
  const [, kind, name = ""] = /^(api_key|member|role):(.+)$/.exec(subject) ?? [];
  if (kind === "member") return subject;
  if (kind === "api_key" && (await hasKey(ctx, name))) return subject;
  const role_id = kind === "role" ? (systemRole(name)?.id ?? (await findRoleId(ctx, name))) : undefined;
  if (role_id !== undefined) return `role:${role_id}`;
  throw invalid("body.subject", "is not `*`, nor an API key, a member or a role of this project", subject);
}
