import type { Ctx } from "../context.ts";
import { ApiError } from "../errors.ts";
import { streamPlaceNow } from "./change-hub.ts";
import { readPlace, type StreamPlace } from "./stream-place.ts";

const KEPT_MS = 3_600_000; // so far back a stream is resumed; beyond it reading the objects anew is cheaper

/** Where a stream begins. `is_reset`: it was asked to go on from a place that is no more, and begins now. */
export type StreamStart = { since: StreamPlace; now: StreamPlace; is_reset: boolean };

/** Read before the client is answered, so that nothing that happens after the answer is missed. */
export async function readStart(ctx: Ctx, id: string | undefined): Promise<StreamStart> {
  const asked = id === undefined ? undefined : readPlace(id);
  if (id !== undefined && !asked) {
    throw new ApiError("bad_request", "The Last-Event-ID is not one of this service.", {
      errors: [{ location: "header.Last-Event-ID", message: "is not the id of an event", value: id }],
    });
  }
  const now = await streamPlaceNow(ctx);
  if (!asked) return { since: now, now, is_reset: false };
  // Another instance may have read a little further than this one.
  const isKnown = asked.ms > ctx.watch.nowMs() - KEPT_MS && asked.xid <= now.xid + AHEAD;
  return { since: isKnown ? asked : now, now, is_reset: !isKnown };
}

/** Transactions. An id that is further ahead is of another database, from before this one was restored. */
const AHEAD = 1_000_000n;
