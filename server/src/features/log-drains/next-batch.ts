import { MAX_BYTES } from "./drain-rules.ts";
import type { Request } from "./send-records.ts";
import type { Formatted, Placed, Signal } from "./signal.ts";

/** What surrounds the records of a request. */
const FRAME_BYTES = 1_000;

type Format<R> = (records: readonly R[]) => Formatted | Request;

/** As many as fit into a request: half of them, and half of those, until they do. */
export function nextBatch<R extends Placed>(
  left: readonly R[],
  max: number,
  { sizeOf, format }: { sizeOf: Signal<R>["sizeOf"]; format: Format<R> },
): [readonly R[], Request] {
  const batch = left.slice(0, Math.min(max, countFitting(left, sizeOf)));
  const { content_type, body } = format(batch);
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (batch.length <= 1 || bytes.length <= MAX_BYTES) return [batch, { content_type, body: bytes }];
  return nextBatch(left, Math.ceil(batch.length / 2), { sizeOf, format });
}

/** Where sizes are known, nothing is formatted that does not fit. */
function countFitting<R extends Placed>(records: readonly R[], sizeOf: Signal<R>["sizeOf"]): number {
  if (!sizeOf) return records.length;
  let bytes = FRAME_BYTES;
  const above = records.findIndex((record) => {
    bytes += sizeOf(record) + 1;
    return bytes > MAX_BYTES;
  });
  return above === -1 ? records.length : Math.max(1, above);
}
