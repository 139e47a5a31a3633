import { releaseDrainsOf } from "../features/log-drains/claim-drains.ts";
import { markGone } from "../features/operations/mark-gone.ts";
import { releaseDeliveriesOf } from "../features/webhook-deliveries/claim-deliveries.ts";
import { expireLeases } from "../flow/expire-leases.ts";
import type { Ctx } from "../platform/context.ts";
import { releaseOutboxOf } from "../platform/ledger/claim-outbox.ts";
import { releaseBatchesOf } from "../platform/ledger/take-batch.ts";
import { releaseLeaderLeasesOf } from "./leader-lease.ts";

/**
 * Takes back what instances held that are gone: their leases would run out by themselves, half a minute later. Whoever
 * was only taken for gone finds its leases lost, and what it still reports is refused by the fence.
 */
export async function rescueOrphans(ctx: Ctx): Promise<boolean> {
  const gone = await markGone(ctx);
  if (gone.length === 0) return false;
  const releases = [
    releaseLeaderLeasesOf,
    releaseOutboxOf,
    releaseBatchesOf,
    releaseDeliveriesOf,
    releaseDrainsOf,
    expireLeases,
  ];
  for (const release of releases) await release(ctx, gone);
  return false;
}
