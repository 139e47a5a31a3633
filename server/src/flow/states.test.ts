import { RUN_STATUSES } from "@millrace/contract/runs";
import { beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, runSql, type TestConnection } from "../../test/database.ts";
import { newId } from "../platform/ids.ts";
import { RUN_MOVES } from "./states.ts";

let connection: TestConnection;
beforeAll(async () => {
  connection = await cloneDatabase();
});

type Move = readonly [from: string | null, to: string];

const written = ([from, to]: Move) => `${from ?? ""}>${to}`;
const legal = new Set(RUN_MOVES.map(written));

/** Every pair of statuses, and one that there is not. */
const named = [...RUN_STATUSES, "unheard-of"];
const allMoves = [null, ...named].flatMap((from) => named.map((to): Move => [from, to]));

const SEED = `
  insert into runs (project_id, id, job_id, job_version_id, environment_id, status, max_attempts, timeout_secs, payload,
    created_by, trigger_type, scheduled_at, created_at, updated_at)
  values ($1, $1, $1, $1, $1, 'pending', 1, 1, '{}', '', 'api', clock(), clock(), clock())`;

/** The constraint judges the new row alone, so any move can be tried on any row; all else in it is right. */
const MOVE = `
  update runs set prev_status = $2, status = $3, moves = moves + 1,
    finished_at = case when $3::text in ('completed', 'failed', 'timed_out', 'canceled') then clock() end
  where project_id = $1 and id = $1`;

async function refusalOf(move: Move): Promise<string | undefined> {
  const id = newId();
  await runSql(connection, SEED, [id]);
  return runSql(connection, MOVE, [id, ...move]).then(
    () => undefined,
    (error: { constraint?: string }) => error.constraint,
  );
}

describe("the legal moves of a run, as the database keeps them", () => {
  it.each(allMoves.map(written))("%s is taken or refused as the table of states says", async (pair) => {
    const move = allMoves.find((candidate) => written(candidate) === pair);
    if (!move) throw new Error(pair);
    expect(await refusalOf(move)).toBe(legal.has(pair) ? undefined : "runs_moves");
  });

  it("are in the catalogue exactly those of the table of states", async () => {
    const [constraint] = await runSql<{ text: string }>(
      connection,
      "select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'runs_moves'",
    );
    const pairs = [...(constraint?.text.matchAll(/'([a-z_]*>[a-z_]+)'/g) ?? [])].map((match) => match[1] ?? "");
    expect(pairs.toSorted()).toEqual([...legal].toSorted());
  });

  it("lead out of no terminal status, and into each of the others", () => {
    const terminal = ["completed", "failed", "timed_out", "canceled"];
    expect(RUN_MOVES.filter(([from]) => from !== null && terminal.includes(from))).toEqual([]);
    const reachable = new Set(RUN_MOVES.map(([, to]) => to));
    expect([...reachable].toSorted()).toEqual([...RUN_STATUSES].toSorted());
  });

  it("ends with a time exactly when the status is terminal", async () => {
    const id = newId();
    await runSql(connection, SEED, [id]);
    const end = "update runs set prev_status = status, status = 'canceled' where project_id = $1 and id = $1";
    await expect(runSql(connection, end, [id])).rejects.toMatchObject({ constraint: "runs_check" });
  });
});
