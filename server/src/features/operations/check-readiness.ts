import type { Readiness } from "@millrace/contract/service/health";
import type { Ctx } from "../../platform/context.ts";
import type { RouteReply } from "../../platform/route.ts";

const MAX_OVERDUE_MS = 60_000;

/** 200 when this instance can do all its work; else 503 with the failed checks. */
export async function checkReadiness(ctx: Ctx, reply: RouteReply): Promise<Readiness> {
  const checks: Record<string, string> = {
    database: databaseCheck(ctx),
    ...(ctx.config.roles.has("engine") && { engine: engineCheck(ctx) }),
    ...(ctx.state.draining && { instance: "stopping" }),
  };
  const ready = Object.values(checks).every((check) => check === "ok");
  if (!ready) reply.status(503);
  return { ready, checks };
}

function databaseCheck({ watch }: Ctx): string {
  if (!watch.isUp()) return "unavailable";
  return watch.isReadOnly() ? "read-only" : "ok";
}

/** The engine is healthy while its tasks finish their passes: an overdue task is stuck. */
export function engineCheck({ state, watch }: Ctx): string {
  if (!watch.isUp()) return "unavailable";
  const stuck = [...state.taskDueAt].filter(([, dueAt]) => performance.now() - dueAt > MAX_OVERDUE_MS);
  return stuck.length === 0 ? "ok" : `stuck: ${stuck.map(([name]) => name).join(", ")}`;
}
