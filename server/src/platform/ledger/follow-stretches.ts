import type { RawBuilder } from "kysely";
import type { Ctx, InTransaction } from "../context.ts";
import { inTransaction } from "../database/transaction.ts";
import { areRunsBusy } from "./are-runs-busy.ts";
import { holdPlace, movePlace } from "./hold-place.ts";
import { type LogStretch, nextStretch } from "./next-stretch.ts";
import type { LogTable } from "./read-log.ts";

type Summing = {
  /** Of its cursor; one for each log that it follows. */
  name: string;
  log: LogTable;
  /** Which rows are meant, for how much a turn takes. Whoever sums up asks for them again. */
  only?: RawBuilder<unknown>;
  /** About how many rows a turn takes: the database is at it for some tenths of a second at most. */
  most: number;
  /** What it makes of the stretch, in the transaction that moves its cursor: exactly once. */
  take: (tx: Ctx & InTransaction, stretch: LogStretch) => Promise<void>;
};

/**
 * As `followLog`, for those who sum up: the rows stay in the database. Begins at the start of the log, takes one turn at
 * a time while many runs move, and catches up once they rest. Answers whether there is more to sum up at once.
 */
export async function followStretches(ctx: Ctx, summing: Summing): Promise<boolean> {
  const hasMore = await takeTurn(ctx, summing);
  return hasMore && !(await areRunsBusy(ctx));
}

function takeTurn(ctx: Ctx, { name, log, only, most, take }: Summing): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const held = await holdPlace(tx, { name, from: "start" });
    if (!held) return false;
    const { stretch, place, has_more } = await nextStretch(tx, log, held, { most, ...(only && { only }) });
    if (stretch) await take(tx, stretch);
    await movePlace(tx, name, place);
    return has_more;
  });
}
