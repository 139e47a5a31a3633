import type { Ctx } from "../../context.ts";
import { sql } from "../../database/sql.ts";

type Provisioned = { active: boolean; groups: string[] };

/**
 * What a provider has provisioned (SCIM) about a person: found by the subject, else by a verified e-mail address. Whom it
 * has deleted is not active. Undefined: nothing.
 */
export async function readProvisioned(
  ctx: Ctx,
  { provider, subject, email }: { provider: string; subject: string; email: string | null },
): Promise<Provisioned | undefined> {
  const { rows } = await sql<Provisioned>`
    select u.active, array(
      select g.display_name from scim_group_members m
      join scim_groups g on g.provider = m.provider and g.id = m.group_id
      where m.provider = u.provider and m.user_id = u.id) as groups
    from scim_users u
    where u.provider = ${provider} and (u.subject = ${subject} or u.emails @> array[${email}]::text[])
    order by u.deleted_at is not null, u.subject is not distinct from ${subject} desc, u.created_at limit 1`.execute(
    ctx.db,
  );
  return rows[0];
}
