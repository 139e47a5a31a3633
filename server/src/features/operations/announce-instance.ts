import { hostname } from "node:os";
import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { VERSION } from "../../platform/version.ts";

/** Says that this instance is alive, and forgets those that have been silent for an hour. */
export async function announceInstance(ctx: Ctx): Promise<boolean> {
  const address = `${hostname()}:${ctx.config.port}`;
  await sql`
    insert into instances as i (id, roles, version, address, started_at, seen_at)
    values (${ctx.instance_id}, ${[...ctx.config.roles]}, ${VERSION}, ${address}, clock(), clock())
    on conflict (id) do update set seen_at = excluded.seen_at`.execute(ctx.db);
  await sql`delete from instances where seen_at < clock() - interval '1 hour'`.execute(ctx.db);
  return false;
}

/** A clean stop is not a silence. */
export async function retireInstance(ctx: Ctx): Promise<void> {
  await sql`delete from instances where id = ${ctx.instance_id}`.execute(ctx.db);
}
