import { describe, expect, it } from "vitest";
import { inTurns } from "./in-turns.ts";

describe("inTurns", () => {
  it("lets other work of the process run after every so many items, and keeps their order", async () => {
    let [others, isDone] = [0, false];
    const beside = () => {
      others++;
      if (!isDone) setImmediate(beside);
    };
    setImmediate(beside);
    const seen = await inTurns(Array(1_000).keys(), 64, (item) => ({ item, others }));
    isDone = true;
    expect(seen.map(({ item }) => item)).toEqual([...Array(1_000).keys()]);
    const together = new Map<number, number>();
    for (const { others: at } of seen) together.set(at, (together.get(at) ?? 0) + 1);
    expect([...together.values()]).toEqual([...Array(15).fill(64), 40]);
  });
});
