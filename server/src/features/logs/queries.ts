import type { RunLog } from "@millrace/contract/run-records";
import { type RawBuilder, sql } from "kysely";
import type { ProjectCtx } from "../../platform/context.ts";

/** The position of a line in the order. */
export type Position = { created_at: string; id: string };

/** The lines of `run_logs l` from a position on. */
type Part = {
  orderBy: RawBuilder<unknown>;
  isAscending: boolean;
  /** The filters that an index supports: time and run. */
  span: RawBuilder<unknown>;
  after: RawBuilder<unknown>;
};

/** The position of the `count`-th line of a part; null: there are fewer. */
export async function findNthLine(
  ctx: ProjectCtx,
  { orderBy, span, after }: Part,
  count: number,
): Promise<Position | null> {
  const { rows } = await sql<Position>`
    select l.created_at, l.id from run_logs l where l.project_id = ${ctx.project_id} ${span} ${after}
    ${orderBy} limit 1 offset ${count - 1}`.execute(ctx.db);
  return rows[0] ?? null;
}

type Wanted = Part & { upTo: Position | null; conditions: RawBuilder<unknown> };

export async function readLines(ctx: ProjectCtx, wanted: Wanted, limit: number): Promise<RunLog[]> {
  const { orderBy, span, after, upTo, conditions } = wanted;
  const end = upTo ? notBeyond(upTo, wanted.isAscending) : sql``;
  const { rows } = await sql<RunLog>`
    select l.id, l.run_id, l.job_id, l.attempt, l.level, l.message, l.fields, l.logged_at, l.created_at
    from run_logs l
    where l.project_id = ${ctx.project_id} ${span} ${after} ${end} ${conditions}
    ${orderBy} limit ${limit}`.execute(ctx.db);
  return rows;
}

/** Matches the lines after a position. */
export function beyond({ created_at, id }: Position, isAscending: boolean): RawBuilder<unknown> {
  const comparison = isAscending ? sql`>` : sql`<`;
  return sql`and (l.created_at, l.id) ${comparison} (${created_at}::timestamptz, ${id}::uuid)`;
}

function notBeyond({ created_at, id }: Position, isAscending: boolean): RawBuilder<unknown> {
  const comparison = isAscending ? sql`<=` : sql`>=`;
  return sql`and (l.created_at, l.id) ${comparison} (${created_at}::timestamptz, ${id}::uuid)`;
}
