import { describe, expect, it } from "vitest";
import type { Ctx } from "../context.ts";
import { afterCommit, collectForCommit } from "./after-commit.ts";

/** A context in a transaction, and its commit. */
function transaction() {
  const registered: ((ctx: Ctx) => void)[] = [];
  const outer = {} as Ctx;
  const tx: Ctx = { ...outer, afterCommit: (fn) => void registered.push(fn) };
  return { outer, tx, registered, commit: () => registered.forEach((fn) => void fn(outer)) };
}

describe("afterCommit", () => {
  it("runs at once without a transaction, and after the commit with the outer context in one", () => {
    const { outer, tx, commit } = transaction();
    const given: Ctx[] = [];
    afterCommit(outer, (ctx) => given.push(ctx));
    expect(given).toEqual([outer]);
    afterCommit(tx, (ctx) => given.push(ctx));
    expect(given).toHaveLength(1);
    commit();
    expect(given[1]).toBe(outer);
  });
});

describe("collectForCommit", () => {
  it("passes the items of a transaction on once, those of another apart, and none without items", () => {
    const taken: [Ctx, readonly number[]][] = [];
    const collect = collectForCommit<number>((ctx, items) => taken.push([ctx, items]));
    const [one, other] = [transaction(), transaction()];
    collect(one.tx, []);
    expect(one.registered).toEqual([]);
    collect(one.tx, [1, 2]);
    collect(other.tx, [10]);
    collect({ ...one.tx }, [3]); // contexts are copied to add fields
    expect([one.registered.length, taken]).toEqual([1, []]);
    one.commit();
    expect(taken).toEqual([[one.outer, [1, 2, 3]]]);
    other.commit();
    expect(taken[1]?.[1]).toEqual([10]);
  });

  it("passes them on at once without a transaction", () => {
    const taken: (readonly number[])[] = [];
    const collect = collectForCommit<number>((_, items) => taken.push(items));
    const { outer } = transaction();
    collect(outer, [1]);
    collect(outer, []);
    collect(outer, [2]);
    expect(taken).toEqual([[1], [2]]);
  });
});
