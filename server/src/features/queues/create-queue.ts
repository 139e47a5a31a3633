import type { ProblemError } from "@millrace/contract/schema/problem";
import { type CreateQueue, QUEUE_DEFAULTS } from "@millrace/contract/workers/queues";
import { refuseBoundKey } from "../../platform/access/environments.ts";
import { actorOf, createdBy } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { throwIssues } from "../../platform/errors/issues.ts";
import { newId } from "../../platform/ids.ts";
import { findQueue, insertQueue, type QueueRow } from "./queries.ts";

export async function createQueue(ctx: ProjectCtx, { project_id: _, ...body }: CreateQueue): Promise<QueueRow> {
  refuseBoundKey(ctx.caller, "queues are");
  const queue = { ...QUEUE_DEFAULTS, paused: false, ...body, id: newId(), ...createdBy(actorOf(ctx.caller)) };
  throwIssues(rateIssues(queue));
  return inTransaction(ctx, async (tx) => {
    if (!(await insertQueue(tx, queue)))
      throw new ApiError("queue_taken", `The project already has a queue named ${queue.name}.`);
    const after = (await findQueue(tx, queue.name)) as QueueRow;
    await recordAudit(tx, { action: "queue.created", resource_type: "queue", resource_id: after.id, after });
    return after;
  });
}

export function rateIssues(queue: Pick<QueueRow, "rate_limit_max" | "rate_limit_window_secs">): ProblemError[] {
  const { rate_limit_max, rate_limit_window_secs } = queue;
  if ((rate_limit_max === null) === (rate_limit_window_secs === null)) return [];
  const missing = rate_limit_max === null ? "rate_limit_max" : "rate_limit_window_secs";
  const message = "is required: rate_limit_max and rate_limit_window_secs are given together";
  return [{ location: `body.${missing}`, message, value: null }];
}
