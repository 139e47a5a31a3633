import type { Ctx, InTransaction } from "../context.ts";
import { type LogStretch, nextStretch } from "./next-stretch.ts";
import { type Follower, takeTurn } from "./take-turn.ts";

type StretchFollower = Follower & {
  /** About how many rows of the log a turn goes over: the database is at it for some tenths of a second at most. */
  most: number;
  /** What it makes of the stretch, in the transaction that moves its cursor: exactly once. */
  take: (tx: Ctx & InTransaction, stretch: LogStretch) => Promise<void>;
};

/**
 * One turn of a task that lets the database sum up or join the rows of a log where they lie: a turn is bounded by all of
 * them, wanted or not, and none need come to us. Where code must see each row, or few are wanted, use `followLog`.
 */
export function followStretches(ctx: Ctx, follower: StretchFollower): Promise<boolean> {
  return takeTurn(ctx, follower, async (tx, place) => {
    const next = await nextStretch(tx, follower.log, place, follower.most);
    if (next.stretch) await follower.take(tx, next.stretch);
    return next;
  });
}
