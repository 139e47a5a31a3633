import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import { sweepLeases } from "./sweep-leases.ts";

/**
 * Expires the leases of instances that are gone, and rescues their runs like those of any expired lease. Runs accepted
 * by their endpoint belong to no instance and continue there.
 */
export async function expireLeases(ctx: Ctx, instance_ids: readonly string[]): Promise<void> {
  const { rows } = await sql`
    update run_queue q set lease_until = clock()
    where q.ctid = any(array(
      select o.ctid from run_queue o
      where o.lease_until > clock() and o.instance_id = any(${[...instance_ids]}::uuid[])
      order by o.project_id, o.run_id for update skip locked))
    returning q.project_id`.execute(ctx.db);
  if (rows.length > 0) while (await sweepLeases(ctx));
}
