import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { derivedId } from "../../../platform/derived-id.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { reopenIssues } from "../issues/reopen-issues.ts";
import { type Failure, fingerprintOf, normalize } from "./fingerprint.ts";
import { inChunks } from "./in-chunks.ts";
import { type Tallies, tally } from "./tallies.ts";

/** A failed attempt or a failed end, with the immutable columns of its run. */
type RunTransition = {
  project_id: string;
  run_id: string;
  to_status: string;
  detail: { http_status?: number | null; error?: { code?: string; message?: string } | null } | null;
  created_at: string;
  job_id: string;
  job_version_id: string;
  environment_id: string;
  step_ref: string | null;
};
type FailedTransition = Failure & { transition: RunTransition; fingerprint: string };
type Group = Failure & {
  project_id: string;
  environment_id: string;
  fingerprint: string;
  run_ids: string[];
  first_seen_at: string;
  last_seen_at: string;
};

/** Per job and environment, so messages that contain names cannot fill the table. */
const MAX_GROUPS = 500;
const MAX_SAMPLES = 5;
/** Failures read without yielding to the event loop: the longest messages take 0.15 ms each. */
const CHUNK = 100;
const OTHER = "(other failures)";

/** Counts failures by cause: ends that failed or timed out, and the attempts before them. */
export function countErrors(tx: Ctx & InTransaction, tallies: Tallies, log: Sql): Promise<void> {
  return tallyErrors(tx, tallies, log, NEWER_FIRST);
}

/**
 * Recounts failures that were counted before. One with an existing group was counted there; one without, once the limit
 * is reached, in the group of other failures. The newest runs of a group stay.
 */
export function recountErrors(tx: Ctx & InTransaction, tallies: Tallies, log: Sql): Promise<void> {
  return tallyErrors(tx, tallies, log, KNOWN_FIRST);
}

async function tallyErrors(tx: Ctx & InTransaction, tallies: Tallies, log: Sql, run_ids: Sql): Promise<void> {
  const failed = await inChunks(await listFailed(tx, log), CHUNK, readerOfFailures());
  if (failed.length === 0) return;
  const known = await withoutTooMany(tx, failed);
  await inChunks(known, CHUNK, ({ transition, fingerprint }) => {
    const { project_id, job_id: subject_id, environment_id, job_version_id } = transition;
    const rollup = { project_id, series: "errors", split: "group", subject_id, environment_id } as const;
    const counts = { attempts: 1, runs: transition.to_status === "pending" ? 0 : 1 };
    const part = `${fingerprint} ${job_version_id}`;
    tally(tallies, { ...rollup, at_ms: Date.parse(transition.created_at), part }, { counts });
  });
  const groups = groupsOf(known);
  await writeGroups(tx, groups, run_ids);
  await reopenIssues(tx, groups);
}

/** Ends that failed or timed out, and failed attempts that are followed by another. */
const IS_FAILURE = sql`(l.to_status in ('failed', 'timed_out') or l.from_status = 'running' and l.to_status = 'pending'
  and l.cause in ('retry', 'timeout', 'heartbeat_lost', 'lease_lost'))`;

async function listFailed({ db }: Ctx & InTransaction, log: Sql): Promise<RunTransition[]> {
  const { rows } = await sql<RunTransition>`
    /* prepared */
    select l.project_id, l.run_id, l.to_status, t.detail, l.created_at, r.*
    from ${log} cross join lateral (
      select r.job_id, r.job_version_id, r.environment_id, r.step_ref
      from runs r where r.project_id = l.project_id and r.id = l.run_id offset 0
    ) r cross join lateral (
      select t.detail from run_history t
      where t.project_id = l.project_id and t.run_id = l.run_id and t.ordinal = l.ordinal and t.created_at = l.created_at
      offset 0
    ) t
    where ${IS_FAILURE}
    order by l.created_at, l.run_id, l.ordinal`.execute(db);
  return rows;
}

/** Equal messages are normalized once. */
function readerOfFailures(): (transition: RunTransition) => FailedTransition {
  const normalized = new Map<string, string>();
  const read = (message: string) => {
    const found = normalized.get(message) ?? normalize(message);
    normalized.set(message, found);
    return found;
  };
  return (transition) => {
    const { error, http_status } = transition.detail ?? {};
    const { job_id, step_ref } = transition;
    const failure = {
      ...{ job_id, step_ref, http_status: http_status ?? null, code: error?.code?.slice(0, 100) ?? null },
      message: read(error?.message ?? (transition.to_status === "timed_out" ? "timed out" : "failed")),
    };
    return { ...failure, transition, fingerprint: fingerprintOf(failure) };
  };
}

function groupsOf(failed: readonly FailedTransition[]): Group[] {
  const groups = groupBy(failed, ({ transition, fingerprint }) => `${transition.environment_id} ${fingerprint}`);
  return [...groups.values()].flatMap((some) => {
    const times = some.map(({ transition }) => transition.created_at).sort();
    const [first] = some;
    if (!first) return [];
    const { transition, ...failure } = first;
    const run_ids = [...new Set(some.map((each) => each.transition.run_id).reverse())].slice(0, MAX_SAMPLES);
    return {
      ...failure,
      ...{ project_id: transition.project_id, environment_id: transition.environment_id, run_ids },
      ...{ first_seen_at: times[0] ?? transition.created_at, last_seen_at: times.at(-1) ?? transition.created_at },
    };
  });
}

/** Failures beyond the limit go into the job's group of other failures. */
async function withoutTooMany(
  tx: Ctx & InTransaction,
  failed: readonly FailedTransition[],
): Promise<FailedTransition[]> {
  const keys = groupsOf(failed).map(({ project_id, job_id, environment_id, fingerprint }) => ({
    ...{ project_id, job_id, environment_id, fingerprint, one: "" },
  }));
  const { rows } = await sql<{ environment_id: string; fingerprint: string; job_id: string; room: number }>`
    select k.environment_id, k.fingerprint, k.job_id, ${MAX_GROUPS}::int - n.groups as room
    from json_to_recordset(${JSON.stringify(keys)}::json) as k(
      project_id uuid, job_id uuid, environment_id uuid, fingerprint uuid, one text)
    cross join lateral (
      select count(*)::int as groups from (
        select 1 from error_groups g where g.project_id = k.project_id and g.job_id = k.job_id
          and g.environment_id = k.environment_id limit ${MAX_GROUPS}
      ) known
    ) n
    where ${fewRows("k.one")} and not exists (
      select 1 from error_groups g where g.project_id = k.project_id and g.job_id = k.job_id
        and g.environment_id = k.environment_id and g.fingerprint = k.fingerprint offset 0)`.execute(tx.db);
  const beyond = new Set<string>();
  for (const some of groupBy(rows, ({ job_id, environment_id }) => `${job_id} ${environment_id}`).values()) {
    for (const { environment_id, fingerprint } of some.slice(Math.max(0, some[0]?.room ?? 0)))
      beyond.add(`${environment_id} ${fingerprint}`);
  }
  return failed.map((each) =>
    beyond.has(`${each.transition.environment_id} ${each.fingerprint}`) ? asOther(each) : each,
  );
}

function asOther({ transition, job_id }: FailedTransition): FailedTransition {
  const failure = { job_id, step_ref: null, http_status: null, code: null, message: OTHER };
  return { ...failure, transition, fingerprint: fingerprintOf(failure) };
}

const NEWER_FIRST = sql`excluded.run_ids || e.run_ids`;
const KNOWN_FIRST = sql`e.run_ids || excluded.run_ids`;

/** `run_ids` for an existing group, ordered so that the first few are kept. */
async function writeGroups(tx: Ctx & InTransaction, groups: readonly Group[], run_ids: Sql): Promise<void> {
  await sql`
    insert into error_groups as e (project_id, job_id, environment_id, fingerprint, step_ref, http_status, code, message,
      run_ids, first_seen_at, last_seen_at, opened_at, id)
    select g.project_id, g.job_id, g.environment_id, g.fingerprint, g.step_ref, g.http_status, g.code, g.message,
      g.run_ids, g.first_seen_at, g.last_seen_at, g.first_seen_at, g.id
    from json_to_recordset(${JSON.stringify(groups.map(withId))}::json) as g(
      project_id uuid, job_id uuid, environment_id uuid, fingerprint uuid, step_ref text, http_status int, code text,
      message text, run_ids uuid[], first_seen_at timestamptz(3), last_seen_at timestamptz(3), id uuid)
    on conflict (project_id, job_id, environment_id, fingerprint) do update set
      run_ids = array(select distinct_id from unnest(${run_ids}) with ordinality as u(distinct_id, nth)
        group by distinct_id order by min(nth) limit ${sql.lit(MAX_SAMPLES)}),
      first_seen_at = least(e.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(e.last_seen_at, excluded.last_seen_at)`.execute(tx.db);
}

/** Derived, so that a group that a recount restores is the same issue. */
function withId(group: Group): Group & { id: string } {
  const { project_id, job_id, environment_id, fingerprint } = group;
  return { ...group, id: derivedId("error_issue", project_id, job_id, environment_id, fingerprint) };
}
