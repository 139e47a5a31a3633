import { runSql } from "../world/database.ts";
import type { World } from "../world/world.ts";

/** As if the world's instance had started just now: after an outage of the service, say. */
export async function instanceStarted({ ctx, connection }: Pick<World, "ctx" | "connection">): Promise<void> {
  await runSql(
    connection,
    `insert into instances (id, roles, version, address, started_at, seen_at)
     values ($1, '{engine}', '0', 'here:1', clock(), clock()) on conflict (id) do update set started_at = clock()`,
    [ctx.instance_id],
  );
}
