import type { ProjectCtx } from "../context.ts";
import { sql } from "../database/sql.ts";

/**
 * The names by which a step's approvers can refer to the caller. The id of a key and the subject of a member are unique.
 * Names are free text, so a name counts only while it is unambiguous: a second key with an approver's name cannot
 * approve.
 */
export async function approverNames(ctx: ProjectCtx): Promise<string[]> {
  const { caller } = ctx;
  if (caller.kind === "internal_secret") return [caller.name];
  const own = caller.kind === "member" ? caller.subject : caller.key_id;
  return (await isUnambiguous(ctx, caller.name)) ? [own, caller.name] : [own];
}

const RESERVED = "internal secret"; // the name of the internal secret itself

async function isUnambiguous({ db, project_id }: ProjectCtx, name: string): Promise<boolean> {
  if (name === RESERVED) return false;
  const { rows } = await sql<{ count: number }>`
    select (
      (select count(*) from api_keys k where k.project_id = ${project_id} and (k.name = ${name} or k.id::text = ${name})
        and k.subject is null and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock()))
      + (select count(*) from members m where m.project_id = ${project_id} and (m.name = ${name} or m.subject = ${name}))
    )::int as count`.execute(db);
  return rows[0]?.count === 1;
}
