import type { Host } from "./host-thread.ts";

const POLL_EVERY_MS = 20;

export type AutoSkip = { fetch: typeof globalThis.fetch; stop: () => void };

/**
 * A fetch that skips time: while the client follows a run, the clock jumps from one due item to the next. It stands
 * still while code runs, and stops when the run has ended.
 */
export function autoSkip(host: Pick<Host, "passToNext">): AutoSkip {
  let isStopped = false;

  async function skipUntilEnded(runId: string, signal: AbortSignal | null | undefined): Promise<void> {
    while (!isStopped && !signal?.aborted) {
      const passed = await host.passToNext(runId);
      if (passed === "ended") return;
      if (passed === "nothing_due") await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
    }
  }

  return {
    fetch: async (input, init) => {
      const response = await globalThis.fetch(input, init);
      const runId = FOLLOWED.exec(String(input))?.[1];
      if (runId !== undefined && response.ok) skipUntilEnded(runId, init?.signal).catch(() => {});
      return response;
    },
    stop: () => {
      isStopped = true;
    },
  };
}

const FOLLOWED = /\/v1\/(?:runs|workflow-runs)\/([0-9a-f-]{36})\/stream(?:\?|$)/;
