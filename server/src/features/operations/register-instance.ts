import { hostname } from "node:os";
import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { VERSION } from "../../platform/version.ts";
import { ownProcess } from "./own-process.ts";

/** Registers this instance as alive, with its process, and removes instances not seen for an hour. */
export async function registerInstance(ctx: Ctx): Promise<boolean> {
  const address = `${hostname()}:${ctx.config.port}`;
  const { machine, pid, process_start } = ownProcess();
  const { rows } = await sql<{ was_gone: boolean }>`
    with forgotten as (delete from instances where seen_at < clock() - interval '1 hour' and id <> ${ctx.instance_id})
    insert into instances as i (
      id, roles, version, address, started_at, seen_at, name, machine, pid, process_start, holds_data_dir)
    values (${ctx.instance_id}, ${[...ctx.config.roles]}, ${VERSION}, ${address}, clock(), clock(),
      ${ctx.config.instance_name}, ${machine}, ${pid}, ${process_start}, ${ctx.state.holdsDataDir})
    on conflict (id) do update set seen_at = excluded.seen_at, gone_at = null
    returning exists (select 1 from instances o where o.id = i.id and o.gone_at is not null) as was_gone`.execute(
    ctx.db,
  );
  if (rows[0]?.was_gone) {
    ctx.log.error("this instance was marked as gone: does another instance use its INSTANCE_NAME?");
  }
  return false;
}

/** A clean stop is known at once: leases it still holds are released immediately. */
export async function retireInstance(ctx: Ctx): Promise<void> {
  await sql`update instances set gone_at = clock() where id = ${ctx.instance_id}`.execute(ctx.db);
}
