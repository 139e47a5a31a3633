import { isDeepStrictEqual } from "node:util";
import type { CanaryComparison, UpdateCanary } from "@millrace/contract/canaries";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { throwIssues } from "../../../platform/errors/throw-issues.ts";
import { compareVersions } from "./canary-metrics.ts";
import { raiseRevision, updateActiveCanary } from "./canary-queries.ts";
import { canaryEnded, lockActiveCanary } from "./lock-active-canary.ts";
import { presentCanary } from "./present-canary.ts";
import { readAutoPromote } from "./read-auto-promote.ts";

/** Changes the share or the configuration of the active canary. An update that changes nothing writes nothing. */
export async function updateCanary(ctx: ProjectCtx, ref: string, body: UpdateCanary): Promise<CanaryComparison> {
  const { config, issues } = readAutoPromote(body.auto_promote_config);
  throwIssues(issues);
  const changed = await inTransaction(ctx, async (tx) => {
    const { workflow, canary } = await lockActiveCanary(tx, ref);
    const traffic_pct = body.traffic_pct ?? canary.traffic_pct;
    const wanted = body.auto_promote_config === undefined ? canary.auto_promote_config : config;
    const before = presentCanary(canary);
    if (traffic_pct === canary.traffic_pct && isDeepStrictEqual(wanted, canary.auto_promote_config)) return canary;
    const row = await updateActiveCanary(tx, { ...canary, traffic_pct, auto_promote_config: wanted });
    if (!row) throw canaryEnded(canary);
    await raiseRevision(tx, workflow);
    const after = presentCanary(row);
    await recordAudit(tx, { action: "canary.updated", resource_type: "canary", resource_id: row.id, before, after });
    return row;
  });
  return { ...presentCanary(changed), metrics: await compareVersions(ctx, changed) };
}
