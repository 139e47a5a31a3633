import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { allInvariants, type InvariantCheck, MAX_COUNTED } from "./all-invariants.ts";

type Check = { name: string; violations: number };

/** Counts the violations of every invariant, and logs each that is new or gone. */
export async function checkInvariants(ctx: Ctx): Promise<boolean> {
  const checks: Check[] = [];
  for (const invariant of allInvariants) {
    checks.push({ name: invariant.name, violations: await countViolations(ctx, invariant) });
  }
  for (const { name, violations, was_violated } of await writeChecks(ctx, checks)) {
    if (violations > 0 && !was_violated) ctx.log.error({ invariant: name, violations }, "an invariant is violated");
    if (violations === 0 && was_violated) ctx.log.info({ invariant: name }, "an invariant holds again");
  }
  return false;
}

async function countViolations(ctx: Ctx, { violations }: InvariantCheck): Promise<number> {
  if (typeof violations === "function") return violations(ctx);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select 1 from (${violations}) v limit ${sql.lit(MAX_COUNTED)}) v`.execute(
    ctx.db,
  );
  return rows[0]?.count ?? 0;
}

async function writeChecks(ctx: Ctx, checks: Check[]): Promise<(Check & { was_violated: boolean })[]> {
  const names = checks.map(({ name }) => name);
  const violations = checks.map((check) => check.violations);
  const { rows } = await sql<Check & { was_violated: boolean }>`
    with checked as (
      select c.name, c.violations, i.violated_since from unnest(${names}::text[], ${violations}::int[]) as c(name, violations)
      left join invariants i on i.name = c.name
    ), written as (
      insert into invariants (name, violations, violated_since, checked_at)
      select c.name, c.violations, case when c.violations > 0 then coalesce(c.violated_since, clock()) end, clock()
      from checked c
      on conflict (name) do update
      set violations = excluded.violations, violated_since = excluded.violated_since, checked_at = excluded.checked_at
    )
    select c.name, c.violations, c.violated_since is not null as was_violated from checked c`.execute(ctx.db);
  return rows;
}
