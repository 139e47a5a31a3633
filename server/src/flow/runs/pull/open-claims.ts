import { LRUCache } from "lru-cache";
import type { Ctx } from "../../../platform/context.ts";
import { perService } from "../../../platform/service-state.ts";
import type { ClaimedRun } from "../claim/claimed-run.ts";
import { type Serves, scopeOf } from "./pull-catalog.ts";

type Request = {
  project_id: string;
  worker_id: string;
  claim_id: string;
  serves: Serves;
  /** Whether the caller is still connected, and what to do when it no longer is: nothing is claimed for it then. */
  isClosed: () => boolean;
  onClose: (fn: () => void) => void;
};
type Open = { close: () => void; ended: Promise<unknown> };

/** Requests whose response may have been lost; repeated later, they are looked up in the database like unknown ones. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

const claimsOf = perService(() => ({
  open: new Map<string, Open>(),
  answered: new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS }),
}));

/** What is known about earlier requests with the same `claim_id`: none, one without a response, one that returned runs. */
export type Earlier = "unknown" | "open" | "answered";

/**
 * A repeated request takes the place of the one that is still open: that one claims nothing more, and what it is claiming
 * now is found by the newer. Both together would claim more than `max`.
 */
export async function asOnlyClaim<R extends Request>(
  ctx: Ctx,
  request: R,
  claim: (request: R, earlier: Earlier) => Promise<ClaimedRun[]>,
): Promise<ClaimedRun[]> {
  const { open, answered } = claimsOf(ctx);
  const { project_id, worker_id, claim_id, serves } = request;
  // A key that may serve other runs cannot end the poll of another worker by using its names.
  const key = `${project_id} ${claim_id} ${scopeOf(serves, "key")} ${worker_id}`;
  const older = open.get(key);
  older?.close();
  const closable = withClose(request);
  const claiming = (async () => {
    await older?.ended;
    return claim(closable.request, answered.has(key) ? "answered" : older ? "open" : "unknown");
  })();
  const own = { close: closable.close, ended: claiming.catch(() => {}) };
  open.set(key, own);
  try {
    const runs = await claiming;
    if (runs.length > 0) answered.set(key, true);
    return runs;
  } finally {
    if (open.get(key) === own) open.delete(key);
  }
}

function withClose<R extends Request>(request: R): { request: R; close: () => void } {
  const closing: (() => void)[] = [];
  let isSuperseded = false;
  return {
    request: {
      ...request,
      isClosed: () => isSuperseded || request.isClosed(),
      onClose: (fn) => {
        closing.push(fn);
        request.onClose(fn);
      },
    },
    close: () => {
      isSuperseded = true;
      for (const fn of closing) fn();
    },
  };
}
