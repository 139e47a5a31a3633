import type { RunBlocker } from "@millrace/contract/run-explanation";
import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";

export type Engines = {
  last_seen_at: string | null;
  shown: { engines_alive: number; dispatch_slots: number | null; dispatch_busy: number | null };
};

/** Instances send a heartbeat every 5 s. */
const SILENT_SECS = 30;

export async function readEngines(ctx: Ctx): Promise<Engines> {
  const { rows } = await sql<{ alive: number; last_seen_at: string | null }>`
    select count(*) filter (where seen_at > clock() - ${SILENT_SECS} * interval '1 second')::int as alive,
      max(seen_at) as last_seen_at
    from instances where 'engine' = any(roles) and gone_at is null`.execute(ctx.db);
  const isHere = ctx.config.roles.has("engine");
  return {
    last_seen_at: rows[0]?.last_seen_at ?? null,
    shown: {
      engines_alive: rows[0]?.alive ?? 0,
      dispatch_slots: isHere ? ctx.config.dispatch_concurrency : null,
      dispatch_busy: isHere ? ctx.metrics.pool.active : null,
    },
  };
}

export function noEngine({ last_seen_at, shown }: Engines): RunBlocker[] {
  if (shown.engines_alive > 0) return [];
  return [
    {
      code: "no_engine",
      message: last_seen_at
        ? `No instance with the engine role has sent a heartbeat since ${last_seen_at}.`
        : "No instance with the engine role is registered.",
      since: last_seen_at,
      until: null,
      evidence: { last_seen_at, engines_alive: 0 },
      remedy: { message: "Start an instance whose ROLES include `engine`." },
    },
  ];
}
