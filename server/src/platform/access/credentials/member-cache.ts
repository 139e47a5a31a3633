import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import { sql } from "../../database/sql.ts";
import { perService } from "../../service-state.ts";
import { permissionsOf, readLineage } from "../policies/role-lineage.ts";

export type KnownMember = { member_id: string; name: string | null; role_ids: string[]; scopes: string[] };

const FRESH_MS = 1_000;
const SEEN_AFTER_SECS = 60; // an active member costs one write a minute
const MAX_MEMBERS = 10_000;

const cacheOf = perService(
  () => new LRUCache<string, Promise<KnownMember | undefined>>({ max: MAX_MEMBERS, ttl: FRESH_MS }),
);

/** A person's role in a project, at most a second old. */
export function findMember(ctx: Ctx, project_id: string, subject: string): Promise<KnownMember | undefined> {
  const cache = cacheOf(ctx);
  const name = `${project_id} ${subject}`;
  const known = cache.get(name);
  if (known) return known;
  const reading = readMember(ctx, project_id, subject);
  cache.set(name, reading);
  reading.catch(() => cache.delete(name));
  return reading;
}

/**
 * Called after every change to members and roles: effective at once on this instance, within a second on the others.
 */
export function invalidateMembers(ctx: Ctx): void {
  cacheOf(ctx).clear();
}

async function readMember(ctx: Ctx, project_id: string, subject: string): Promise<KnownMember | undefined> {
  const { rows } = await sql<{ id: string; name: string | null; role_id: string; is_stale: boolean }>`
    select m.id, m.name, m.role_id,
      coalesce(m.last_seen_at <= clock() - ${SEEN_AFTER_SECS} * interval '1 second', true) as is_stale
    from members m
    where m.project_id = ${project_id} and m.subject = ${subject}`.execute(ctx.db);
  const member = rows[0];
  if (!member) return undefined;
  if (member.is_stale) await recordSeen(ctx, project_id, member.id);
  const lineage = await readLineage(ctx, project_id, member.role_id);
  const role_ids = lineage.map(({ id }) => id);
  return { member_id: member.id, name: member.name, role_ids, scopes: permissionsOf(lineage) };
}

/** Of many concurrent requests, one writes. */
async function recordSeen(ctx: Ctx, project_id: string, id: string): Promise<void> {
  await sql`
    update members set last_seen_at = clock()
    where project_id = ${project_id} and id = ${id}
      and coalesce(last_seen_at <= clock() - ${SEEN_AFTER_SECS} * interval '1 second', true)`.execute(ctx.db);
}
