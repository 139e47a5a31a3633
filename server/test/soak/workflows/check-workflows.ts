import { readMetrics } from "../../harness/read-metrics.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { ENDS, type Fails } from "./orders.ts";

type Ended = { id: string; status: string; error_count: number; steps: Record<string, string> };

/** Workflow runs that did not end as expected. */
export async function wrongEnds(connection: TestConnection, started: ReadonlyMap<string, Fails>): Promise<string[]> {
  const rows = await runSql<Ended>(
    connection,
    `select w.id, w.status, w.error_count, json_object_agg(s.step_ref, s.status) as steps
     from workflow_runs w join step_runs s on s.project_id = w.project_id and s.workflow_run_id = w.id group by w.project_id, w.id`,
  );
  const known = new Map(rows.map((row) => [row.id, row]));
  const unasked = rows.filter(({ id }) => !started.has(id)).map(({ id }) => `${id} was started without a request`);
  return [...unasked, ...[...started].flatMap(([id, fails]) => issueOf(id, known.get(id), fails) ?? [])];
}

function issueOf(id: string, row: Ended | undefined, fails: Fails): string | undefined {
  if (!row) return `${id} was acknowledged, but does not exist`;
  const expected = ENDS[fails];
  const inState = (status: string) =>
    Object.keys(row.steps)
      .filter((ref) => row.steps[ref] === status)
      .toSorted();
  const seen = {
    status: row.status,
    error_count: row.error_count,
    failed: inState("failed"),
    skipped: inState("skipped"),
  };
  const isWhole = fails === "strict" || Object.values(row.steps).every((status) => status !== "canceled");
  const isEnded = Object.values(row.steps).every((status) => !["pending", "running", "waiting"].includes(status));
  if (isWhole && isEnded && JSON.stringify(seen) === JSON.stringify(expected)) return undefined;
  return `${id} (${fails}) ended differently: ${JSON.stringify({ ...seen, steps: row.steps })}`;
}

/** Rows that must not exist when nothing is in progress, each as a count. */
export async function leftovers(connection: TestConnection): Promise<Record<string, number>> {
  const [row] = await runSql<Record<string, number>>(connection, LEFT);
  return Object.fromEntries(Object.entries(row ?? {}).filter(([, count]) => count !== 0));
}

const LEFT = `
  select
    (select count(*)::int from workflow_runs where finished_at is null) as live_workflow_runs,
    (select count(*)::int from runs where finished_at is null) as live_runs,
    (select count(*)::int from run_queue) as queued,
    (select count(*)::int from event_triggers where status = 'waiting') as waiting,
    (select count(*)::int from outbox) as outbox_entries,
    (select coalesce(sum(abs(active)), 0)::int from concurrency_counters) as slots,
    (select coalesce(abs(sum(waiting)), 0)::int from event_trigger_counts) as counted_waiting,
    (select coalesce(abs(sum(active)), 0)::int from event_trigger_counts) as counted_active,
    (select count(*)::int from (
      select 1 from runs where workflow_run_id is not null
      group by workflow_run_id, step_ref, step_generation having count(*) > 1) d) as steps_with_two_runs,
    (select count(*)::int from step_runs s join workflow_runs w on w.id = s.workflow_run_id
      where s.status in ('pending', 'running', 'waiting') and w.finished_at is not null) as open_steps_of_ended_runs,
    (select count(*)::int from (
      select count(*) as found, max(ordinal) as last, w.decisions from workflow_decisions d
      join workflow_runs w on w.id = d.workflow_run_id group by w.id, w.decisions) n
      where found <> last or last <> decisions) as gaps_in_decisions`;

/** The repairs that the running instances report, by kind. */
export async function readRepairs(urls: readonly string[]): Promise<Record<string, number>> {
  const repairs: Record<string, number> = {};
  for (const url of urls) {
    const text = await readMetrics(url);
    for (const [, kind, count] of text.matchAll(/^millrace_repairs_total\{kind="(\w+)"\} (\d+)$/gm)) {
      if (kind && Number(count) > 0) repairs[kind] = (repairs[kind] ?? 0) + Number(count);
    }
  }
  return repairs;
}
