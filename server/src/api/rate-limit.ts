import { LRUCache } from "lru-cache";
import { countRequestOf } from "../platform/access/ip-counters.ts";
import type { Ctx } from "../platform/context.ts";
import { ApiError } from "../platform/errors.ts";
import { clientOf } from "./client-address.ts";

export type LimitName = "api" | "session" | "trigger" | "bulk_trigger" | "sign_in";

export type Allowance = { limit: number; remaining: number; reset_secs: number };

const SESSION_PER_MINUTE = 1_200;
const SIGN_IN_PER_MINUTE = 10;

/**
 * Counts one request from an address against a limit, or refuses it. Exact over all instances: the counter is one row
 * whose 61 one-second slots are all counted, so no 60-second window ever exceeds the limit.
 */
export function openRateLimit(ctx: Ctx) {
  const perMinute: Record<LimitName, number> = {
    ...ctx.config.rate_limits,
    session: SESSION_PER_MINUTE,
    sign_in: SIGN_IN_PER_MINUTE,
  };
  // A client over its limit is refused from memory until its window allows a request: a flood costs no statement. The
  // cache is allocated with the first counted request, since that takes milliseconds: most services have no limits.
  let refusedUntilMs: LRUCache<string, number> | undefined;

  return { isLimited: (name: LimitName) => perMinute[name] > 0, countOrRefuse };

  async function countOrRefuse(name: LimitName, ip: string): Promise<Allowance> {
    const limit = perMinute[name];
    const client = clientOf(ip);
    const remembered = `${name} ${client}`;
    refusedUntilMs ??= new LRUCache({ max: 50_000 });
    const waitMs = (refusedUntilMs.get(remembered) ?? 0) - ctx.watch.nowMs();
    if (waitMs > 0) throw tooMany(name, limit, Math.ceil(waitMs / 1_000));
    const { admitted, remaining, reset_secs } = await countRequestOf(ctx, { name, client, limit });
    if (admitted) return { limit, remaining, reset_secs };
    refusedUntilMs.set(remembered, ctx.watch.nowMs() + reset_secs * 1_000);
    throw tooMany(name, limit, reset_secs);
  }
}

function tooMany(name: LimitName, limit: number, waitSecs: number): ApiError {
  const what = {
    api: "requests",
    session: "requests",
    trigger: "triggers",
    bulk_trigger: "bulk triggers",
    sign_in: "sign-ins",
  };
  return new ApiError(
    "rate_limited",
    `At most ${limit} ${what[name]} a minute from one address. Try again in ${waitSecs} s.`,
    {
      headers: { "retry-after": String(waitSecs), ...allowanceHeaders({ limit, remaining: 0, reset_secs: waitSecs }) },
    },
  );
}

export function allowanceHeaders({ limit, remaining, reset_secs }: Allowance): Record<string, string> {
  return {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(reset_secs),
  };
}
