import type { ClaimedRun } from "../flow/runs/claim/claimed-run.ts";
import { laneKey } from "../flow/runs/claim/lanes.ts";
import { cachedVersion } from "../flow/runs/create/job-version.ts";
import { isSuccess, openCircuitMeter } from "../flow/runs/dispatch/circuit-meter.ts";
import {
  blockLane,
  type HostKey,
  listUnhealthyHosts,
  openCircuit,
  recordProbe,
} from "../flow/runs/dispatch/circuits.ts";
import type { Outcome } from "../flow/runs/dispatch/outcome.ts";
import {
  recordFirstResponses,
  recordReached,
  recordUnreachableHost,
  type UnreachableHost,
} from "../flow/runs/dispatch/unreachable-hosts.ts";
import type { Ctx } from "../platform/context.ts";

export type HostWatch = {
  /** Its circuit is open: claimable runs there are blocked instead of claimed. */
  isCircuitOpen: (lane: HostKey) => boolean;
  /** A host is failing or cannot be reached. */
  hasUnhealthyHosts: () => boolean;
  /** Updates a host's health from a dispatch. */
  record: (run: ClaimedRun, outcome: Outcome, isProbe: boolean) => void;
  /** Reads the open circuits, which all instances share. */
  refresh: () => Promise<void>;
  hasUnwrittenResponses: () => boolean;
  /** Writes which hosts have responded for the first time since this instance was started. */
  writeFirstResponses: () => Promise<void>;
};

/** The failing hosts to which this instance does not dispatch, and those it could not reach. */
export function openHostWatch(ctx: Ctx): HostWatch {
  const meter = openCircuitMeter();
  const openCircuits = new Set<string>();
  /** Hosts that could not be reached recently, but whose circuits are still closed. */
  const unreached = new Set<string>();
  const firstResponses = openFirstResponses(ctx);
  /** Corrected by the host's next failure, or by the next probe. */
  const ignoreUnwritten = ({ message }: Error) => ctx.log.debug({ reason: message }, "a circuit could not be written");
  const failures = collectFailures(async (host) => {
    await recordUnreachableHost(ctx, host);
    await refresh();
    if (openCircuits.has(laneKey(host))) await blockLane(ctx, host);
  });

  async function recordResponse(run: ClaimedRun, outcome: Outcome, isProbe: boolean): Promise<void> {
    const isGood = isSuccess(outcome);
    if (isGood === undefined) return;
    const [{ project_id, host }, lane] = [run, laneKey(run)];
    if (outcome.http_status !== undefined) firstResponses.add(run);
    if (isProbe) return recordProbe(ctx, { project_id, host }, isGood, isGood ? undefined : reasonOf(outcome));
    if (outcome.http_status !== undefined && unreached.delete(lane)) await recordReached(ctx, { project_id, host });
    const isBroken = meter.record(lane, isGood, performance.now());
    if (!isBroken || openCircuits.has(lane)) return;
    openCircuits.add(lane);
    await openCircuit(ctx, { project_id, host }, reasonOf(outcome));
    await blockLane(ctx, { project_id, host });
  }

  function recordUnreachable(run: ClaimedRun, reason: string): Promise<void> {
    const { project_id, host } = run;
    unreached.add(laneKey(run));
    return failures.add({ project_id, host, origin: originOf(ctx, run), reason });
  }

  async function refresh(): Promise<void> {
    const unhealthy = await listUnhealthyHosts(ctx);
    const open = new Set(unhealthy.filter((host) => host.is_open).map(laneKey));
    for (const lane of openCircuits) if (!open.has(lane)) meter.reset(lane);
    openCircuits.clear();
    for (const lane of open) openCircuits.add(lane);
    unreached.clear();
    for (const host of unhealthy) if (!host.is_open) unreached.add(laneKey(host));
  }

  return {
    hasUnhealthyHosts: () => openCircuits.size > 0 || unreached.size > 0,
    isCircuitOpen: (lane) => openCircuits.size > 0 && openCircuits.has(laneKey(lane)),
    record: (run, outcome, isProbe) => {
      // Nearly all cases: nothing to write.
      if (!isProbe && unreached.size === 0 && isSuccess(outcome)) {
        meter.record(laneKey(run), true, performance.now());
        firstResponses.add(run);
      } else if (outcome.kind === "unreachable") recordUnreachable(run, outcome.error.message).catch(ignoreUnwritten);
      else recordResponse(run, outcome, isProbe).catch(ignoreUnwritten);
    },
    refresh,
    hasUnwrittenResponses: firstResponses.hasUnwritten,
    writeFirstResponses: firstResponses.write,
  };
}

/** Beyond this, they are written once more. */
const MAX_KNOWN = 100_000;

/** The hosts that have responded to this instance. */
function openFirstResponses(ctx: Ctx) {
  const known = new Set<string>();
  const unwritten = new Map<string, HostKey>();
  return {
    hasUnwritten: () => unwritten.size > 0,
    write: async (): Promise<void> => {
      const hosts = [...unwritten.values()];
      if (hosts.length > 0) await recordFirstResponses(ctx, hosts);
      for (const host of hosts) unwritten.delete(laneKey(host));
    },
    add: ({ project_id, host }: HostKey): void => {
      const lane = laneKey({ project_id, host });
      if (known.has(lane)) return;
      if (known.size >= MAX_KNOWN) known.clear();
      known.add(lane);
      unwritten.set(lane, { project_id, host });
    },
  };
}

/** Writes the failures of a host one after the other: those that happen meanwhile are written together. */
function collectFailures(write: (host: UnreachableHost) => Promise<void>) {
  const waiting = new Map<string, UnreachableHost>();
  const writing = new Set<string>();

  async function writeAll(lane: string): Promise<void> {
    writing.add(lane);
    try {
      for (let next = waiting.get(lane); next; next = waiting.get(lane)) {
        waiting.delete(lane);
        await write(next);
      }
    } finally {
      writing.delete(lane);
    }
  }

  return {
    add: async (host: Omit<UnreachableHost, "failures">): Promise<void> => {
      const lane = laneKey(host);
      waiting.set(lane, { ...host, failures: (waiting.get(lane)?.failures ?? 0) + 1 });
      if (!writing.has(lane)) await writeAll(lane);
    },
  };
}

function originOf(ctx: Ctx, { host, job_version_id }: ClaimedRun): string {
  const url = cachedVersion(ctx, job_version_id)?.endpoint_url;
  return url ? new URL(url).origin : `http://${host}`;
}

function reasonOf(outcome: Outcome): string {
  return outcome.kind === "failed" ? outcome.error.message : "The endpoint did not respond in time.";
}
