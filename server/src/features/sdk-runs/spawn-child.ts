import type { SdkSpawnBody } from "@millrace/contract/sdk-runs";
import { sql } from "kysely";
import { spawnRun } from "../../flow/runs/create/spawn-run.ts";
import { RUN_COLUMNS, type RunRow } from "../../flow/runs/run-columns.ts";
import type { RunCtx } from "../../platform/context.ts";
import type { RouteReply } from "../../platform/route.ts";

/** 201 with the child; 200 with the existing one and a header that marks it. */
export async function spawnChild(ctx: RunCtx, body: SdkSpawnBody, reply: RouteReply): Promise<RunRow> {
  const { run_id, is_new } = await spawnRun(ctx, body);
  if (!is_new) {
    reply.status(200);
    reply.header("idempotent-replayed", "true");
  }
  const { rows } = await sql<RunRow>`
    select ${RUN_COLUMNS} from runs r where r.project_id = ${ctx.project_id} and r.id = ${run_id}`.execute(ctx.db);
  return rows[0] as RunRow;
}
