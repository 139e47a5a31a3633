import { describe, expect, it } from "vitest";
import { newId } from "../ids.ts";
import { formatPosition, isBehind, parsePosition } from "./stream-position.ts";

const [low, high] = [newId(), newId()].toSorted() as [string, string];

describe("a stream position", () => {
  it.each([
    { position: 5, ms: 7, inside: undefined },
    { position: 999_999_999_999_999, ms: 1_763_000_000_000, inside: { log: 2, id: low, ordinal: 0 } },
    { position: 6, ms: 8, inside: { log: 4, id: low, ordinal: 0 } },
  ])("round-trips", (at) => {
    expect(parsePosition(formatPosition(at))).toEqual(at);
  });

  it.each(["", "5", "5.", "5.7.", "5.7.1", `5.7.5.${low}.1`, `5.7.0.${low.toUpperCase()}x.1`, " 5.7", "5.7\n", "a.b"])(
    "%j is none",
    (text) => {
      expect(parsePosition(text)).toBeUndefined();
    },
  );

  it("precedes changes at later positions, and at its own position those after its own change", () => {
    const row = (log: number, id: string, ordinal: number) => ({ log, id, ordinal });
    const whole = { position: 5, ms: 0, inside: undefined };
    expect(isBehind(whole, 5, row(2, high, 9))).toBe(false);
    expect(isBehind(whole, 6, row(0, low, 0))).toBe(true);
    expect(isBehind(whole, 4, row(2, high, 9))).toBe(false);
    const inside = { ...whole, inside: row(1, low, 3) };
    const order = [row(0, high, 9), row(1, low, 2), row(1, low, 3), row(1, low, 10), row(1, high, 0), row(2, low, 0)];
    expect(order.map((each) => isBehind(inside, 5, each))).toEqual([false, false, false, true, true, true]);
  });
});
