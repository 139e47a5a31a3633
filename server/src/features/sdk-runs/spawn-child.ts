import type { SdkSpawnBody } from "@millrace/contract/sdk-runs";
import { spawnRun } from "../../flow/runs/create/spawn-run.ts";
import { type RunRow, readRun } from "../../flow/runs/run-columns.ts";
import type { RunCtx } from "../../platform/context.ts";
import type { RouteReply } from "../../platform/route.ts";

/** 201 with the child; 200 with the existing one and a header that marks it. */
export async function spawnChild(ctx: RunCtx, body: SdkSpawnBody, reply: RouteReply): Promise<RunRow> {
  const { run_id, is_new } = await spawnRun(ctx, body);
  if (!is_new) {
    reply.status(200);
    reply.header("idempotent-replayed", "true");
  }
  return (await readRun(ctx, ctx.project_id, run_id)) as RunRow;
}
