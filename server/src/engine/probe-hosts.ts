import { laneKey } from "../flow/runs/claim/lanes.ts";
import { type HostKey, type Probe, recordProbe, takeProbes, unblockProbes } from "../flow/runs/dispatch/circuits.ts";
import { beginRelease, closeUnreachable } from "../flow/runs/dispatch/unreachable-hosts.ts";
import { releasedIn } from "../flow/runs/dispatch/unreachable-rules.ts";
import type { Ctx } from "../platform/context.ts";

export type HostProber = {
  /** Probes the hosts with open circuits that are due. */
  probe: () => Promise<void>;
  idle: () => Promise<void>;
};

/**
 * A failing host is probed with one run. For an unreachable host, a connection is tested first, so that no run is
 * dispatched in vain. Then its runs are released, a few more in each second. `claimProbes` claims and dispatches
 * unblocked runs.
 */
export function openHostProber(ctx: Ctx, claimProbes: (host: HostKey, count: number) => Promise<void>): HostProber {
  /** Not awaited by `probe`: a host that does not answer takes ten seconds, and must not delay the others. */
  const connecting = new Map<string, Promise<void>>();

  async function release(host: HostKey, count: number): Promise<void> {
    await unblockProbes(ctx, host, count);
    await claimProbes(host, count);
  }

  async function connect({ project_id, host, origin }: Probe): Promise<void> {
    const failure = origin === null ? undefined : await ctx.outgoing.tryConnect(origin);
    if (failure) await recordProbe(ctx, { project_id, host }, false, failure.message);
    else if (await beginRelease(ctx, { project_id, host })) await release({ project_id, host }, 1);
  }

  function connectSoon(probe: Probe): void {
    const lane = laneKey(probe);
    if (connecting.has(lane)) return;
    const done = connect(probe)
      .catch((error) => ctx.log.debug({ reason: (error as Error).message }, "a host could not be probed"))
      .finally(() => connecting.delete(lane));
    connecting.set(lane, done);
  }

  async function probeOne(probe: Probe): Promise<void> {
    const { project_id, host, cause, good_probes } = probe;
    if (cause === "failing") return release({ project_id, host }, 1);
    if (good_probes === 0) return connectSoon(probe);
    const count = releasedIn(good_probes);
    if (count === undefined) await closeUnreachable(ctx, { project_id, host });
    else await release({ project_id, host }, count);
  }

  return {
    probe: async () => {
      for (const probe of await takeProbes(ctx)) await probeOne(probe);
    },
    idle: async () => void (await Promise.all(connecting.values())),
  };
}
