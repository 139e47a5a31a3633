import type { Claim, ClaimRuns } from "../generated/schemas.ts";
import type { HeldRuns } from "./held-runs.ts";
import type { ServiceLine } from "./service-line.ts";

type ClaimBody = Omit<ClaimRuns, "wait_secs">;
export type ClaimScope = Omit<ClaimBody, "claim_id" | "max">;

export type Claims = {
  /** The next claim, with room kept for it. It has its id from here on: repeating it returns the same runs. */
  open: (room: number) => ClaimBody;
  /** Takes the answer. Undefined: there was none. */
  close: (claim: ClaimBody, answer: Claim | undefined) => void;
  /** Whether the last claim got all it asked for: then there may be more. */
  hasMore: () => boolean;
};

const MAX_CLAIM = 100;
/** Below the idle timeouts of common proxies. */
const WAIT_SECS = 20;

export function openClaims(scope: ClaimScope, runs: HeldRuns): Claims {
  let hasMore = false;
  return {
    open: (room) => {
      const max = Math.min(MAX_CLAIM, room);
      runs.reserve(max);
      return { ...scope, claim_id: crypto.randomUUID(), max };
    },
    close: ({ max = 1 }, answer) => {
      hasMore = answer?.runs.length === max;
      if (answer) runs.accept(answer.runs);
      runs.release(max);
    },
    hasMore: () => hasMore,
  };
}

type Polling = { claims: Claims; runs: HeldRuns; signal: AbortSignal };

/**
 * While runs come: a run that is triggered while the answers of some polls are on their way is handed to another, and need
 * not be queued.
 */
const POLLS = 4;

/** Claims while there is room, until the signal: with one poll while no runs come. */
export async function pollClaims(line: ServiceLine, polling: Polling): Promise<void> {
  const { signal } = polling;
  const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  let isBusy = false;
  const noteRuns = (count: number) => {
    isBusy = count > 0;
  };
  const poll = { ...polling, line, stopped, noteRuns, isBusy: () => isBusy };
  const others = Array.from({ length: POLLS - 1 }, () => pollWhile(poll.isBusy, poll));
  await Promise.all([pollWhile(() => true, poll), ...others]);
}

type Poll = Polling & {
  line: ServiceLine;
  stopped: Promise<void>;
  noteRuns: (count: number) => void;
  isBusy: () => boolean;
};

async function pollWhile(isNeeded: () => boolean, poll: Poll): Promise<void> {
  const { line, claims, runs, signal, stopped, noteRuns, isBusy } = poll;
  while (!signal.aborted) {
    const room = runs.room();
    if (room <= 0 || !isNeeded()) {
      await Promise.race([runs.changed(), stopped]);
      continue;
    }
    // While runs come, the other polls need room, too.
    const claim = claims.open(isBusy() ? Math.ceil(room / 2) : room);
    const body: ClaimRuns = { ...claim, wait_secs: WAIT_SECS };
    const options = { signal, timeoutMs: (WAIT_SECS + 15) * 1_000 };
    const answer = await line
      .untilAnswered<Claim>("/claims", body, options)
      .catch(() => answerLate(line, { ...claim, max: 1, wait_secs: 0 }));
    noteRuns(answer?.runs.length ?? 0);
    claims.close(claim, answer);
  }
}

/**
 * The runs of an abandoned claim, so that they can be released at once. The claim may be in flight when it is repeated for the
 * first time; the second time it is done.
 */
async function answerLate(line: ServiceLine, body: ClaimRuns): Promise<Claim | undefined> {
  const repeat = () => line.send<Claim>("/claims", body, { timeoutMs: LATE_TIMEOUT_MS }).catch(() => undefined);
  return (await repeat()) && (await repeat());
}

const LATE_TIMEOUT_MS = 5_000;
