import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { lockKeys } from "../../lock-keys.ts";
import type { NewRun } from "./new-run.ts";
import type { Settled } from "./trigger-result.ts";

/**
 * For jobs with a dedup window: the same payload in the same environment within the window returns the existing run. A
 * lock on the compared values makes concurrent triggers see each other.
 */
export async function findDuplicates(
  tx: Ctx & InTransaction,
  newRuns: readonly NewRun[],
  settled: Settled,
): Promise<void> {
  const deduplicated = newRuns.filter((run) => run.dedup_hash !== null);
  if (deduplicated.length === 0) return;

  await lockKeys(tx, deduplicated.map(sameness));
  const known = await readDuplicates(tx, deduplicated);
  const firsts = new Map<string, string>();
  for (const run of deduplicated) {
    const run_id = known.get(run.id) ?? firsts.get(sameness(run));
    if (run_id !== undefined) settled.set(run, { kind: "existing", run_id, why: "dedup" });
    else firsts.set(sameness(run), run.id);
  }
}

/** The existing run, by the id of the new one. */
export async function readDuplicates(ctx: Ctx, deduplicated: readonly NewRun[]): Promise<Map<string, string>> {
  // Without the payloads, of which only the hashes are compared.
  const wanted = deduplicated.map(({ id, project_id, job_id, environment_id, dedup_hash, dedup_window_secs }) => {
    return { id, project_id, job_id, environment_id, dedup_hash, dedup_window_secs };
  });
  const { rows } = await sql<{ id: string; run_id: string }>`
    select g.id, r.id as run_id
    from json_to_recordset(${JSON.stringify(wanted)}::json)
      as g(id uuid, project_id uuid, job_id uuid, environment_id uuid, dedup_hash text, dedup_window_secs int),
    lateral (
      select r.id from runs r
      where r.project_id = g.project_id and r.job_id = g.job_id and r.environment_id = g.environment_id
        and r.dedup_hash = decode(g.dedup_hash, 'hex')
        and r.created_at > clock() - g.dedup_window_secs * interval '1 second'
      order by r.created_at desc limit 1
    ) r`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row.run_id]));
}

function sameness(run: NewRun): string {
  return `dedup/${run.project_id}/${run.job_id}/${run.environment_id}/${run.dedup_hash}`;
}
