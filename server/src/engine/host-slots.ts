import { openPace, type Pace } from "./pace.ts";

/** A host may fill three quarters of the slots while it is alone, a quarter when other hosts have queued runs. */
const ALONE_SHARE = 0.75;
const CROWDED_SHARE = 0.25;

/** How many of an instance's slots each endpoint host uses, so that a slow one does not take them all. */
export function openHostSlots(slots: number, othersWait: (host: string) => boolean) {
  const inFlight = new Map<string, number>();
  const paces = new Map<string, Pace>();

  /** How many more slots a host may take. */
  function room(host: string): number {
    // Another host with dispatches in progress counts as having queued runs: more of its runs may be due.
    const isCrowded = [...inFlight.keys()].some((each) => each !== host) || othersWait(host);
    // Runs for a host that responds quickly are claimed ahead; a host that does not respond gets only its share.
    const ahead = paces.get(host)?.perWindow() ?? 0;
    return Math.ceil(slots * (isCrowded ? CROWDED_SHARE : ALONE_SHARE)) + ahead - (inFlight.get(host) ?? 0);
  }

  function enter(host: string, count: number): void {
    if (count > 0) inFlight.set(host, (inFlight.get(host) ?? 0) + count);
  }

  function leave(host: string, count: number): void {
    const left = (inFlight.get(host) ?? count) - count;
    inFlight.set(host, left);
    if (left > 0) return;
    inFlight.delete(host);
    paces.delete(host);
  }

  /** A dispatch to the host has ended. */
  function countEnd(host: string): void {
    const pace = paces.get(host) ?? openPace();
    paces.set(host, pace);
    pace.count();
  }

  return { room, enter, leave, countEnd };
}
