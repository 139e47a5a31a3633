import { consumeLog } from "../../platform/changelog/consume-log.ts";
import type { LogTable } from "../../platform/changelog/read-log.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { SUBSCRIBED_ONLY } from "./subscribed-only.ts";

type LogPublisher<T> = {
  name: string;
  log: LogTable;
  /** Inserts deliveries for the rows, and returns how many. */
  publish: (tx: Ctx & InTransaction, rows: readonly T[]) => Promise<number>;
};

/** Consumes a log and inserts deliveries for its subscribers. True: there is more. */
export async function expandLog<T extends object>(ctx: Ctx, { name, log, publish }: LogPublisher<T>): Promise<boolean> {
  let made = 0;
  const isMore = await consumeLog<T>(ctx, {
    ...{ name, log, only: SUBSCRIBED_ONLY },
    take: async (tx, rows) => {
      made = await publish(tx, rows);
    },
  });
  if (made > 0) ctx.wakeup.wake("deliveries");
  return isMore;
}
