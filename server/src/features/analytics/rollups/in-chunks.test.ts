import { describe, expect, it } from "vitest";
import { inChunks } from "./in-chunks.ts";

describe("inChunks", () => {
  it("yields to other work of the process after every chunk, and keeps the order", async () => {
    let [others, isDone] = [0, false];
    const countOthers = () => {
      others++;
      if (!isDone) setImmediate(countOthers);
    };
    setImmediate(countOthers);
    const seen = await inChunks(Array(1_000).keys(), 64, (item) => ({ item, others }));
    isDone = true;
    expect(seen.map(({ item }) => item)).toEqual([...Array(1_000).keys()]);
    const together = new Map<number, number>();
    for (const { others: at } of seen) together.set(at, (together.get(at) ?? 0) + 1);
    expect([...together.values()]).toEqual([...Array(15).fill(64), 40]);
  });
});
