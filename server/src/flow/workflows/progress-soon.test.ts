import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { watchStatements } from "../../../test/watch-statements.ts";
import { makeWorld, type World } from "../../../test/world.ts";
import { newId } from "../../platform/ids.ts";
import { progressSoon, whenProgressed } from "./progress-soon.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Nobody has such runs: only how they are told and taken is of interest. */
const someKeys = (count: number) =>
  Array.from({ length: count }, () => ({ project_id: newId(), workflow_run_id: newId() }));

function watched() {
  const told = { transactions: 0 };
  const db = watchStatements(world.ctx.db, (text) => {
    if (text === "commit") told.transactions++;
  });
  return { told, ctx: { ...world.ctx, db } };
}

async function severalTurns(): Promise<void> {
  for (let nth = 0; nth < 20; nth++) await turn();
}

describe("progressing workflow runs soon", () => {
  it("takes at once those that come one by one", async () => {
    const { told, ctx } = watched();
    for (const key of someKeys(3)) {
      progressSoon(ctx, [key]);
      await whenProgressed(ctx);
    }
    expect(told.transactions).toBe(3);
  });

  it("rests after a transaction of many, and takes all that came meanwhile together", async () => {
    const { told, ctx } = watched();
    progressSoon(ctx, someKeys(5));
    await whenProgressed(ctx);
    progressSoon(ctx, someKeys(1));
    await severalTurns();
    progressSoon(ctx, someKeys(1));
    await severalTurns();
    expect(told.transactions).toBe(1);
    vi.advanceTimersByTime(20);
    await whenProgressed(ctx);
    expect(told.transactions).toBe(2);
  });

  it("does not rest while more wait than one transaction takes", async () => {
    const { told, ctx } = watched();
    progressSoon(ctx, someKeys(200));
    await whenProgressed(ctx); // the timers stand still
    expect(told.transactions).toBe(2);
  });
});
