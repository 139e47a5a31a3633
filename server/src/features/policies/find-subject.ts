import { sql } from "kysely";
import { findMember } from "../../platform/access/credentials/member-cache.ts";
import { permissionsOf, readLineage } from "../../platform/access/policies/role-lineage.ts";
import type { Caller, ProjectCtx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { readSubject } from "./read-subject.ts";

/** A subject as the API would authenticate it. A role stands for anyone who has it. */
export async function findSubject(ctx: ProjectCtx, named: string): Promise<Caller> {
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
    where k.project_id = ${project_id} and k.id = ${key_id} and k.revoked_at is null`.execute(db);
  return rows[0] && { kind: "api_key", key_id, project_id, org_id: null, ...rows[0] };
}
