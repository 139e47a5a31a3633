import { nextRange } from "../changelog/log-range.ts";
import type { Ctx } from "../context.ts";
import { sql } from "../database/sql.ts";
import { changesIn, type StateKind, type Watched } from "./change-slices.ts";
import type { RowPosition } from "./stream-position.ts";

/** A change as streams send it: what changed and where, without payloads. */
export type Change = RowPosition & {
  position: number;
  ms: number;
  kind: "run" | "workflow_run" | "run_log" | StateKind;
  project_id: string;
  /** Of the run, workflow run, delivery or batch operation. */
  object_id: string;
  environment_id: string | null;
  tags: Record<string, string>;
  data: Record<string, unknown>;
};

/** Everything up to `upTo` was read; with `has_more` there is more after it. */
export type ChangeSlice = { changes: Change[]; upTo: number; ms: number; has_more: boolean };

/**
 * Returns the watched changes after a position, in order. The log is first limited to `max` changes and then filtered,
 * so that a pass is bounded.
 */
export async function readChanges(ctx: Ctx, after: number, watched: Watched, max: number): Promise<ChangeSlice> {
  const { range, has_more } = await nextRange(ctx, after, max);
  // Taken after the read, so no change in the range is newer than this time.
  const ms = ctx.watch.nowMs();
  if (!range) return { changes: [], upTo: after, ms: Math.floor(ms), has_more };
  const { rows } = await sql<Found>`
    ${changesIn(range, watched)} order by position, log, id, ordinal`.execute(ctx.db);
  return { changes: rows.map(presentChange), upTo: range.to, ms: Math.floor(ms), has_more };
}

type Found = {
  position: number;
  log: number;
  id: string;
  ordinal: number;
  project_id: string;
  object_id: string;
  created_at: string;
  environment_id: string | null;
  tags: Record<string, string>;
  data: Record<string, unknown>;
};

const KINDS = ["run", "workflow_run", "run_log", "webhook_delivery", "batch_operation"] as const;

function presentChange(row: Found): Change {
  const { position, log, id, ordinal, project_id, object_id, created_at, environment_id, tags, data } = row;
  const kind = KINDS[log] ?? "run";
  return {
    ...{ position, ms: Date.parse(created_at), log, id, ordinal, kind, project_id, object_id },
    ...{ environment_id, tags, data: { ...data, ordinal, at: created_at } },
  };
}
