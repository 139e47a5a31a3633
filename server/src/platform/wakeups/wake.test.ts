import { expect, it } from "vitest";
import type { Ctx } from "../context.ts";
import { wake } from "./wake.ts";

it("a wake-up that a transaction requests many times is sent once, after the commit", () => {
  const sent: (string | undefined)[][] = [];
  const outer = { wakeup: { wake: (...given: (string | undefined)[]) => void sent.push(given) } } as unknown as Ctx;
  const registered: ((ctx: Ctx) => void)[] = [];
  const tx: Ctx = { ...outer, afterCommit: (fn) => void registered.push(fn) };
  for (let nth = 0; nth < 3; nth++) {
    wake(tx, "outbox");
    wake(tx, "run", `${nth % 2}`);
  }
  expect(sent).toEqual([]);
  for (const fn of registered) fn(outer);
  expect(sent).toEqual([
    ["outbox", undefined],
    ["run", "0"],
    ["run", "1"],
  ]);
  wake(outer, "outbox");
  expect(sent).toHaveLength(4);
});
