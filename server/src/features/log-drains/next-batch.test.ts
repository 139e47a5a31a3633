import { expect, it } from "vitest";
import { MAX_BYTES } from "./drain-rules.ts";
import { nextBatch } from "./next-batch.ts";
import type { Placed } from "./signal.ts";

type Sized = Placed & { bytes: number };

const records = (count: number, bytes: number): Sized[] =>
  Array.from({ length: count }, (_, position) => ({ position, id: "", created_at: "", bytes }));

function batches(all: Sized[], sizeOf?: (record: Sized) => number) {
  const formatted: number[] = [];
  const format = (some: readonly Sized[]) => {
    formatted.push(some.length);
    const bytes = some.reduce((sum, each) => sum + each.bytes + 1, 100);
    return { content_type: "text/plain", body: Buffer.alloc(bytes) };
  };
  const [batch, request] = nextBatch(all, 1_000, { sizeOf, format });
  expect(batch.length <= 1 || request.body.length <= MAX_BYTES).toBe(true);
  return { formatted, count: batch.length };
}

it("formats a request once if the sizes of its records are known, with as many as fit", () => {
  const sizeOf = ({ bytes }: Sized) => bytes;
  expect(batches(records(900, 1_999), sizeOf)).toEqual({ formatted: [499], count: 499 });
  expect(batches(records(900, 10), sizeOf)).toEqual({ formatted: [900], count: 900 });
  expect(batches(records(3, 2 * MAX_BYTES), sizeOf)).toEqual({ formatted: [1], count: 1 });
});

it("halves a request until it fits if they are not", () => {
  expect(batches(records(900, 1_999))).toEqual({ formatted: [900, 450], count: 450 });
});
