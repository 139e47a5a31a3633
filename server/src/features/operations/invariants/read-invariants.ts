import type { Invariant, Invariants } from "@millrace/contract/service/invariants";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { allInvariants } from "./all-invariants.ts";

/** Four intervals of the task: one slow pass is no alarm. */
const FRESH_SECS = 60;
const NO_ENGINE = "No engine instance checks it: start one, or find in its log why the task `check-invariants` fails.";

type Row = Pick<Invariant, "name" | "violations" | "violated_since" | "checked_at"> & { is_fresh: boolean };
type Repaired = { kind: string; count: number; repaired_at: string };

export async function readInvariants(ctx: Ctx): Promise<Invariant[]> {
  const [{ rows }, { rows: repairs }] = await Promise.all([
    sql<Row>`
      select name, violations, violated_since, checked_at,
        checked_at > clock() - ${FRESH_SECS} * interval '1 second' as is_fresh from invariants limit 100`.execute(
      ctx.db,
    ),
    sql<Repaired>`select kind, count::float8 as count, repaired_at from repairs limit 100`.execute(ctx.db),
  ]);
  return allInvariants.map(({ name, guarantee, remedy, repairs: kinds }) => {
    const row = rows.find((each) => each.name === name);
    const made = repairs.filter(({ kind }) => kinds.includes(kind));
    const status = row?.is_fresh ? (row.violations > 0 ? "violated" : "ok") : "unchecked";
    return {
      name,
      guarantee,
      status,
      violations: row?.violations ?? 0,
      violated_since: row?.violated_since ?? null,
      checked_at: row?.checked_at ?? null,
      repaired: made.reduce((sum, { count }) => sum + count, 0),
      repaired_at:
        made
          .map(({ repaired_at }) => repaired_at)
          .toSorted()
          .at(-1) ?? null,
      remedy: { ok: "", violated: remedy, unchecked: NO_ENGINE }[status],
    };
  });
}

export function worstOf(invariants: readonly Invariant[]): Invariants["status"] {
  const found = new Set(invariants.map(({ status }) => status));
  if (found.has("violated")) return "violated";
  return found.has("unchecked") ? "unchecked" : "ok";
}
