import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import { sql } from "../../database/sql.ts";
import { perService } from "../../service-state.ts";
import { foldEmail } from "../email-address.ts";

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

const FRESH_MS = 1_000;
const MAX_SUBJECTS = 10_000;

const cacheOf = perService(() => new LRUCache<string, Promise<boolean>>({ max: MAX_SUBJECTS, ttl: FRESH_MS }));

/**
 * Whether the issuer of an OIDC token has deactivated or deleted its subject (SCIM), at most a second ago: the token
 * itself stays valid until it expires, and memberships that people assigned stay too.
 */
export function isDeactivated(
  ctx: Ctx,
  { subject, email }: { subject: string; email: string | null },
): boolean | Promise<boolean> {
  const { oidc, sign_in } = ctx.config;
  const provider = sign_in.providers.find((each) => each.issuer === oidc?.issuer && each.scim_token !== undefined);
  if (!provider) return false;
  const cache = cacheOf(ctx);
  const name = `${subject} ${email}`;
  const known = cache.get(name);
  if (known) return known;
  const reading = readProvisioned(ctx, { provider: provider.id, subject, email: email && foldEmail(email) }).then(
    (user) => user?.active === false,
  );
  cache.set(name, reading);
  reading.catch(() => cache.delete(name));
  return reading;
}
