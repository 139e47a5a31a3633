import { parentPort } from "node:worker_threads";
import { pino } from "pino";
import { passTime, passToNext } from "./pass-time.ts";
import { runTasks, settle } from "./step-engine.ts";
import { startTestDatabase } from "./test-database.ts";
import { openTestService } from "./test-service.ts";
import { openVirtualClock } from "./virtual-clock.ts";

/** The thread of one test server: the service, its database and its clock. Answers what `host-thread.ts` asks. */
type Asked = { id: number; method: string; args: never[] };

const log = pino({ level: "silent" });
const database = await startTestDatabase(log);
const connections = { work: { ...database.connection }, direct: { ...database.connection } };
const { service, close, ...told } = await openTestService(connections, log);
const { ctx } = service;
const clock = await openVirtualClock(connections.direct, async () => {
  await ctx.watch.ping();
  ctx.keyCache.clear();
});

let last: Promise<unknown> = Promise.resolve();
/** One after the other: nothing is done by the clock while it is being moved. */
function alone<T>(turn: () => Promise<T>): Promise<T> {
  const mine = last.then(turn);
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

parentPort?.on("message", ({ id, method, args }: Asked) => {
  const answer = METHODS[method]?.(...args) ?? Promise.reject(new Error(`there is no ${method}`));
  answer.then(
    (value) => parentPort?.postMessage({ id, value }),
    (error) => parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error) }),
  );
});
parentPort?.postMessage({ id: 0, value: told });
