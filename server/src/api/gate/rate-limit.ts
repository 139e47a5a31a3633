import { LRUCache } from "lru-cache";
import { countRequestOf } from "../../platform/access/credentials/ip-counters.ts";
import type { Ctx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { clientOf } from "./client-address.ts";
import type { OwnLimits } from "./key-limits.ts";
import { isShared, openShares } from "./request-shares.ts";

export type LimitName = "api" | "session" | "trigger" | "bulk_trigger" | "sign_in";

export type Allowance = { limit: number; remaining: number; reset_secs: number };

/** Who is counted: an address, or a key with limits of its own. */
export type Requester = { ip: string; own: OwnLimits | undefined };

const SESSION_PER_MINUTE = 1_200;
const SIGN_IN_PER_MINUTE = 10;
/** Another instance may return the unused part of its share before the window allows more. */
const RECOUNT_AFTER_MS = 1_000;
/** The 61 seconds of a counter, and one because our estimate of the database's time may step back slightly. */
const MAX_REFUSED_MS = 62_000;

const WHAT = {
  api: "request",
  session: "request",
  trigger: "trigger",
  bulk_trigger: "bulk trigger",
  sign_in: "sign-in",
} as const;
/** What an operator and the owner of a key can change. Sessions and sign-ins have fixed limits. */
const SETTINGS = {
  api: { setting: "RATE_LIMIT_API_PER_MINUTE", field: "requests_per_minute" },
  trigger: { setting: "RATE_LIMIT_TRIGGER_PER_MINUTE", field: "triggers_per_minute" },
  bulk_trigger: { setting: "RATE_LIMIT_BULK_TRIGGER_PER_MINUTE", field: "bulk_per_minute" },
} as const;

/** Refused without counting until `untilMs`; the window allows a request at `resetAtMs`. */
type Refusal = { untilMs: number; resetAtMs: number };

type Counted = { name: LimitName; client: string; limit: number; isOwn: boolean };

/**
 * Counts one request against a limit of its address or key, or refuses it. Exact over all instances: the counter is one
 * row whose 61 one-second slots are all counted, so no 60-second window ever exceeds the limit.
 */
export function openRateLimit(ctx: Ctx) {
  const perMinute: Record<LimitName, number> = {
    ...ctx.config.rate_limits,
    session: SESSION_PER_MINUTE,
    sign_in: SIGN_IN_PER_MINUTE,
  };
  // A client over its limit is refused from memory until its window allows a request: a flood costs no statement. The
  // cache is allocated with the first counted request, since that takes milliseconds: most services have no limits.
  let refusals: LRUCache<string, Refusal> | undefined;
  const shares = openShares(ctx);

  return { isLimited, isRefused, countOrRefuse };

  function isLimited(name: LimitName, own: OwnLimits | undefined): boolean {
    return ownLimit(name, own) !== undefined || perMinute[name] > 0;
  }

  /** Whether an address is refused from memory now. */
  function isRefused(name: LimitName, ip: string): boolean {
    // Parsing an address takes microseconds; most services never refuse one.
    return refusals !== undefined && refusalOf({ name, client: clientOf(ip) }) !== undefined;
  }

  async function countOrRefuse(name: LimitName, { ip, own }: Requester): Promise<Allowance> {
    const counted = countedOf(name, ip, own);
    refusals ??= new LRUCache({ max: 50_000 });
    const refusal = refusalOf(counted);
    if (refusal) throw tooMany(counted, Math.ceil((refusal.resetAtMs - ctx.watch.nowMs()) / 1_000));
    const { admitted, remaining, reset_secs } = await (counted.isOwn
      ? shares.countOne(counted)
      : countRequestOf(ctx, counted));
    if (admitted) return { limit: counted.limit, remaining, reset_secs };
    const refusedMs = counted.isOwn && isShared(counted) ? RECOUNT_AFTER_MS : reset_secs * 1_000;
    const nowMs = ctx.watch.nowMs();
    refusals.set(`${name} ${counted.client}`, { untilMs: nowMs + refusedMs, resetAtMs: nowMs + reset_secs * 1_000 });
    throw tooMany(counted, reset_secs);
  }

  /** The refusal that still applies. */
  function refusalOf({ name, client }: Pick<Counted, "name" | "client">): Refusal | undefined {
    const refusal = refusals?.get(`${name} ${client}`);
    const leftMs = refusal ? refusal.untilMs - ctx.watch.nowMs() : 0;
    // Longer than any refusal: the database's clock went back.
    return leftMs > 0 && leftMs <= MAX_REFUSED_MS ? refusal : undefined;
  }

  function countedOf(name: LimitName, ip: string, own: OwnLimits | undefined): Counted {
    const limit = ownLimit(name, own);
    if (own && limit !== undefined) return { name, client: `key ${own.key_id} ${limit}`, limit, isOwn: true };
    return { name, client: clientOf(ip), limit: perMinute[name], isOwn: false };
  }
}

function ownLimit(name: LimitName, own: OwnLimits | undefined): number | undefined {
  if (!own || name === "session" || name === "sign_in") return undefined;
  return own.rate_limits[SETTINGS[name].field] ?? undefined;
}

function tooMany({ name, limit, isOwn }: Counted, waitSecs: number): ApiError {
  const whose = isOwn ? "with this API key" : "from one address";
  const allowance = { limit, remaining: 0, reset_secs: waitSecs };
  return new ApiError(
    "rate_limited",
    `At most ${limit} ${WHAT[name]}${limit === 1 ? "" : "s"} a minute ${whose}. Try again in ${waitSecs} s.${remedyOf(name, isOwn)}`,
    { headers: { "retry-after": String(waitSecs), ...allowanceHeaders(allowance) } },
  );
}

function remedyOf(name: LimitName, isOwn: boolean): string {
  if (name === "session" || name === "sign_in") return "";
  const { setting, field } = SETTINGS[name];
  if (isOwn) return ` The limit is rate_limits.${field} of the key (PATCH /v1/api-keys/{keyID}).`;
  return ` The limit is the setting ${setting}; an API key can have its own: rate_limits.${field}.`;
}

export function allowanceHeaders({ limit, remaining, reset_secs }: Allowance): Record<string, string> {
  return {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(reset_secs),
  };
}
