import type { Ctx, InTransaction } from "../context.ts";
import { type LogStretch, nextStretch } from "./next-stretch.ts";
import { type Follower, takeTurn } from "./take-turn.ts";

type StretchFollower = Follower & {
  /** About how many rows of the log a pass covers: some tenths of a second in the database at most. */
  most: number;
  /** Processes the range, in the transaction that moves the cursor: exactly once. */
  take: (tx: Ctx & InTransaction, stretch: LogStretch) => Promise<void>;
};

/**
 * One pass of a task that lets the database aggregate or join the rows of a log: a pass is bounded by all rows, wanted
 * or not, and none are sent to the service. If code needs each row, or only few are wanted, use `followLog`.
 */
export function followStretches(ctx: Ctx, follower: StretchFollower): Promise<boolean> {
  return takeTurn(ctx, follower, async (tx, place) => {
    const next = await nextStretch(tx, follower.log, place, follower.most);
    if (next.stretch) await follower.take(tx, next.stretch);
    return next;
  });
}
