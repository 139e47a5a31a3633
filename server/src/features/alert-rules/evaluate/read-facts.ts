import type { AlertKind } from "@millrace/contract/alerts/alert-kinds";
import { parseTag } from "@millrace/contract/query-language/tag-filter";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { EvaluatedRule } from "../queries.ts";
import { type Outcomes, readOutcomes } from "./read-outcomes.ts";

/** Rows counted at most, per project: beyond that a rule fires anyway. */
const MAX_COUNTED = 100_000;
const MAX_HOSTS = 1_000;

type Counted = { job_id: string; environment_id: string | null; count: number };
type Queued = Counted & { oldest_at: string };
type Down = { host: string; since: string | null; reason: string | null; job_ids: string[] };
/** `delay_secs` is null for a time that got no run at all. */
export type Missed = {
  schedule_id: string;
  job_id: string | null;
  workflow_id: string | null;
  at: string;
  delay_secs: number | null;
};
export type NewIssue = { id: string; job_id: string; environment_id: string; message: string; opened_at: string };

/** What is known of a project at one time: only what its rules need is read. */
export type Facts = {
  now: string;
  outcomes: Outcomes;
  /** The jobs of a queue or tag, by `selectorOf` the rule. */
  jobs: ReadonlyMap<string, readonly string[]>;
  /** The jobs and workflows of rules that are deleted. */
  deleted: ReadonlySet<string>;
  queued: readonly Queued[];
  deadLetters: readonly Counted[];
  /** Null: the project has no budget. */
  budgetPercent: number | null;
  down: readonly Down[];
  missed: readonly Missed[];
  newIssues: readonly NewIssue[];
};

/** One statement for each kind of fact. */
export async function readFacts(
  ctx: Ctx,
  project_id: string,
  rules: readonly EvaluatedRule[],
  now: string,
): Promise<Facts> {
  const kinds = new Set(rules.map(({ kind }) => kind));
  const some = <T>(wanted: AlertKind[], read: () => Promise<T>, none: T) =>
    wanted.some((kind) => kinds.has(kind)) ? read() : none;
  const longest = (kind: AlertKind) =>
    Math.max(0, ...rules.filter((rule) => rule.kind === kind).map(({ window_secs }) => window_secs));
  return {
    now,
    outcomes: await readOutcomes(ctx, project_id, rules, Date.parse(now)),
    jobs: await readJobs(ctx, project_id, rules),
    deleted: await some(["no_success"], () => readDeleted(ctx, project_id, rules), new Set()),
    queued: await some(["oldest_queued", "queue_depth"], () => readQueued(ctx, project_id, rules), []),
    deadLetters: await some(["dead_letters"], () => readDeadLetters(ctx, project_id), []),
    budgetPercent: await some(["budget"], () => readBudget(ctx, project_id), null),
    down: await some(["endpoint_down"], () => readDown(ctx, project_id), []),
    missed: await some(["schedule_missed"], () => readMissed(ctx, project_id, longest("schedule_missed")), []),
    newIssues: await some(["new_errors"], () => readNewIssues(ctx, project_id, longest("new_errors")), []),
  };
}

export function selectorOf({ queue, tag }: Pick<EvaluatedRule, "queue" | "tag">): string | undefined {
  if (queue !== null) return `queue ${queue}`;
  return tag === null ? undefined : `tag ${tag}`;
}

export async function readJobs(ctx: Ctx, project_id: string, rules: readonly EvaluatedRule[]): Promise<Facts["jobs"]> {
  const selectors = new Map<string, object>();
  for (const rule of rules) {
    const name = selectorOf(rule);
    if (name) selectors.set(name, { name, queue: rule.queue, ...(rule.tag !== null && parseTag(rule.tag)) });
  }
  if (selectors.size === 0) return new Map();
  const { rows } = await sql<{ name: string; job_ids: string[] }>`
    /* prepared */
    select s.name, array(
      select j.id::text from jobs j where j.project_id = ${project_id} and j.deleted_at is null
        and (s.queue is null or j.queue = s.queue) and (s.key is null or j.tags ? s.key)
        and (s.value is null or j.tags ->> s.key = s.value)) as job_ids
    from json_to_recordset(${JSON.stringify([...selectors.values()])}::json) as s(
      name text, queue text, key text, value text)`.execute(ctx.db);
  return new Map(rows.map(({ name, job_ids }) => [name, job_ids]));
}

async function readDeleted(ctx: Ctx, project_id: string, rules: readonly EvaluatedRule[]): Promise<Facts["deleted"]> {
  const ids = [...new Set(rules.flatMap(({ job_id, workflow_id }) => job_id ?? workflow_id ?? []))];
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    /* prepared */
    select j.id from jobs j
    where j.project_id = ${project_id} and j.id = any(${ids}::uuid[]) and j.deleted_at is not null
    union all
    select w.id from workflows w
    where w.project_id = ${project_id} and w.id = any(${ids}::uuid[]) and w.deleted_at is not null`.execute(ctx.db);
  return new Set(rows.map(({ id }) => id));
}

/** Due runs that wait for a slot, a limit or an endpoint. Their environment is read only if a rule names one. */
async function readQueued(ctx: Ctx, project_id: string, rules: readonly EvaluatedRule[]): Promise<Queued[]> {
  const needsEnvironment = rules.some(({ kind, environment_id }) => isOfQueue(kind) && environment_id !== null);
  const environment = needsEnvironment
    ? sql`(select r.environment_id from runs r where r.project_id = q.project_id and r.id = q.run_id)`
    : sql`null::uuid`;
  const { rows } = await sql<Queued>`
    /* prepared */
    select q.job_id, q.environment_id, count(*)::int as count, min(q.run_at) as oldest_at
    from (
      select q.job_id, ${environment} as environment_id, q.run_at from run_queue q
      where q.project_id = ${project_id} and q.lease_until is null and q.stopped is null and q.run_at <= clock()
        and (q.blocked_on is null or q.blocked_on not in ('dependency', 'not_due'))
      limit ${MAX_COUNTED}
    ) q group by 1, 2`.execute(ctx.db);
  return rows;
}

function isOfQueue(kind: AlertKind): boolean {
  return kind === "oldest_queued" || kind === "queue_depth";
}

async function readDeadLetters(ctx: Ctx, project_id: string): Promise<Counted[]> {
  const { rows } = await sql<Counted>`
    /* prepared */
    select d.job_id, d.environment_id, count(*)::int as count from (
      select r.job_id, r.environment_id from runs r
      where r.project_id = ${project_id} and r.dead_lettered_at is not null limit ${MAX_COUNTED}
    ) d group by 1, 2`.execute(ctx.db);
  return rows;
}

async function readBudget(ctx: Ctx, project_id: string): Promise<number | null> {
  const { rows } = await sql<{ percent: number | null }>`
    /* prepared */
    select b.settled_microusd * 100.0::float8 / nullif(b.monthly_budget_microusd, 0) as percent
    from project_budgets b where b.project_id = ${project_id}`.execute(ctx.db);
  return rows[0]?.percent ?? null;
}

async function readDown(ctx: Ctx, project_id: string): Promise<Down[]> {
  const { rows } = await sql<Down>`
    /* prepared */
    select c.host, coalesce(c.down_since, c.opened_at) as since, c.reason, array(
      select j.id::text from job_versions v join jobs j on j.project_id = v.project_id and j.version_id = v.id
      where v.project_id = c.project_id and v.host = c.host and j.deleted_at is null) as job_ids
    from circuits c
    where c.project_id = ${project_id} and (c.status = 'open' or c.down_since is not null)
    order by c.host limit ${MAX_HOSTS}`.execute(ctx.db);
  return rows;
}

/** Schedules whose time has passed, and times within the window that got no run. */
async function readMissed(ctx: Ctx, project_id: string, window_secs: number): Promise<Missed[]> {
  const { rows } = await sql<Missed>`
    /* prepared */
    select s.id as schedule_id, s.job_id, s.workflow_id, m.at, m.delay_secs from schedules s cross join lateral (
      select s.next_fire_at as at, extract(epoch from clock() - s.next_fire_at)::float8 as delay_secs
      where s.next_fire_at <= clock()
      union all
      (select f.scheduled_for, null from schedule_fires f
       where f.project_id = s.project_id and f.schedule_id = s.id
         and f.scheduled_for > clock() - ${window_secs} * interval '1 second'
         and (f.outcome in ('missed', 'refused') or f.reason like '% missed')
       order by f.scheduled_for desc limit 1)
    ) m
    where s.project_id = ${project_id} and s.paused_at is null`.execute(ctx.db);
  return rows;
}

async function readNewIssues(ctx: Ctx, project_id: string, window_secs: number): Promise<NewIssue[]> {
  const { rows } = await sql<NewIssue>`
    /* prepared */
    select g.id, g.job_id, g.environment_id, g.message, g.opened_at from error_groups g
    where g.project_id = ${project_id} and g.status = 'open'
      and g.opened_at > clock() - ${window_secs} * interval '1 second'
    order by g.opened_at desc limit 1000`.execute(ctx.db);
  return rows;
}
