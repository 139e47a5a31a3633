import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/database.ts";
import { plansOf } from "../../../test/explain.ts";
import { makeWorld, type World } from "../../../test/world.ts";
import { readRunCosts } from "../../flow/read-run-costs.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { readDispatches } from "./costs-dispatches.ts";
import { readRunFacts } from "./costs-run-facts.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const project_id = newId();
const run_id = newId();
const at = "2030-06-15T12:00:00.000Z";

const WORK: [string, (ctx: Ctx) => Promise<unknown>, RegExp[]][] = [
  [
    "dispatches",
    (ctx) =>
      readDispatches(inTransaction(ctx), [
        { project_id, run_id, ordinal: 3, attempt: 1, to_status: "completed", cause: "completed", created_at: at },
      ]),
    [/Index.* Scan using run_transitions_\w*pkey/, /Index.* Scan using run_usage_pkey/],
  ],
  [
    "the facts of runs",
    (ctx) => readRunFacts(inTransaction(ctx), [{ project_id, run_id }]),
    [/Index.* Scan using runs_pkey/, /Index.* Scan using workflow_runs_pkey/],
  ],
  [
    "the cost of runs",
    (ctx) => readRunCosts(ctx, project_id, [run_id]),
    [/Index.* Scan using run_transitions_\w*pkey/, /Index.* Scan using runs_pkey/],
  ],
];

describe("reading for the roll-up of costs", () => {
  it.each(["empty", "full"])("looks each row up by its key, also by a plan of %s tables", async (state) => {
    if (state === "full") await fill();
    for (const [name, work, wanted] of WORK) {
      for (const plan of await plansOf(world.ctx, work)) {
        for (const scan of wanted) expect([name, plan]).toEqual([name, expect.stringMatching(scan)]);
        expect([name, plan]).toEqual([
          name,
          expect.not.stringMatching(/Seq Scan on (run|workflow)|brin|created_at_idx/),
        ]);
      }
    }
  });
});

function inTransaction(ctx: Ctx): Ctx & InTransaction {
  return { ...ctx, in_transaction: true };
}

async function fill(): Promise<void> {
  await runSql(
    world.connection,
    `insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
     select $1, uuidv7(), 2, 'running', 'completed', 'completed', 1, clock() + n * interval '1 ms'
     from generate_series(1, 20000) n`,
    [project_id],
  );
  await runSql(world.connection, "analyze run_transitions");
}
