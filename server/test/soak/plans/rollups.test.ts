import { beforeAll, describe, expect, it } from "vitest";
import { NIL_ID } from "../../../src/features/analytics/reports/series.ts";
import { mergeRollups } from "../../../src/features/analytics/rollups/add-rollups.ts";
import { appendRollups, packSketches } from "../../../src/features/analytics/rollups/append-rollups.ts";
import { countErrors } from "../../../src/features/analytics/rollups/count-errors.ts";
import { nextRange, runChanges } from "../../../src/platform/changelog/log-range.ts";
import { sequenceChanges } from "../../../src/platform/changelog/sequence-changes.ts";
import type { Ctx, InTransaction } from "../../../src/platform/context.ts";
import { newId } from "../../../src/platform/ids.ts";
import { appendRunChanges } from "../../seed/append-changes.ts";
import { plansOf } from "../../statements/explain.ts";
import { runSql } from "../../world/database.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld, within } from "./plan-world.ts";

let world: World;
beforeAll(async () => {
  world = await makePlanWorld();
});

const project_id = newId();
const key = { project_id, split: "all", subject_id: NIL_ID, environment_id: NIL_ID, part: "" } as const;
const rollup = { ...key, series: "runs" as const, buckets: new Map() };
const row = { rollup, grain: 60, at_s: 1_907_755_200, counts: [1, 0, 0, 0, 0, 0, 0], sketch: new Map([[3, 1]]) };
const log = runChanges({ after: 700, to: 720 });

const WORK: [string, (ctx: Ctx & InTransaction) => Promise<unknown>, RegExp[]][] = [
  [
    "the next range",
    // The function sees no rows here.
    (ctx) => nextRange(ctx, 700, 10).catch(() => undefined),
    [/changelog_pkey/],
  ],
  [
    "failures",
    (ctx) => countErrors(ctx, new Map(), log),
    [/changelog_pkey/, /run_transitions_\w*pkey/, /using runs_pkey/],
  ],
  ["appending rollups", (ctx) => appendRollups(ctx, [row]), [/Conflict Arbiter Indexes: rollups_pkey/]],
  ["merging rollups", (ctx) => mergeRollups(ctx, [row]), [/Index.* Scan using rollups_pkey/]],
  [
    "packing sketches",
    (ctx) =>
      packSketches(ctx, "runs", [
        { ...key, grain: 60, bucket_at: "2030-06-15T12:00:00Z", sketch: Buffer.from([3, 1]) },
      ]),
    [/Index.* Scan using rollups_pkey/],
  ],
];

describe("the statements of the rollups", () => {
  it.each(["empty", "full"])(
    "find each row by its key or its position in the log, by a plan of %s tables",
    async (state) => {
      if (state === "full") await fill();
      for (const [name, work, wanted] of WORK) {
        for (const plan of await plansOf(world.ctx, (ctx) => work(within(ctx)))) {
          for (const scan of wanted) expect([name, plan]).toEqual([name, expect.stringMatching(scan)]);
          expect([name, plan]).toEqual([
            name,
            expect.not.stringMatching(/Seq Scan on (run|rollups|changelog\b)|brin|created_at_idx/),
          ]);
        }
      }
    },
  );
});

async function fill(): Promise<void> {
  await runSql(
    world.connection,
    `insert into rollups (project_id, series, split, grain, bucket_at, subject_id, environment_id, part, counts)
     select $1, 'runs', 'all', 60, clock() + n * interval '1 minute', $2, $2, '', '{0,0,0,0,0,0,0}'
     from generate_series(1, 20000) n`,
    [project_id, NIL_ID],
  );
  await runSql(
    world.connection,
    `with logged as (
       insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
       select $1, uuidv7(), 2, 'running', 'completed', 'completed', 1, clock() + n * interval '1 ms'
       from generate_series(1, 20000) n returning *
     )
     ${appendRunChanges()}`,
    [project_id],
  );
  await sequenceChanges(world.ctx);
  await runSql(world.connection, "analyze run_transitions, changelog, rollups");
}
