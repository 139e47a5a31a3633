import { sql } from "kysely";
import { priceOfDispatch } from "../../flow/dispatch-cost.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import type { Dispatch } from "./costs-book.ts";

export type Move = Pick<Dispatch, "project_id" | "run_id" | "to_status" | "cause"> & {
  ordinal: number;
  attempt: number;
  created_at: string;
};

/** Usage is reported under the lease of its attempt: with the move that ends the attempt all of it is there. */
export async function readDispatches(tx: Ctx & InTransaction, moves: readonly Move[]): Promise<Dispatch[]> {
  const given = moves.map(({ project_id, run_id, ordinal, attempt, to_status, cause, created_at }) => ({
    ...{ project_id, run_id, ordinal, attempt, to_status, cause },
    ended_at: created_at,
  }));
  const { rows } = await sql<Dispatch>`
    /* kept */
    select t.project_id, t.run_id, t.to_status, t.cause, t.ended_at, took.wall_ms, price.compute_microusd, u.reported_microusd
    from json_to_recordset(${JSON.stringify(given)}::json) as t(
      project_id uuid, run_id uuid, ordinal int, attempt int, to_status text, cause text, ended_at timestamptz(3))
    ${priceOfDispatch()}
    cross join lateral (
      select least(coalesce(sum(u.cost_microusd), 0), ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint as reported_microusd
      from run_usage u where u.project_id = t.project_id and u.run_id = t.run_id and u.attempt = t.attempt offset 0
    ) u`.execute(tx.db);
  return rows;
}
