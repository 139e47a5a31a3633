import type { Canary } from "@millrace/contract/canaries";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { endCanary } from "./end-canary.ts";
import { canaryEnded, lockActiveCanary } from "./lock-active-canary.ts";
import { presentCanary } from "./present-canary.ts";

/** Ends the active canary on request. Runs keep the version they were started with. */
export async function decideCanary(ctx: ProjectCtx, ref: string, status: "promoted" | "rolled_back"): Promise<Canary> {
  return inTransaction(ctx, async (tx) => {
    const { canary } = await lockActiveCanary(tx, ref);
    const ended = await endCanary(tx, canary, status);
    if (!ended) throw canaryEnded(canary);
    const { row, entry } = ended;
    const [before, after] = [presentCanary(canary), presentCanary(row)];
    await recordAudit(tx, { action: `canary.${status}`, resource_type: "canary", resource_id: row.id, before, after });
    if (entry) await recordAudit(tx, entry);
    return after;
  });
}
