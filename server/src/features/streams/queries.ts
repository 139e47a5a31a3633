import { visibleTrigger } from "../../platform/access/policies/denied-runs.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { FeedKey } from "../../platform/streams/feed.ts";

const TABLES = {
  runs: { alias: "r", table: sql`runs r`, key: sql`r.project_id, r.id` },
  workflow_runs: { alias: "w", table: sql`workflow_runs w`, key: sql`w.project_id, w.id` },
  webhook_deliveries: { alias: "v", table: sql`webhook_deliveries v`, key: sql`v.project_id, v.id` },
  batch_operations: { alias: "b", table: sql`batch_operations b`, key: sql`b.project_id, b.id` },
};

/** Returns which of these ids the caller can see. */
export async function findVisible(ctx: ProjectCtx, name: keyof typeof TABLES, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { alias, table, key } = TABLES[name];
  const { rows } = await sql<{ id: string }>`
    select k.id from unnest(${ids}::uuid[]) as k(id), lateral (
      select 1 from ${table} where (${key}) = (${ctx.project_id}, k.id) and ${visible(ctx, name, alias)} offset 0
    ) found`.execute(ctx.db);
  return new Set(rows.map(({ id }) => id));
}

/** An event trigger as streams send it: without payload. */
export type TriggerState = FeedKey & {
  event_key: string;
  environment_id: string;
  job_run_id: string | null;
  workflow_run_id: string | null;
  status: string;
  updated_at: string;
};

/** Resolves keys for this caller: the waiting trigger, else the newest. */
export async function findTriggersByKey(ctx: ProjectCtx, keys: string[]): Promise<TriggerState[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<TriggerState>`
    select found.* from unnest(${keys}::text[]) as k(event_key), lateral (
      select ${OUTLINE} from event_triggers t
      where t.project_id = ${ctx.project_id} and t.event_key = k.event_key and t.wait_kind = 'event'
        and ${await visibleTrigger(ctx, "t")}
      order by t.status = 'waiting' desc, t.id desc limit 1
    ) found`.execute(ctx.db);
  return rows;
}

/** A trigger with the attributes of its waiting run that policies and limits check. */
export type TaggedTrigger = {
  trigger: TriggerState;
  tags: Record<string, string>;
  job_id: string | null;
  workflow_id: string | null;
};

/** Reads triggers of any project, for all listeners. */
export async function readTriggers(ctx: Ctx, keys: FeedKey[]): Promise<TaggedTrigger[]> {
  const { rows } = await sql<TriggerState & Omit<TaggedTrigger, "trigger">>`
    select ${OUTLINE}, coalesce(r.tags, w.tags, '{}') as tags, r.job_id, w.workflow_id
    from json_to_recordset(${JSON.stringify(keys)}::json) as k(project_id uuid, id uuid), lateral (
      select * from event_triggers t where t.project_id = k.project_id and t.id = k.id offset 0
    ) t
    left join lateral (
      select r.tags, r.job_id from runs r where r.project_id = t.project_id and r.id = t.job_run_id offset 0
    ) r on true
    left join lateral (
      select w.tags, w.workflow_id from workflow_runs w where w.project_id = t.project_id and w.id = t.workflow_run_id offset 0
    ) w on true
    order by t.updated_at, t.id`.execute(ctx.db);
  return rows.map(({ tags, job_id, workflow_id, ...trigger }) => ({ trigger, tags, job_id, workflow_id }));
}

const OUTLINE = sql`t.project_id, t.id, t.event_key, t.environment_id, t.source_type, t.trigger_type, t.workflow_run_id,
  t.job_run_id, t.status, t.expires_at, t.requested_at, t.received_at, t.finished_at, t.updated_at`;

export type BatchState = { id: string; status: string; total: number; processed: number; updated_at: string };

export async function readBatches(ctx: ProjectCtx, ids: string[]): Promise<BatchState[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<BatchState>`
    select b.id, b.environment_id, b.kind, b.status, b.total, b.processed, b.succeeded, b.failed, b.skipped, b.updated_at
    from batch_operations b
    where b.project_id = ${ctx.project_id} and b.id = any(${ids}::uuid[]) order by b.id`.execute(ctx.db);
  return rows;
}
