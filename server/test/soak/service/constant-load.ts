import { setTimeout as pause } from "node:timers/promises";
import type { ReadyService } from "../../service/start-service.ts";
import { until } from "../../world/until.ts";

export type SentRequest = { status: number; startedAt: number; ms: number; retryAfter: string | null };

export type ConstantLoad = {
  requests: SentRequest[];
  /** Ids of the projects that the service acknowledged. */
  acknowledged: string[];
  stop: () => Promise<void>;
  /** The delay that a busy machine adds: as much as it adds to a request that needs no database. */
  delayMs: () => number;
  /** The slowest error response, minus that delay. */
  slowestRejectionMs: () => number;
};

/** Keeps several requests in flight at any moment, without saturating the machine. */
const PAUSE_MS = 10;

/**
 * Reads and writes alternately until stopped, each worker on its own connection. A request without a response has
 * status 0.
 */
export function constantLoad({ admin }: Pick<ReadyService, "admin">, workers = 8): ConstantLoad {
  const requests: SentRequest[] = [];
  const acknowledged: string[] = [];
  let stopped = false;
  let longestMs = 0;

  async function work(worker: number): Promise<void> {
    for (let nth = 0; !stopped; nth++) {
      const startedAt = performance.now();
      const response = await send(worker, nth).catch(() => undefined);
      const retryAfter = response?.headers.get("retry-after") ?? null;
      requests.push({ status: response?.status ?? 0, startedAt, ms: performance.now() - startedAt, retryAfter });
      if (response?.status === 201) acknowledged.push(response.body.id);
      await pause(PAUSE_MS);
    }
  }

  function send(worker: number, nth: number) {
    return nth % 2 === 0
      ? admin.post("/v1/projects", { name: `Load ${worker} ${nth}` })
      : admin.get("/v1/projects?limit=1");
  }

  async function watchDelays(): Promise<void> {
    while (!stopped) {
      const startedAt = performance.now();
      await admin.get("/health").catch(() => undefined);
      longestMs = Math.max(longestMs, performance.now() - startedAt);
      await pause(PAUSE_MS);
    }
  }

  const running = [...Array.from({ length: workers }, (_, worker) => work(worker)), watchDelays()];
  const delayMs = () => 2 * longestMs; // once where it is noticed, once where it is returned
  return {
    requests,
    acknowledged,
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
    delayMs,
    slowestRejectionMs: () => {
      const refused = requests.filter(({ status }) => status === 503).map(({ ms }) => ms);
      return Math.max(0, ...refused) - delayMs();
    },
  };
}

/** The acknowledged projects that the service does not have. */
export async function missingFrom({ admin }: Pick<ReadyService, "admin">, acknowledged: string[]): Promise<string[]> {
  const missing: string[] = [];
  const left = [...acknowledged];
  async function look(): Promise<void> {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const { status } = await admin.get(`/v1/projects/${id}`);
      if (status !== 200) missing.push(`${id}: ${status}`);
    }
  }
  await Promise.all([look(), look(), look(), look()]);
  return missing;
}

/** Milliseconds until the next successful request. */
export async function nextSuccess(load: ConstantLoad, withinMs: number): Promise<number> {
  const startedAt = performance.now();
  const from = load.requests.length;
  await until("a request to succeed", withinMs, () => load.requests.slice(from).some(({ status }) => status === 201));
  return performance.now() - startedAt;
}
