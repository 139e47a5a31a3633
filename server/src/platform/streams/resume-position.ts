import type { Ctx } from "../context.ts";
import { ApiError } from "../errors/errors.ts";
import { streamPositionNow } from "./change-hub.ts";
import { isOfThisLog } from "./is-of-this-log.ts";
import { parsePosition, type StreamPosition } from "./stream-position.ts";

const KEPT_MS = 3_600_000; // how far back a stream can resume; beyond it reading the objects again is cheaper

/** Where a stream begins. `is_reset`: the requested position no longer exists, and the stream begins now. */
export type StreamStart = { since: StreamPosition; now: StreamPosition; is_reset: boolean };

/** Read before the response, so that nothing after the response is missed. */
export async function readStart(ctx: Ctx, id: string | undefined): Promise<StreamStart> {
  const requested = id === undefined ? undefined : parsePosition(id);
  if (id !== undefined && !requested) {
    throw new ApiError("bad_request", "The Last-Event-ID was not issued by this service.", {
      errors: [{ location: "header.Last-Event-ID", message: "is not the id of an event", value: id }],
    });
  }
  const now = await streamPositionNow(ctx);
  if (!requested) return { since: now, now, is_reset: false };
  const isKnown = requested.ms > ctx.watch.nowMs() - KEPT_MS && (await isOfThisLog(ctx, requested));
  return { since: isKnown ? requested : now, now, is_reset: !isKnown };
}
