import pg from "pg";
import { appendRunChanges } from "../seed/append-changes.ts";
import { runSql, type TestConnection } from "./database.ts";
import { until } from "./until.ts";

/**
 * Locks the queue rows of running runs, and ends each run as the engine does at the moment another session waits for
 * its lock: that session has found it running. Returns a function that waits for all of them and resolves with the
 * ended ones.
 */
export async function endWhenWaitedFor(connection: TestConnection, ids: readonly string[]) {
  const held = new Map<number, { client: pg.Client; id: string }>();
  for (const id of ids) {
    const client = new pg.Client(connection);
    await client.connect();
    await client.query("begin");
    const { rows } = await client.query(
      "select pg_backend_pid() as pid from run_queue where run_id = $1 for update of run_queue",
      [id],
    );
    held.set(rows[0].pid, { client, id });
  }
  const ended: string[] = [];
  const watching = until("a waiter for every run", 60_000, async () => {
    for (const pid of await waitedFor(connection)) {
      const found = held.get(pid);
      if (!found) continue;
      held.delete(pid);
      await end(found.client, found.id);
      ended.push(found.id);
    }
    return held.size === 0;
  });
  return () => watching.then(() => ended);
}

async function waitedFor(connection: TestConnection): Promise<number[]> {
  const found = await runSql<{ pid: number }>(
    connection,
    `select distinct unnest(pg_blocking_pids(pid)) as pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return found.map(({ pid }) => pid);
}

async function end(client: pg.Client, id: string): Promise<void> {
  await client.query("delete from run_queue where run_id = $1", [id]);
  await client.query(
    `with moved as (
       update runs set prev_status = status, status = 'completed', transition_count = transition_count + 1, finished_at = clock()
       where id = $1 returning project_id, id, transition_count
     ),
     logged as (
       insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
       select project_id, id, transition_count, 'running', 'completed', 'completed', 1, clock() from moved
       returning *
     )
     ${appendRunChanges()}`,
    [id],
  );
  await client.query("commit");
  await client.end();
}
