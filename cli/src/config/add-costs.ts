import type { CostReport } from "@millrace/contract/analytics/cost-report";
import { type Client, PermissionError } from "@millrace/sdk";
import type { Change } from "./make-plan.ts";

const DAYS = 30;
const MAX_GROUPS = 100;
const GROUPS = { job: "jobs", workflow: "workflows", schedule: "schedules" } as const;

/** Adds the recent costs of changed and deleted jobs, workflows and schedules to the plan. */
export async function addCosts(client: Client, changes: readonly Change[]): Promise<void> {
  const charged = changes.filter(({ item }) => item.kind.kind in GROUPS);
  if (charged.length === 0) return;
  const report = await readCosts(client);
  for (const { item, remote, notes } of charged) {
    const { groups } = report?.[GROUPS[item.kind.kind as keyof typeof GROUPS]] ?? { groups: [] };
    const found = groups.find(({ id }) => id === remote?.id);
    if (found && found.total_microusd > 0) notes.push(`cost ${dollars(found)} in the last ${DAYS} days`);
  }
}

/** A key that may change objects may lack the permission to read costs. */
async function readCosts(client: Client): Promise<CostReport | undefined> {
  const from = new Date(Date.now() - DAYS * 86_400_000).toISOString();
  try {
    return await client.request<CostReport>("GET", "/v1/analytics/costs", { query: { from, limit: MAX_GROUPS } });
  } catch (error) {
    if (error instanceof PermissionError) return undefined;
    throw error;
  }
}

function dollars({ total_microusd, dispatches }: { total_microusd: number; dispatches: number }): string {
  const total = `$${(total_microusd / 1_000_000).toFixed(2)}`;
  return dispatches === 0
    ? total
    : `${total}, $${(total_microusd / dispatches / 1_000_000).toFixed(6)} for each dispatch,`;
}
