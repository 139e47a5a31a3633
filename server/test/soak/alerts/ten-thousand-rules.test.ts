import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { cpuTimer } from "../../costs/cpu-time.ts";
import { seedJob } from "../../seed/seed-run.ts";
import { runSql } from "../../world/database.ts";
import { makeWorld, type World } from "../../world/world.ts";

const PROJECTS = 10;
/** The most that a project can have. */
const RULES = 1_000;
const JOBS = 100;
const TRIES = 8;
/** Between two evaluations of a project. */
const EVERY_MS = 45_000;
/** `getconf CLK_TCK` of Linux: a hundredth of a second. */
const TICK_MS = 10;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  for (let nth = 0; nth < PROJECTS; nth++) await seedProject();
  await runSql(world.connection, "analyze");
}, 240_000);

/** Runs complete all the time, so that nothing fires: rules that do not change write nothing. */
async function seedProject(): Promise<void> {
  const { id } = await world.project();
  for (let nth = 0; nth < JOBS; nth++) await seedJob(world.connection, id);
  await runSql(world.connection, SUMS, [id]);
  await runSql(world.connection, SEED_RULES, [id, RULES]);
  await runSql(world.connection, "insert into alert_evaluations (project_id, next_at) values ($1, clock())", [id]);
}

/** Two and a half hours by the minute, of each job and of all. */
const SUMS = `
  insert into rollups (project_id, series, split, grain, bucket_at, subject_id, environment_id, part, counts)
  select $1, 'runs', s.split, 60, date_trunc('minute', clock()) - m.ago * interval '1 minute', s.id, e.id, '',
    array[10, 10, 0, 0, 0, 0, 1000]
  from (
    select 'job' as split, j.id from jobs j where j.project_id = $1
    union all select 'all', '00000000-0000-0000-0000-000000000000'
  ) s
  cross join generate_series(0, 149) as m(ago)
  cross join (select e.id from environments e where e.project_id = $1 and e.slug = 'production') e`;

/** Half of them failure rates; nine of ten for a job. */
const SEED_RULES = `
  insert into alert_rules (project_id, id, name, kind, job_id, threshold, window_secs, min_runs, objective, for_secs,
    resolve_after_secs, channel_ids, enabled, state_since, created_by, created_at, updated_at)
  select $1, gen_random_uuid(), 'Rule ' || n.nth, k.kind, case when n.nth % 10 > 0 then j.ids[1 + n.nth % ${JOBS}] end,
    case k.kind when 'failure_rate' then 0.1 when 'slo_burn_rate' then 14.4 else 1000 end,
    case k.kind when 'failure_rate' then 300 else 3600 end, 10, case k.kind when 'slo_burn_rate' then 0.99 end, 0, 0, '{}',
    true, clock(), 'seed', clock() - interval '1 day', clock()
  from generate_series(1, $2::int) as n(nth)
  cross join lateral (select (array['no_success', 'slo_burn_rate', 'queue_depth'])[1 + n.nth / 2 % 3] as other) o
  cross join lateral (select case when n.nth % 2 = 0 then 'failure_rate' else o.other end as kind) k
  cross join (select array_agg(j.id) as ids from jobs j where j.project_id = $1) j`;

/** CPU of the connections of this world. */
async function databaseMs(): Promise<number> {
  const rows = await runSql<{ pid: number }>(
    world.connection,
    "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  return rows.reduce((sum, { pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }, 0);
}

async function evaluateAll(): Promise<{ service: number; database: number }> {
  await runSql(world.connection, "update alert_evaluations set next_at = clock()");
  const before = await databaseMs();
  const serviceMs = cpuTimer();
  while (await world.tick("evaluate-alert-rules"));
  const service = Math.round(serviceMs());
  return { service, database: (await databaseMs()) - before };
}

describe("the evaluation of 10,000 alert rules", () => {
  it("costs at most one percent of a core", async () => {
    const tries: { service: number; database: number }[] = [];
    for (let nth = 0; nth < TRIES; nth++) tries.push(await evaluateAll());
    const least = Math.min(...tries.map(({ service, database }) => service + database));
    const percent = (100 * least) / EVERY_MS;
    console.info(`CPU ms per evaluation: ${JSON.stringify(tries)}; at least ${percent.toFixed(2)} % of a core`);
    const [row] = await runSql(
      world.connection,
      `select (select count(*)::int from alert_rules) as rules, (select count(*)::int from alerts) as alerts,
         (select min(next_at) > clock() + interval '30 s' from alert_evaluations) as are_evaluated`,
    );
    expect(row).toEqual({ rules: PROJECTS * RULES, alerts: 0, are_evaluated: true });
    // The least of a few: other work on the machine adds to the CPU time too.
    expect(percent).toBeLessThanOrEqual(1);
  }, 240_000);
});
