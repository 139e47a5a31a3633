import { followLog } from "../../platform/changelog/follow-log.ts";
import type { LogTable } from "../../platform/changelog/read-log.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { SUBSCRIBED_ONLY } from "./subscribed-only.ts";

type Telling<T> = {
  name: string;
  log: LogTable;
  /** Makes deliveries of the rows, and answers how many. */
  tell: (tx: Ctx & InTransaction, rows: readonly T[]) => Promise<number>;
};

/** Makes deliveries of what a log tells, for those who subscribed. True: there is more. */
export async function expandLog<T extends object>(ctx: Ctx, { name, log, tell }: Telling<T>): Promise<boolean> {
  let made = 0;
  const isMore = await followLog<T>(ctx, {
    ...{ name, log, only: SUBSCRIBED_ONLY },
    take: async (tx, rows) => {
      made = await tell(tx, rows);
    },
  });
  if (made > 0) ctx.wakeup.wake("deliveries");
  return isMore;
}
