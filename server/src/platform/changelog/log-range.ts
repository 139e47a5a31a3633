import type { Ctx } from "../context.ts";
import { type Sql, sql } from "../database/sql.ts";
import type { ChangeKind } from "./append-changes.ts";

/** Positions after `after`, up to and including `to`. */
export type Positions = { after: number; to: number };
/** Positions with the kinds of changes at them. */
export type LogRange = Positions & { kinds: ReadonlySet<ChangeKind> };

/**
 * The next range of the changelog: as many rows as hold about `max` changes, counting all of them, wanted or not. A
 * row is never divided, so a range may hold more.
 */
export async function nextRange(
  ctx: Ctx,
  after: number,
  max: number,
): Promise<{ range: LogRange | undefined; has_more: boolean }> {
  const { rows } = await sql<{ to: number | null; kinds: ChangeKind[] | null; head: number }>`
    /* prepared */
    select found.to, found.kinds, h.position as head from changelog_head h cross join lateral (
      select max(c.position) as to, array_agg(distinct c.kind) as kinds from (
        select c.position, c.kind, c.size, sum(c.size) over (order by c.position) as total from (
          select c.position, c.kind, cardinality(c.ids) as size from changelog c
          where c.position > (select ${after}::bigint) order by c.position limit (select ${max}::int)
        ) c
      ) c where c.total - c.size < (select ${max}::int)
    ) found`.execute(ctx.db);
  const [found] = rows;
  if (!found) throw new Error("the changelog has no head");
  const { to, kinds, head } = found;
  if (to === null) return { range: undefined, has_more: false };
  return { range: { after, to, kinds: new Set(kinds) }, has_more: to < head };
}

/** The changes of runs in a range, as rows `l` with the columns of a transition; `where` restricts the rows `c`. */
export function runChanges(range: Positions, where = sql`true`): Sql {
  return sql`(
    select c.position, c.project_id, c.created_at, m.run_id, m.ordinal, m.from_status, m.to_status, m.cause, m.attempt
    from changelog c cross join lateral unnest(
      c.ids, c.ordinals, c.from_statuses, c.to_statuses, c.causes, c.attempts
    ) as m(run_id, ordinal, from_status, to_status, cause, attempt)
    where ${isWithin(range)} and c.kind = 'run' and ${where}
  ) l`;
}

/** The decisions in a range, as rows `l` of `workflow_decisions` with their position. */
export function decisions(range: Positions): Sql {
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
export function usage(range: Positions): Sql {
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
export function isWithin({ after, to }: Positions): Sql {
  return sql`c.position > (select ${after}::bigint) and c.position <= (select ${to}::bigint)`;
}

/**
 * The changes of a kind that the consumer at `position` has not read, sequenced or not, as rows `u`. In one snapshot,
 * everything committed is either among them or was read.
 */
export function unread(kind: ChangeKind, position: number): Sql {
  return sql`(
    select c.project_id, c.ids, c.ordinals, c.created_at from changelog c
    where c.position > ${position} and c.kind = ${sql.lit(kind)}
    union all
    select i.project_id, i.ids, i.ordinals, i.created_at from changelog_inbox i
    where i.id > (select h.scan_after from changelog_head h) and i.kind = ${sql.lit(kind)}
  ) u`;
}
