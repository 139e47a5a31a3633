import { JSON_SEPARATOR } from "../../../flow/runs/json-separator.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { JsonPart } from "./payload-terms.ts";
import type { COLUMN } from "./run-conditions.ts";

/** Runs that differ only by id and payload; `payloads`: null if they are large. */
export type AlikeRuns = {
  ids: string[];
  payloads: string | null;
  tags: Record<string, string>;
  trigger_type: string;
  created_by_id: string | null;
} & {
  [column in (typeof COLUMN)[keyof typeof COLUMN]]: string | null;
};

/** In bytes as stored, which may be compressed. Smaller ones of a block are decoded together, without yielding. */
const LARGE = 2_000;

/**
 * Reads runs of a project by key; deleted ones are left out. Those that are alike are one row, with their payloads in one
 * text: a row of fourteen columns for each was most of what the service allocated.
 */
export async function readAlike(tx: Ctx & InTransaction, project_id: string, ids: string[]): Promise<AlikeRuns[]> {
  const { rows } = await sql<AlikeRuns>`
    /* prepared */
    select array_agg(r.id) as ids,
      string_agg(case when not r.is_large then r.payload::text end, ${sql.lit(JSON_SEPARATOR)}) as payloads, r.tags, r.trigger_type,
      r.job_id, r.concurrency_key, r.created_by, r.created_by_id, r.batch_id, r.workflow_run_id, r.parent_run_id,
      r.replay_of, r.schedule_id, r.environment_id
    from unnest(${`{${ids.join(",")}}`}::uuid[]) as wanted(id) cross join lateral (
      select r.id, pg_column_size(r.payload) > ${sql.lit(LARGE)} as is_large, r.payload, r.tags, r.trigger_type, r.job_id,
        r.concurrency_key, r.created_by, r.created_by_id, r.batch_id, r.workflow_run_id, r.parent_run_id, r.replay_of,
        r.schedule_id, r.environment_id
      from runs r where r.project_id = ${project_id} and r.id = wanted.id offset 0
    ) r
    group by r.is_large, r.tags, r.trigger_type, r.job_id, r.concurrency_key, r.created_by, r.created_by_id, r.batch_id,
      r.workflow_run_id, r.parent_run_id, r.replay_of, r.schedule_id, r.environment_id`.execute(tx.db);
  return rows;
}

/** Payloads can be a megabyte each. */
const LARGE_AT_ONCE = 32;

export type RunPayload = { id: string; payload: JsonPart };

/** The payloads of such runs, in parts that were read together. */
export async function* payloadsOf(
  tx: Ctx & InTransaction,
  project_id: string,
  { ids, payloads }: Pick<AlikeRuns, "ids" | "payloads">,
): AsyncGenerator<RunPayload[]> {
  if (payloads !== null) {
    yield splitPayloads(ids, payloads);
    return;
  }
  for (let at = 0; at < ids.length; at += LARGE_AT_ONCE) {
    const rows = await readLarge(tx, project_id, ids.slice(at, at + LARGE_AT_ONCE));
    yield rows.map(({ id, text }) => ({ id, payload: { text, from: 0, to: text.length } }));
  }
}

function splitPayloads(ids: string[], text: string): RunPayload[] {
  let from = 0;
  return ids.map((id) => {
    const end = text.indexOf(JSON_SEPARATOR, from);
    const payload = { text, from, to: end < 0 ? text.length : end };
    from = end + 1;
    return { id, payload };
  });
}

async function readLarge(
  tx: Ctx & InTransaction,
  project_id: string,
  ids: string[],
): Promise<{ id: string; text: string }[]> {
  const { rows } = await sql<{ id: string; text: string }>`
    /* prepared */
    select r.* from unnest(${`{${ids.join(",")}}`}::uuid[]) as wanted(id) cross join lateral (
      select r.id, r.payload::text as text from runs r where r.project_id = ${project_id} and r.id = wanted.id offset 0
    ) r`.execute(tx.db);
  return rows;
}
