import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, dropDatabase, runSql, type TestConnection } from "../../test/world/database.ts";
import { BATCH_TRANSITIONS } from "./batches/states.ts";
import { newId } from "./ids.ts";
import { DELIVERY_TRANSITIONS } from "./webhooks/states.ts";

let connection: TestConnection;
beforeAll(async () => {
  connection = await cloneDatabase();
});
afterAll(() => dropDatabase(connection));

type Transition = readonly [from: string | null, to: string];

/** Every pair of the existing statuses, and one that does not exist. */
function allPairs(transitions: readonly Transition[]): Transition[] {
  const statuses = new Set(transitions.flat().filter((status) => status !== null));
  const named = [...statuses, "unheard-of"];
  return [null, ...named].flatMap((from) => named.map((to): Transition => [from, to]));
}

/** The pairs with which an otherwise valid row is accepted. */
async function taken(transitions: readonly Transition[], constraint: string, insert: string): Promise<Transition[]> {
  const outcomes = await Promise.all(
    allPairs(transitions).map(async (transition) => {
      const violation = await runSql(connection, insert, [newId(), newId(), ...transition]).then(
        () => undefined,
        (error: { constraint?: string }) => error.constraint,
      );
      expect([undefined, constraint]).toContain(violation);
      return { transition, isTaken: violation === undefined };
    }),
  );
  return outcomes.filter(({ isTaken }) => isTaken).map(({ transition }) => transition);
}

const sorted = (transitions: readonly Transition[]) => transitions.map(([from, to]) => `${from} → ${to}`).toSorted();

describe("the allowed transitions in the database", () => {
  it("of deliveries match the table of states", async () => {
    const insert = `
      insert into webhook_deliveries (project_id, id, prev_status, status, next_attempt_at, url, event_type, body,
        source_type, source_id, created_at, updated_at)
      values ($1, $2, $3, $4, case when $4::text = 'pending' then clock() end, '', '', '', '', '', clock(), clock())`;
    expect(sorted(await taken(DELIVERY_TRANSITIONS, "webhook_deliveries_transitions", insert))).toEqual(
      sorted(DELIVERY_TRANSITIONS),
    );
  });

  it("of batch operations match the table of states", async () => {
    const insert = `
      insert into batch_operations (project_id, id, prev_status, status, finished_at, kind, total, created_by,
        created_at, updated_at)
      values ($1, $2, $3, $4, case when $4::text in ('completed', 'failed', 'canceled') then clock() end, '', 0, '',
        clock(), clock())`;
    expect(sorted(await taken(BATCH_TRANSITIONS, "batch_operations_transitions", insert))).toEqual(
      sorted(BATCH_TRANSITIONS),
    );
  });
});
