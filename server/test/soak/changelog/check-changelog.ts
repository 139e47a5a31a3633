import { expect } from "vitest";
import type { ProjectClient } from "../../harness/client.ts";
import type { JournaledDelivery } from "../../harness/history.ts";
import type { Harness } from "../../harness/open-harness.ts";
import { recountedRollups, storedRollups } from "../../oracles/rollup-recount.ts";
import { recountedErrors, recountedWorkflows } from "../../oracles/rollup-recount-others.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { until } from "../../world/until.ts";
import type { FollowedRuns } from "./follow-runs.ts";
import { writtenDeliveries } from "./written-deliveries.ts";

const WITHIN_MS = 90_000;

/**
 * After a scenario: everything was sequenced, summed, published and streamed, nothing was lost, and nothing happened
 * twice. `run.*` is subscribed to by one webhook subscription of the project.
 */
export async function checkChangelog(
  harness: Pick<Harness, "connection" | "receiver" | "settle" | "check">,
  project: ProjectClient,
  followed?: FollowedRuns,
): Promise<{ transitions: number; deliveries: number; repeated: number }> {
  const { connection, receiver } = harness;
  const { project_id } = project;
  await harness.settle(WITHIN_MS, project);
  await untilConsumed(connection, receiver.deliveries);
  expect((await harness.check(project)).violations).toEqual({});
  await checkPositions(connection);
  await checkSums(connection, project_id);
  const transitions = await readTransitions(connection, project_id);
  if (followed) {
    await until(
      "the stream to have received everything",
      WITHIN_MS,
      () => followed.received.length >= transitions.length,
    );
    await followed.stop();
    expect(followed.received.map(nameOf).toSorted()).toEqual(transitions.map(nameOf).toSorted());
    expect(outOfOrder(followed.received)).toEqual([]);
    expect(followed.resets()).toBe(0);
  }
  return { transitions: transitions.length, ...(await checkDeliveries(connection, project_id, receiver.deliveries)) };
}

/** Waits until the inbox is empty, both consumers have read everything, and every delivery was sent. */
export async function untilConsumed(connection: TestConnection, received: readonly JournaledDelivery[]): Promise<void> {
  const isConsumed = async () => {
    const [found] = await runSql<{ is_consumed: boolean }>(
      connection,
      `select not exists (select 1 from changelog_inbox) and not exists (
           select 1 from webhook_deliveries where status = 'pending')
         and (select bool_and(c.position = h.position) from log_cursors c, changelog_head h
           where c.consumer in ('sum-changes', 'publish-webhooks')) as is_consumed`,
    );
    return found?.is_consumed;
  };
  await until("all changes to be consumed", WITHIN_MS, isConsumed).catch(async (error) => {
    const state = await runSql(
      connection,
      `select (select count(*) from changelog_inbox) as inbox, (select json_agg(c) from log_cursors c) as cursors,
         (select json_agg(h) from changelog_head h) as head,
         (select json_agg(l) from leaders l where name in ('sum-changes', 'publish-webhooks')) as leaders,
         (select count(*) from webhook_deliveries where status = 'pending') as pending`,
    );
    throw new Error(`${error.message}: ${JSON.stringify(state)}; ${received.length} deliveries were received`);
  });
}

/** Positions have no gap and no duplicate, from the first to the head. */
export async function checkPositions(connection: TestConnection): Promise<void> {
  const [found] = await runSql(
    connection,
    `select count(*)::int as count, count(distinct position)::int as positions, max(position)::int as last,
       (max(position) - min(position) + 1)::int as span, (select position::int from changelog_head) as head from changelog`,
  );
  const count = found?.count;
  expect(found).toEqual({ count, positions: count, last: found?.last, span: count, head: found?.last });
}

/** The sums equal a count of the runs themselves; those of usage are I15 of the checker. */
export async function checkSums(connection: TestConnection, project_id: string): Promise<void> {
  expect(await storedRollups(connection, project_id)).toEqual(await recountedRollups(connection, project_id));
  expect(await storedRollups(connection, project_id, "workflows")).toEqual(
    await recountedWorkflows(connection, project_id),
  );
  expect(await storedRollups(connection, project_id, "errors")).toEqual(await recountedErrors(connection, project_id));
}

type Transition = { run_id: string; ordinal: number; from_status: string | null; to_status: string };

export function readTransitions(connection: TestConnection, project_id: string): Promise<Transition[]> {
  return runSql<Transition>(
    connection,
    "select run_id, ordinal, from_status, to_status from run_history where project_id = $1 order by run_id, ordinal",
    [project_id],
  );
}

export function nameOf({ run_id, ordinal }: { run_id: string; ordinal: number }): string {
  return `${run_id} ${ordinal}`;
}

/** Those that come after a later change of the same run. */
export function outOfOrder(changes: readonly { run_id: string; ordinal: number }[]): string[] {
  const last = new Map<string, number>();
  return changes
    .filter(({ run_id, ordinal }) => {
      const before = last.get(run_id) ?? 0;
      last.set(run_id, ordinal);
      return ordinal <= before;
    })
    .map(nameOf);
}

type Body = { id: string; type: string; data: { id: string }; transition: { ordinal: number } };

/**
 * Each transition has one delivery, written in their order, which arrived at least once; repeated requests have the id of
 * the first.
 */
async function checkDeliveries(
  connection: TestConnection,
  project_id: string,
  received: readonly JournaledDelivery[],
): Promise<{ deliveries: number; repeated: number }> {
  const rows = await runSql<{ id: string; source_id: string; ordinal: number; event_type: string; status: string }>(
    connection,
    `select event_id as id, source_id, (body::json -> 'transition' ->> 'ordinal')::int as ordinal, event_type, status
     from webhook_deliveries where project_id = $1 and source_type = 'run'`,
    [project_id],
  );
  const transitions = await readTransitions(connection, project_id);
  const expected = transitions.flatMap(({ run_id, ordinal, to_status }) => {
    const isDeadLetter = to_status === "failed" || to_status === "timed_out";
    return Array.from({ length: isDeadLetter ? 2 : 1 }, () => `${run_id} ${ordinal}`);
  });
  const written = rows.map(({ source_id, ordinal }) => `${source_id} ${ordinal}`);
  expect(written.toSorted()).toEqual(expected.toSorted());
  expect(await writtenDeliveries(connection, [project_id])).toEqual({ deliveries: rows.length, overtaken: 0 });
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(rows.length > 0 ? ["delivered"] : []));
  const ids = new Set(rows.map(({ id }) => id));
  const arrived = received.filter(({ id }) => ids.has(id));
  expect(new Set(arrived.map(({ id }) => id))).toEqual(ids);
  for (const { id, body } of arrived) expect((body as Body).id).toBe(id);
  return { deliveries: rows.length, repeated: arrived.length - rows.length };
}
