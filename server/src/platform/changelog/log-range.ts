import { type RawBuilder, sql } from "kysely";
import type { Ctx } from "../context.ts";
import type { ChangeKind } from "./append-changes.ts";

/** A range of positions: after `after`, up to and including `to`. */
export type LogRange = { after: number; to: number };

/**
 * The next range of the changelog: as many rows as hold about `most` changes, counting all of them, wanted or not. A
 * row is never divided, so a range may hold more.
 */
export async function nextRange(
  ctx: Ctx,
  after: number,
  most: number,
): Promise<{ range: LogRange | undefined; has_more: boolean }> {
  const { rows } = await sql<{ to: number | null; head: number }>`
    /* prepared */
    select (
      select max(c.position) from (
        select c.position, c.size, sum(c.size) over (order by c.position) as total from (
          select c.position, cardinality(c.ids) as size from changelog c
          where c.position > (select ${after}::bigint) order by c.position limit (select ${most}::int)
        ) c
      ) c where c.total - c.size < (select ${most}::int)
    ) as to, h.position as head from changelog_head h`.execute(ctx.db);
  const [found] = rows;
  if (!found) throw new Error("the changelog has no head");
  if (found.to === null) return { range: undefined, has_more: false };
  return { range: { after, to: found.to }, has_more: found.to < found.head };
}

/** The changes of runs in a range, as rows `l` with the columns of a transition. */
export function runChanges(range: LogRange): RawBuilder<unknown> {
  return sql`(
    select c.position, c.project_id, c.created_at, m.run_id, m.ordinal, m.from_status, m.to_status, m.cause, m.attempt
    from changelog c cross join lateral unnest(
      c.ids, c.ordinals, c.from_statuses, c.to_statuses, c.causes, c.attempts
    ) as m(run_id, ordinal, from_status, to_status, cause, attempt)
    where ${isWithin(range)} and c.kind = 'run'
  ) l`;
}

/** The decisions in a range, as rows `l` of `workflow_decisions` with their position. */
export function decisions(range: LogRange): RawBuilder<unknown> {
  return sql`(
    select c.position, d.* from changelog c
    cross join lateral unnest(c.ids, c.ordinals) as m(workflow_run_id, ordinal)
    cross join lateral (
      select d.* from workflow_decisions d
      where d.project_id = c.project_id and d.workflow_run_id = m.workflow_run_id and d.ordinal = m.ordinal
        and d.created_at = c.created_at offset 0
    ) d
    where ${isWithin(range)} and c.kind = 'workflow_run'
  ) l`;
}

/** The usage reported in a range, as rows `l` of `run_usage`. */
export function usage(range: LogRange): RawBuilder<unknown> {
  return sql`(
    select u.* from changelog c
    cross join lateral unnest(c.ids, c.row_ids) as m(run_id, id)
    cross join lateral (
      select u.* from run_usage u where u.project_id = c.project_id and u.run_id = m.run_id and u.id = m.id offset 0
    ) u
    where ${isWithin(range)} and c.kind = 'run_usage'
  ) l`;
}

/**
 * In subselects, so that the planner does not see the values: with them a custom plan would look cheaper than the
 * generic one, and PostgreSQL would plan every pass, which takes longer than most passes.
 */
export function isWithin({ after, to }: LogRange): RawBuilder<unknown> {
  return sql`c.position > (select ${after}::bigint) and c.position <= (select ${to}::bigint)`;
}

/**
 * The changes of a kind that the consumer at `position` has not read, sequenced or not, as rows `u`. In one snapshot,
 * everything committed is either among them or was read.
 */
export function unread(kind: ChangeKind, position: number): RawBuilder<unknown> {
  return sql`(
    select c.project_id, c.ids, c.ordinals, c.created_at from changelog c
    where c.position > ${position} and c.kind = ${sql.lit(kind)}
    union all
    select i.project_id, i.ids, i.ordinals, i.created_at from changelog_inbox i where i.kind = ${sql.lit(kind)}
  ) u`;
}
