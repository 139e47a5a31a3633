import { SYSTEM_ROLES } from "@millrace/contract/access/roles";
import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";

/** Inserts a role for a project directly; for deletions, a new one each time. Returns its id. */
export async function seedRole(connection: TestConnection, project_id: string, method: string): Promise<string> {
  const name = method === "DELETE" ? newId() : "Seeded";
  const [row] = await runSql<{ id: string }>(
    connection,
    `insert into roles (project_id, id, name, permissions, created_by, created_at, updated_at)
     select $1, $2, $3, '{}', 'seed', clock(), clock()
     where not exists (select 1 from roles where project_id = $1 and created_by = 'seed') or $3 <> 'Seeded'
     on conflict do nothing returning id`,
    [project_id, newId(), name],
  );
  if (row) return row.id;
  const statement =
    "select id from roles where project_id = $1 and created_by = 'seed' order by created_at, id limit 1";
  const [known] = await runSql<{ id: string }>(connection, statement, [project_id]);
  return known?.id ?? "";
}

export async function seedMember(connection: TestConnection, project_id: string): Promise<string> {
  const [id, viewer] = [newId(), SYSTEM_ROLES.find(({ name }) => name === "viewer")];
  await runSql(
    connection,
    `insert into members (project_id, id, subject, role_id, created_by, created_at, updated_at)
     values ($1, $2::uuid, $2::text, $3, 'seed', clock(), clock())`,
    [project_id, id, viewer?.id],
  );
  return id;
}

/** Applies to no principal. */
export async function seedPolicy(connection: TestConnection, project_id: string, path: string): Promise<string> {
  const id = newId();
  const isForTags = path.startsWith("/v1/tag-policies");
  await runSql(
    connection,
    `insert into access_policies (project_id, id, kind, effect, actions, subject, resource_type, resource_id, tag_key,
       created_by, created_at, updated_at)
     values ($1, $2, $3, 'deny', '{jobs:write}', 'member:nobody', $4, $5, $6, 'seed', clock(), clock())`,
    [project_id, id, ...(isForTags ? ["tag", null, null, "team"] : ["resource", "job", "nothing", null])],
  );
  return id;
}
