import { parentPort } from "node:worker_threads";
import { pino } from "pino";
import { passTime, passToNext } from "./pass-time.ts";
import { runTasks, settle } from "./step-engine.ts";
import { startTestDatabase } from "./test-database.ts";
import { openTestService } from "./test-service.ts";
import { openVirtualClock } from "./virtual-clock.ts";

/** The thread of one test server: the service, its database and its clock. Handles requests from `host-thread.ts`. */
type Call = { id: number; method: string; args: never[] };

const log = pino({ level: "silent" });
const database = await startTestDatabase(log);
const connections = { work: { ...database.connection }, direct: { ...database.connection } };
const { service, close, ...facts } = await openTestService(connections, log);
const { ctx } = service;
const clock = await openVirtualClock(connections.direct, async () => {
  await ctx.watch.ping();
  ctx.keyCache.clear();
});

let last: Promise<unknown> = Promise.resolve();
/** Runs work exclusively, so that nothing happens while the clock is being moved. */
function alone<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work);
  last = mine.catch(() => {});
  return mine;
}

const engine = runTasks(ctx, alone);

const METHODS: Record<string, (...args: never[]) => Promise<unknown>> = {
  now: () => clock.nowMs(),
  settle: () => alone(() => settle(ctx)),
  pass: (secs: number) => alone(() => passTime(ctx, clock, secs)),
  passToNext: (waitedFor: string) => alone(() => passToNext(ctx, clock, waitedFor)),
  close: async () => {
    await engine.stop();
    await clock.close();
    await close();
    await database.stop();
  },
};

parentPort?.on("message", ({ id, method, args }: Call) => {
  const result = METHODS[method]?.(...args) ?? Promise.reject(new Error(`unknown method ${method}`));
  result.then(
    (value) => parentPort?.postMessage({ id, value }),
    (error) => parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error) }),
  );
});
parentPort?.postMessage({ id: 0, value: facts });
