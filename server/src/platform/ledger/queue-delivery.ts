import type { Ctx, InTransaction } from "../context.ts";
import { type NewDelivery, queueDeliveries } from "./queue-deliveries.ts";

/** Puts one webhook into the outbox, in the transaction of what it tells. Answers its id. */
export async function queueDelivery(ctx: Ctx & InTransaction, delivery: NewDelivery): Promise<string> {
  const [id] = await queueDeliveries(ctx, [delivery]);
  if (id === undefined) throw new Error("the delivery was not queued");
  return id;
}
