import { releaseDrainsOf } from "../features/log-drains/claim-drains.ts";
import { markGone } from "../features/operations/mark-gone.ts";
import { releaseSourcesOf } from "../features/outbox-sources/claim-sources.ts";
import { releaseDeliveriesOf } from "../features/webhook-deliveries/claim-deliveries.ts";
import { expireLeases } from "../flow/runs/maintain/sweep-leases.ts";
import { progressOrphans } from "../flow/workflows/maintain/reconcile-workflows.ts";
import { releaseBatchesOf } from "../platform/batches/claim-batch.ts";
import type { Ctx } from "../platform/context.ts";
import { releaseOutboxOf } from "../platform/outbox/claim-outbox.ts";
import { perService } from "../platform/service-state.ts";
import { releaseLeaderLeasesOf } from "./leader-lease.ts";

/**
 * Releases the leases of dead instances, which would otherwise expire half a minute later. A living instance that is
 * mistaken for dead loses its leases, and fencing rejects its reports. Also progresses workflow runs whose steps had
 * ended: an instance remembers these only in memory.
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
    releaseSourcesOf,
    expireLeases,
  ];
  for (const release of releases) await release(ctx, gone);
  const known = rescuedBy(ctx);
  if (gone.some((id) => !known.ids.has(id))) await progressOrphans(ctx);
  known.ids = new Set(gone);
  return false;
}

/** An instance counts as gone for some minutes, but its workflow runs need to be progressed once. */
const rescuedBy = perService((_: Ctx) => ({ ids: new Set<string>() }));
