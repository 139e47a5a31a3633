import { setTimeout as pause } from "node:timers/promises";
import { statusOf } from "@millrace/contract/error-codes/all-codes";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { clientOf } from "./client-address.ts";

type FailureBackoff = {
  /** Throws the error for a failed authentication, at once or after a delay. */
  refuse: (ip: string, error: unknown) => Promise<never>;
  /** Whether the address has sent so many wrong credentials that all further ones get 429. */
  isClosed: (ip: string) => boolean;
};

const FREE = 10; // failures of an address per minute that get their response at once
const MAX_FAILURES = 60; // failures of an address per minute that get 401; further ones get 429
const STEP_MS = 50;
const MAX_DELAY_MS = 2_000;
const MINUTE_MS = 60_000;
const MAX_CLIENTS = 50_000;
const MAX_DELAYED = 1_000; // delayed responses at the same time; beyond them an address gets 429

type Failures = { count: number; since_ms: number };

/**
 * Slows down failed authentications of an address, and then refuses them with 429. Valid credentials are never delayed,
 * even from the same address. Counted in memory, per instance: secrets have 200 random bits, so this is about cost and
 * noise, and costs no statement itself.
 */
export function openFailureBackoff(ctx: Ctx): FailureBackoff {
  let clients: LRUCache<string, Failures> | undefined;
  const isOff = ctx.config.rate_limits.api === 0;
  let held = 0;

  async function refuse(ip: string, error: unknown): Promise<never> {
    if (isOff || !isFailure(error)) throw error;
    clients ??= new LRUCache({ max: MAX_CLIENTS });
    const { count, since_ms } = countOne(clients, clientOf(ip), ctx.watch.nowMs());
    if (count <= FREE) throw error;
    if (count > MAX_FAILURES || held >= MAX_DELAYED) throw tooMany(since_ms + MINUTE_MS - ctx.watch.nowMs());
    held++;
    await pause(delayMs(count)).finally(() => held--);
    throw error;
  }

  function isClosed(ip: string): boolean {
    const failures = clients?.get(clientOf(ip));
    return failures !== undefined && failures.count > MAX_FAILURES && !isOver(failures, ctx.watch.nowMs());
  }

  return { refuse, isClosed };
}

/** The delay after this many failures within a minute. */
export function delayMs(count: number): number {
  return Math.min(MAX_DELAY_MS, Math.max(0, count - FREE) * STEP_MS);
}

function countOne(clients: LRUCache<string, Failures>, client: string, now_ms: number): Failures {
  const known = clients.get(client);
  const failures =
    !known || isOver(known, now_ms) ? { count: 1, since_ms: now_ms } : { ...known, count: known.count + 1 };
  clients.set(client, failures);
  return failures;
}

/** Our estimate of the database's time may step back slightly; if it goes back by minutes, the minute is over too. */
function isOver({ since_ms }: Failures, now_ms: number): boolean {
  return Math.abs(now_ms - since_ms) >= MINUTE_MS;
}

function isFailure(error: unknown): boolean {
  return error instanceof ApiError && statusOf(error.code) === 401;
}

function tooMany(leftMs: number): ApiError {
  const secs = Math.max(1, Math.ceil(leftMs / 1_000));
  const message = `Too many failed authentication attempts from this address. Try again in ${secs} s.`;
  return new ApiError("rate_limited", message, { headers: { "retry-after": String(secs) } });
}
