import { createHash, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { CallerCtx } from "../../platform/context.ts";
import { perService } from "../../platform/service-state.ts";

const IDLE_MS = 30 * 60_000;
const MAX_SESSIONS = 500;
const MAX_PER_CALLER = 10;

type Transport = {
  handleRequest: (request: Request, options?: { parsedBody?: unknown }) => Promise<Response>;
  close: () => Promise<void>;
};
type Session = { caller: Buffer; transport: Transport };

const sessionsOf = perService(
  () =>
    new LRUCache<string, Session>({
      ...{ max: MAX_SESSIONS, ttl: IDLE_MS, updateAgeOnGet: true },
      dispose: ({ transport }) => void transport.close(),
    }),
);

/** A session belongs to the credential that opened it: its id alone gives no access. */
export function findSession(ctx: CallerCtx, id: string, credential: string): Transport | undefined {
  const found = sessionsOf(ctx).get(id);
  return found && timingSafeEqual(found.caller, digestOf(credential)) ? found.transport : undefined;
}

/** At the limit, a caller's own oldest session ends, never another caller's. */
export function keepSession(ctx: CallerCtx, id: string, credential: string, transport: Transport): void {
  const caller = digestOf(credential);
  const sessions = sessionsOf(ctx);
  const own = [...sessions.entries()].filter(([, session]) => session.caller.equals(caller));
  for (const [oldest] of own.slice(MAX_PER_CALLER - 1)) sessions.delete(oldest);
  sessions.set(id, { caller, transport });
}

function digestOf(credential: string): Buffer {
  return createHash("sha256").update(credential).digest();
}
