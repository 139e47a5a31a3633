import { expect, it } from "vitest";
import type { ProjectClient } from "../../harness/client.ts";
import { openHarness } from "../../harness/open-harness.ts";
import { readMetrics } from "../../harness/read-metrics.ts";
import { makeJob } from "../../seed/make-workflow.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

const SIZE = scenarioSize({
  quick: { changes: 30, events: 5_000 },
  usual: { changes: 300, events: 100_000 },
  whole: { changes: 2_000, events: 100_000 },
});
const WRITERS = 16;
/** Of CPU, which does not depend on what else the machine does. */
const VERIFIED_WITHIN_SECS = 10;
const WITHIN_MS = 300_000;

it("one chain without a fork or a gap, written and sealed by three instances, two of which are killed", {
  timeout: 1_200_000,
}, async () => {
  const { connection, instances, project: newProject } = await openHarness({ name: "audit" });
  const project = await newProject();
  const jobs: string[] = [];
  for (let nth = 0; nth < WRITERS; nth++) jobs.push((await makeJob({ api: project }, { name: `Job ${nth}` })).id);
  const startedAt = performance.now();
  const writers = jobs.map((job) => write(project, job));
  await instances.crash(1, 500);
  await instances.crash(2, 500);
  const acknowledged = (await Promise.all(writers)).reduce((sum, count) => sum + count, 0);
  const secs = (performance.now() - startedAt) / 1_000;
  await seedUpTo(connection, project.project_id, SIZE.events);
  await until("all events to be sealed", WITHIN_MS, () => isSealed(connection, project.project_id));

  const cpuBefore = await cpuSecs(instances.urls());
  const verified = await verify(project);
  const cpu = (await cpuSecs(instances.urls())) - cpuBefore;
  console.info(
    `${acknowledged} changes by ${WRITERS} writers in ${secs.toFixed(0)} s; ` +
      `${verified.checked} events verified in ${Math.round(verified.ms)} ms and ${cpu.toFixed(1)} s of CPU, in ${verified.calls} calls`,
  );
  expect(verified.issues).toEqual([]);
  expect(verified.checked).toBeGreaterThanOrEqual(SIZE.events);
  expect(await countUpdates(connection, project.project_id)).toBeGreaterThanOrEqual(acknowledged);
  expect(acknowledged).toBe(WRITERS * SIZE.changes);
  expect(cpu).toBeLessThanOrEqual(VERIFIED_WITHIN_SECS);

  const middle = Math.floor(SIZE.events / 2);
  await runSql(connection, "update audit_events set actor_name = 'me' where project_id = $1 and chain_no = $2", [
    project.project_id,
    middle,
  ]);
  expect((await verify(project)).issues).toMatchObject([{ kind: "edited", chain_no: middle }]);
});

/** Changes a job again and again; a call without a response is repeated, and may have had its effect. */
async function write(project: ProjectClient, job: string): Promise<number> {
  let acknowledged = 0;
  while (acknowledged < SIZE.changes) {
    const response = await project.call("PATCH", `/v1/jobs/${job}`, { name: `Change ${acknowledged}` });
    if (response && response.status >= 300 && response.status < 500) throw new Error(response.text);
    if (response?.status === 200) acknowledged++;
  }
  return acknowledged;
}

/** Events as if they had been recorded, of which the service seals those that are not. */
async function seedUpTo(connection: TestConnection, project_id: string, events: number): Promise<void> {
  await runSql(
    connection,
    `insert into audit_events (project_id, id, actor_kind, actor_name, action, resource_type, resource_id, after, created_at)
     select $1, gen_random_uuid(), 'api_key', 'seeded', 'thing.changed', 'thing', n::text, jsonb_build_object('n', n), clock()
     from generate_series(1, $2 - (select count(*) from audit_events where project_id = $1)) n`,
    [project_id, events],
  );
}

async function isSealed(connection: TestConnection, project_id: string): Promise<boolean> {
  const open = "select 1 from audit_events where project_id = $1 and chain_no is null limit 1";
  return (await runSql(connection, open, [project_id])).length === 0;
}

async function countUpdates(connection: TestConnection, project_id: string): Promise<number> {
  const [row] = await runSql<{ count: number }>(
    connection,
    "select count(*)::int as count from audit_events where project_id = $1 and action = 'job.updated'",
    [project_id],
  );
  return row?.count ?? 0;
}

async function cpuSecs(urls: string[]): Promise<number> {
  const texts = await Promise.all(urls.map(readMetrics));
  const secs = texts.map((text) => Number(/^millrace_process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]));
  return secs.reduce((sum, each) => sum + each, 0);
}

/** In as many calls as it takes. */
async function verify(project: ProjectClient) {
  const verified = { checked: 0, calls: 0, issues: [] as object[], ms: 0 };
  const startedAt = performance.now();
  for (let after: number | null = 0; after !== null; ) {
    const { body } = await project.get(`/v1/audit-events/verify?after=${after}`);
    verified.checked += body.checked;
    verified.issues.push(...body.issues);
    verified.calls++;
    after = body.next_after;
  }
  return { ...verified, ms: performance.now() - startedAt };
}
