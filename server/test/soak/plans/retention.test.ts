import { beforeAll, describe, expect, it } from "vitest";
import { allRetention } from "../../../src/engine/all-retention.ts";
import { removePage } from "../../../src/platform/retention/remove-old-rows.ts";
import { plansOf } from "../../statements/explain.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld } from "./plan-world.ts";

let world: World;
beforeAll(async () => {
  world = await makePlanWorld();
});

/** Tables read as a whole, each with its reason. */
const SCANNED: Record<string, string> = {
  usage_emails: "one row per month and subscriber",
};

const entries = allRetention.flatMap((entry) => ("table" in entry ? [entry] : []));

describe("the statements of retention", () => {
  it.each(entries.map((entry) => [entry.name, entry] as const))(
    "find old rows by an index, even when planned on empty tables: %s",
    async (_name, entry) => {
      for (const plan of await plansOf(world.ctx, (ctx) => removePage(ctx, entry))) {
        expect(plan).toMatch(new RegExp(`Tid Scan on ${entry.table}`));
        if (entry.table in SCANNED) continue;
        expect(plan).not.toMatch(new RegExp(`Seq Scan on ${entry.table}\\b`));
      }
    },
  );
});
