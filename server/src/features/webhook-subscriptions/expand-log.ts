import { consumeLog } from "../../platform/changelog/consume-log.ts";
import type { LogTable } from "../../platform/changelog/read-log.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { SUBSCRIBED_ONLY } from "./subscribed-only.ts";

type LogPublisher<T> = {
  name: string;
  log: LogTable;
  /** Inserts deliveries for the rows. */
  publish: (tx: Ctx & InTransaction, rows: readonly T[]) => Promise<void>;
};

/** Consumes a log and inserts deliveries for its subscribers. True: there is more. */
export function expandLog<T extends object>(ctx: Ctx, { name, log, publish }: LogPublisher<T>): Promise<boolean> {
  return consumeLog<T>(ctx, { name, log, only: SUBSCRIBED_ONLY, take: publish });
}
