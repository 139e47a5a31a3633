import type { ClaimedRun } from "../flow/runs/claim/claim-runs.ts";
import { laneKey } from "../flow/runs/claim/lanes.ts";
import { isGoodFor, openCircuitMeter } from "../flow/runs/dispatch/circuit-meter.ts";
import { blockLane, listOpenCircuits, noteProbe, openCircuit } from "../flow/runs/dispatch/circuits.ts";
import type { Outcome } from "../flow/runs/dispatch/outcome.ts";
import type { Ctx } from "../platform/context.ts";

export type HostWatch = {
  /** Its circuit is open: claimable runs there are blocked instead of claimed. */
  isCircuitOpen: (lane: { project_id: string; host: string }) => boolean;
  hasOpenCircuits: () => boolean;
  /** Updates a host's health from a dispatch. */
  record: (run: ClaimedRun, outcome: Outcome, isProbe: boolean) => void;
  /** Reads the open circuits, which all instances share. */
  refresh: () => Promise<void>;
};

/** The failing hosts to which this instance does not dispatch. */
export function openHostWatch(ctx: Ctx): HostWatch {
  const meter = openCircuitMeter();
  const openCircuits = new Set<string>();

  async function record(run: ClaimedRun, outcome: Outcome, isProbe: boolean): Promise<void> {
    const isGood = isGoodFor(outcome);
    if (isGood === undefined) return;
    const { project_id, host } = run;
    const lane = laneKey(run);
    if (isProbe) return noteProbe(ctx, { project_id, host }, isGood);
    const isBroken = meter.note(lane, isGood, performance.now());
    if (!isBroken || openCircuits.has(lane)) return;
    openCircuits.add(lane);
    await openCircuit(ctx, { project_id, host }, reasonOf(outcome));
    await blockLane(ctx, { project_id, host });
  }

  /** Corrected by the host's next failure, or by the next probe. */
  function ignoreUnwritten(error: Error): void {
    ctx.log.debug({ reason: error.message }, "a circuit could not be written");
  }

  async function refresh(): Promise<void> {
    const open = new Set((await listOpenCircuits(ctx)).map(laneKey));
    for (const lane of openCircuits) if (!open.has(lane)) meter.forget(lane);
    openCircuits.clear();
    for (const lane of open) openCircuits.add(lane);
  }

  return {
    hasOpenCircuits: () => openCircuits.size > 0,
    isCircuitOpen: (lane) => openCircuits.size > 0 && openCircuits.has(laneKey(lane)),
    record: (run, outcome, isProbe) => {
      // Nearly all cases: nothing to write.
      if (!isProbe && isGoodFor(outcome)) meter.note(laneKey(run), true, performance.now());
      else record(run, outcome, isProbe).catch(ignoreUnwritten);
    },
    refresh,
  };
}

function reasonOf(outcome: Outcome): string {
  return outcome.kind === "failed" ? outcome.error.message : "The endpoint did not respond in time.";
}
