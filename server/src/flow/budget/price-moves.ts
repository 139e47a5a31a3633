import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { priceOfDispatch } from "../dispatch-cost.ts";

/** A row of the log that ends a dispatch, a run, or both. */
export type Move = {
  project_id: string;
  run_id: string;
  ordinal: number;
  from_status: string | null;
  to_status: string;
  cause: string;
  attempt: number;
  created_at: string;
};

/** With the dispatch that it ended, if any: its time and the price of that. */
export type PricedMove = Move & { wall_ms: number; compute_microusd: number };

type Price = Pick<PricedMove, "run_id" | "ordinal" | "wall_ms" | "compute_microusd">;

export async function priceMoves(tx: Ctx & InTransaction, moves: readonly Move[]): Promise<PricedMove[]> {
  const given = moves.filter(endsDispatch).map(({ project_id, run_id, ordinal, created_at: ended_at }) => {
    return { project_id, run_id, ordinal, ended_at };
  });
  const { rows } = await sql<Price>`
    select t.run_id, t.ordinal, took.wall_ms, price.compute_microusd
    from json_to_recordset(${JSON.stringify(given)}::json) as t(
      project_id uuid, run_id uuid, ordinal int, ended_at timestamptz(3))
    ${priceOfDispatch()}`.execute(tx.db);
  const prices = new Map(rows.map((row) => [`${row.run_id}:${row.ordinal}`, row]));
  return moves.map((move) => {
    const price = prices.get(`${move.run_id}:${move.ordinal}`);
    return { ...move, wall_ms: price?.wall_ms ?? 0, compute_microusd: price?.compute_microusd ?? 0 };
  });
}

export function endsDispatch({ from_status }: Move): boolean {
  return from_status === "running";
}
