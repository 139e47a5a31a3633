import { setTimeout as pause } from "node:timers/promises";
import { statusOf } from "@millrace/contract/error-codes";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../platform/context.ts";
import { ApiError } from "../platform/errors.ts";
import { clientOf } from "./client-address.ts";

type FailureBrake = {
  /** Throws what a failed authentication is answered with, at once or a little later. */
  refuse: (ip: string, error: unknown) => Promise<never>;
};

const FREE = 10; // failures of an address in a minute that are answered at once
const MOST = 60; // and those that are answered at all
const STEP_MS = 50;
const LONGEST_MS = 2_000;
const MINUTE_MS = 60_000;
const MOST_CLIENTS = 50_000;
const MOST_HELD = 1_000; // answers that wait at the same time; beyond them an address is told to come back

type Failures = { count: number; since_ms: number };

/**
 * Failed authentications of an address are answered later and later, and then with 429. Only they: a good credential is
 * never looked at with suspicion, whoever else is behind the address. Counted in memory, by each instance for itself:
 * what is guessed has 200 random bits, so this is about cost and noise, and costs no statement itself.
 */
export function openFailureBrake(ctx: Ctx): FailureBrake {
  let clients: LRUCache<string, Failures> | undefined;
  const isOff = ctx.config.rate_limits.api === 0;
  let held = 0;

  async function refuse(ip: string, error: unknown): Promise<never> {
    if (isOff || !isFailure(error)) throw error;
    clients ??= new LRUCache({ max: MOST_CLIENTS });
    const { count, since_ms } = countOne(clients, clientOf(ip), ctx.watch.nowMs());
    if (count <= FREE) throw error;
    if (count > MOST || held >= MOST_HELD) throw tooMany(since_ms + MINUTE_MS - ctx.watch.nowMs());
    held++;
    await pause(delayMs(count)).finally(() => held--);
    throw error;
  }

  return { refuse };
}

/** Before the answer to so many failures within a minute. */
export function delayMs(count: number): number {
  return Math.min(LONGEST_MS, Math.max(0, count - FREE) * STEP_MS);
}

function countOne(clients: LRUCache<string, Failures>, client: string, now_ms: number): Failures {
  const known = clients.get(client);
  // Our idea of the database's time may step back by a little.
  const isOver = !known || Math.abs(now_ms - known.since_ms) >= MINUTE_MS;
  const failures = isOver ? { count: 1, since_ms: now_ms } : { ...known, count: known.count + 1 };
  clients.set(client, failures);
  return failures;
}

function isFailure(error: unknown): boolean {
  return error instanceof ApiError && statusOf(error.code) === 401;
}

function tooMany(leftMs: number): ApiError {
  const secs = Math.max(1, Math.ceil(leftMs / 1_000));
  const message = `Too many credentials from this address were refused. Try again in ${secs} s, with a good one.`;
  return new ApiError("rate_limited", message, { headers: { "retry-after": String(secs) } });
}
