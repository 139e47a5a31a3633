import { describe, expect, it } from "vitest";
import { findDeadlocked, type SlotBound, type SlotWait } from "./break-deadlocks.ts";

const wait = (id: string, workflow_id: string, ...above: string[]): SlotWait => ({
  ...{ id, workflow_id, above, root_id: above[0] ?? id },
});
const bound = (workflow_id: string, max: number | null, ...holders: string[]): SlotBound => ({
  ...{ workflow_id, max, holders },
});
const found = (waits: SlotWait[], bounds: SlotBound[]) => findDeadlocked(waits, bounds)?.id;

describe("waits that will never end", () => {
  it("with two chains that hold each other's slots: the newest", () => {
    const waits = [wait("1b", "B", "1"), wait("2a", "A", "2")];
    expect(found(waits, [bound("A", 1, "1"), bound("B", 1, "2")])).toBe("2a");
    expect(found(waits.toReversed(), [bound("B", 1, "2"), bound("A", 1, "1")])).toBe("2a");
  });

  it("in a cycle of three", () => {
    const waits = [wait("1b", "B", "1"), wait("2c", "C", "2"), wait("3a", "A", "3")];
    const bounds = [bound("A", 1, "1"), bound("B", 1, "2"), bound("C", 1, "3")];
    expect(found(waits, bounds)).toBe("3a");
    expect(found(waits.slice(1), bounds)).toBeUndefined();
  });

  it.each([
    ["one holder of several is free to end", [bound("A", 2, "1", "9"), bound("B", 1, "2")]],
    ["a slot is free", [bound("A", 2, "1"), bound("B", 1, "2")]],
    ["the bound was lifted", [bound("A", null, "1"), bound("B", 1, "2")]],
    ["nobody holds one", [bound("A", 1), bound("B", 1, "2")]],
  ])("none when %s", (_, bounds) => {
    expect(found([wait("1b", "B", "1"), wait("2a", "A", "2")], bounds)).toBeUndefined();
  });

  it("with several slots, all held by waiting runs", () => {
    const waits = [wait("1b", "B", "1"), wait("2b", "B", "2"), wait("3a", "A", "3")];
    expect(found(waits, [bound("A", 2, "1", "2"), bound("B", 1, "3")])).toBe("3a");
  });

  it("never a run that only waits behind them", () => {
    const waits = [wait("1b", "B", "1"), wait("2a", "A", "2"), wait("9a", "A", "8")];
    expect(found(waits, [bound("A", 1, "1"), bound("B", 1, "2")])).toBe("2a");
  });
});
