import { setTimeout as pause } from "node:timers/promises";
import type { ReadyService } from "../../service/start-service.ts";
import { until } from "../../until.ts";

export type Asked = { status: number; ms: number; retryAfter: string | null };

export type ConstantLoad = {
  asked: Asked[];
  /** Ids of the projects that the service said it made. */
  acknowledged: string[];
  stop: () => Promise<void>;
  /** The slowest refusal, less what a machine that is busy with other things adds: as much as it holds us up here. */
  slowestRefusalMs: () => number;
};

/** Enough to keep several requests under way at any moment, and the machine free for the rest. */
const PAUSE_MS = 10;

/** Reads and writes by turns until stopped, each worker over a connection of its own. A request without an answer has status 0. */
export function constantLoad({ admin }: Pick<ReadyService, "admin">, workers = 8): ConstantLoad {
  const asked: Asked[] = [];
  const acknowledged: string[] = [];
  let stopped = false;
  const stalls = watchStalls();

  async function work(worker: number): Promise<void> {
    for (let turn = 0; !stopped; turn++) {
      const startedAt = performance.now();
      const answer = await ask(worker, turn).catch(() => undefined);
      const retryAfter = answer?.headers.get("retry-after") ?? null;
      asked.push({ status: answer?.status ?? 0, ms: performance.now() - startedAt, retryAfter });
      if (answer?.status === 201) acknowledged.push(answer.body.id);
      await pause(PAUSE_MS);
    }
  }

  function ask(worker: number, turn: number) {
    return turn % 2 === 0
      ? admin.post("/v1/projects", { name: `Load ${worker} ${turn}` })
      : admin.get("/v1/projects?limit=1");
  }

  const running = Array.from({ length: workers }, (_, worker) => work(worker));
  return {
    asked,
    acknowledged,
    stop: async () => {
      stopped = true;
      await Promise.all(running);
      stalls.stop();
    },
    slowestRefusalMs: () => {
      const refused = asked.filter(({ status }) => status === 503).map(({ ms }) => ms);
      return Math.max(0, ...refused) - 2 * stalls.longestMs(); // once in the service, once in the asking
    },
  };
}

function watchStalls() {
  const everyMs = 20;
  let longestMs = 0;
  let seenAt = performance.now();
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - seenAt - everyMs);
    seenAt = performance.now();
  }, everyMs);
  return { longestMs: () => longestMs, stop: () => clearInterval(timer) };
}

/** Those of the acknowledged projects that the service does not know. */
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

/** The next request that succeeds, in milliseconds from now. */
export async function nextSuccess(load: ConstantLoad, withinMs: number): Promise<number> {
  const startedAt = performance.now();
  const from = load.asked.length;
  await until("a request to succeed", withinMs, () => load.asked.slice(from).some(({ status }) => status === 201));
  return performance.now() - startedAt;
}
