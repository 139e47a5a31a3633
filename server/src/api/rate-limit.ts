import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../platform/context.ts";
import { Refusal } from "../platform/errors.ts";

export type LimitName = "api" | "session" | "trigger" | "bulk_trigger" | "sign_in";

export type Allowance = { limit: number; remaining: number; reset_secs: number };

const SESSION_PER_MINUTE = 1_200;
const SIGN_IN_PER_MINUTE = 10;

/**
 * Counts one request of `client` against a limit, or refuses it. Exact over all instances: the counter is one row
 * whose 61 one-second slots are all counted, so no 60 seconds ever hold more than the limit.
 */
export function openRateLimit(ctx: Ctx) {
  const perMinute: Record<LimitName, number> = {
    ...ctx.config.rate_limits,
    session: SESSION_PER_MINUTE,
    sign_in: SIGN_IN_PER_MINUTE,
  };
  // A client that is over its limit is turned away from memory until its turn comes: a flood costs no statement.
  const refusedUntilMs = new LRUCache<string, number>({ max: 50_000 });

  return async function countRequest(name: LimitName, client: string): Promise<Allowance | undefined> {
    const limit = perMinute[name];
    if (limit === 0) return undefined;
    const remembered = `${name} ${client}`;
    const waitMs = (refusedUntilMs.get(remembered) ?? 0) - ctx.watch.nowMs();
    if (waitMs > 0) throw tooMany(name, limit, Math.ceil(waitMs / 1_000));
    const { admitted, remaining, reset_secs } = await countInDatabase(ctx, name, client, limit);
    if (admitted) return { limit, remaining, reset_secs };
    refusedUntilMs.set(remembered, ctx.watch.nowMs() + reset_secs * 1_000);
    throw tooMany(name, limit, reset_secs);
  };
}

function tooMany(name: LimitName, limit: number, waitSecs: number): Refusal {
  const what = {
    api: "requests",
    session: "requests",
    trigger: "triggers",
    bulk_trigger: "bulk triggers",
    sign_in: "sign-ins",
  };
  return new Refusal(
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

type Counted = { admitted: boolean; remaining: number; reset_secs: number };

async function countInDatabase(ctx: Ctx, name: LimitName, client: string, limit: number): Promise<Counted> {
  const slots = await admit(ctx, name, client, limit);
  if (slots) return { admitted: true, remaining: limit - sum(slots), reset_secs: secondsUntilRoom(slots) };
  return { admitted: false, remaining: 0, reset_secs: secondsUntilRoom(await readSlots(ctx, name, client)) };
}

/** The counter's 61 slots moved up to this second: the oldest first, the current one last. */
const gone = sql`least(61, greatest(0, excluded.last_second - c.last_second))::int`;
const slid = sql`(c.admitted[1 + ${gone} : 61] || array_fill(0, array[${gone}]))`;

/**
 * Slides the window to now and adds one if there is room, in one statement. Concurrent requests of one client queue on
 * the row, so none slips through between counting and adding. Undefined: no room.
 */
async function admit(ctx: Ctx, name: LimitName, client: string, limit: number): Promise<number[] | undefined> {
  const { rows } = await sql<{ admitted: number[] }>`
    insert into ip_counters as c (limit_name, client, admitted, last_second)
    values (${name}, ${client}, array_fill(0, array[60]) || 1, extract(epoch from clock())::bigint)
    on conflict (limit_name, client) do update
    set admitted = ${slid}[1:60] || (${slid}[61] + 1), last_second = greatest(c.last_second, excluded.last_second)
    where (select sum(s) from unnest(${slid}) s) < ${limit}
    returning admitted`.execute(ctx.db);
  return rows[0]?.admitted;
}

async function readSlots(ctx: Ctx, name: LimitName, client: string): Promise<number[]> {
  const { rows } = await sql<{ admitted: number[]; gone: number }>`
    select admitted, extract(epoch from clock())::bigint - last_second as gone
    from ip_counters where limit_name = ${name} and client = ${client}`.execute(ctx.db);
  return rows[0] ? rows[0].admitted.slice(Math.max(0, rows[0].gone)) : [];
}

/** The oldest counted second leaves the window first. */
function secondsUntilRoom(slots: number[]): number {
  return Math.max(1, slots.findIndex((count) => count > 0) + 1);
}

function sum(slots: number[]): number {
  return slots.reduce((total, count) => total + count, 0);
}
