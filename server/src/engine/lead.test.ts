import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../test/database.ts";
import { until } from "../../test/until.ts";
import { makeWorld, type World } from "../../test/world.ts";
import type { Ctx } from "../platform/context.ts";
import { newId } from "../platform/ids.ts";
import type { Loop } from "../platform/loop.ts";
import { giveUpLead, takeLead } from "./lead.ts";
import { runLoops } from "./run-loops.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00.000Z");
});

/** What the duties of another instance would be handed. */
const anotherCtx = (): Ctx => ({ ...world.ctx, instance_id: newId() });

const aDuty = (more: Partial<Loop> = {}): Loop => ({
  name: `duty-${newId()}`,
  everyMs: 60_000,
  oneInstance: true,
  runOnce: async () => false,
  ...more,
});

describe("the lead of a duty", () => {
  it("goes to one of twenty that ask at once", async () => {
    const duty = aDuty();
    const asked = await Promise.all(Array.from({ length: 20 }, () => takeLead(anotherCtx(), duty)));
    expect(asked.filter(Boolean)).toHaveLength(1);
  });

  it("is free again when the interval, less a tenth, has passed since it was given up", async () => {
    const [a, b, duty] = [anotherCtx(), anotherCtx(), aDuty()];
    expect(await takeLead(a, duty)).toBe(true);
    await giveUpLead(a, duty, false);
    expect([await takeLead(a, duty), await takeLead(b, duty)]).toEqual([false, false]);
    await world.clock.pass("53s");
    expect(await takeLead(b, duty)).toBe(false);
    await world.clock.pass("1s");
    expect(await takeLead(b, duty)).toBe(true);
  });

  it("is free at once when more is waiting", async () => {
    const [a, b, duty] = [anotherCtx(), anotherCtx(), aDuty()];
    await takeLead(a, duty);
    await giveUpLead(a, duty, true);
    expect(await takeLead(b, duty)).toBe(true);
  });

  it("passes to another thirty seconds after its holder fell silent; the old holder cannot give it up", async () => {
    const [silent, heir, third, duty] = [anotherCtx(), anotherCtx(), anotherCtx(), aDuty()];
    expect(await takeLead(silent, duty)).toBe(true);
    await world.clock.pass("29s");
    expect(await takeLead(heir, duty)).toBe(false);
    await world.clock.pass("1s");
    expect(await takeLead(heir, duty)).toBe(true);
    await giveUpLead(silent, duty, true);
    expect(await takeLead(third, duty)).toBe(false);
    const [row] = await runSql(world.connection, "select holder, epoch from leaders where name = $1", [duty.name]);
    expect(row).toEqual({ holder: heir.instance_id, epoch: "2" });
  });
});

describe("a duty of one instance", () => {
  it("is done once a period by three that all ask", async () => {
    let turns = 0;
    const duty = aDuty({
      everyMs: 20,
      runOnce: async () => {
        turns++;
        return false;
      },
    });
    const asked = async () => {
      const { values } = await world.ctx.metrics.dutyRuns.get();
      return values.find(({ labels }) => labels.duty === duty.name)?.value ?? 0;
    };
    const loops = [anotherCtx(), anotherCtx(), anotherCtx()].map((ctx) => runLoops(ctx, [duty]));
    for (let period = 1; period <= 3; period++) {
      await until("turns to be period", 20_000, () => turns === period);
      const before = await asked();
      await until("asked() > before + 12", 20_000, async () => (await asked()) > before + 12);
      expect(turns).toBe(period);
      await world.clock.pass("1s");
    }
    await Promise.all(loops.map((each) => each.stop()));
  });

  it("that fails gives up the lead, and is done at its next time", async () => {
    let turns = 0;
    const duty = aDuty({
      everyMs: 20,
      runOnce: async () => {
        if (++turns === 1) throw new Error("not today");
        return false;
      },
    });
    const loops = runLoops(anotherCtx(), [duty]);
    await until("turns to be 1", 20_000, () => turns === 1);
    const lease = async () =>
      (
        await runSql(world.connection, "select lease_until <= clock() as free from leaders where name = $1", [
          duty.name,
        ])
      )[0];
    await until("lease() to equal { free: true }", 20_000, async () =>
      isDeepStrictEqual(await lease(), { free: true }),
    );
    await world.clock.pass("1s");
    await until("turns to be 2", 20_000, () => turns === 2);
    await loops.stop();
  });
});
