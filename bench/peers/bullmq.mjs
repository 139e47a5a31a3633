import { Queue, Worker } from "bullmq";
import { enqueueInBulk } from "../compare/steps.mjs";
import { startRedis } from "./start-redis.mjs";
import { versionOf } from "./version-of.mjs";

const NAME = "orders";
const IN_FLIGHT = 200;

export async function open({ deliver }) {
  const redis = await startRedis();
  const connection = { path: redis.socket, maxRetriesPerRequest: null };
  const queue = new Queue(NAME, { connection, defaultJobOptions: { removeOnComplete: true } });
  await queue.waitUntilReady();
  let worker;

  const system = {
    version: `${versionOf("bullmq")}, Redis ${redis.version}`,
    pids: { redis: redis.pid },
    enqueue: (order) => queue.add("deliver", order),
    bulkSize: 1_000,
    bulk: (orders) => queue.addBulk(orders.map((data) => ({ name: "deliver", data }))),
    fill: (n) => enqueueInBulk(system, n),
    startWork: async () => {
      worker = new Worker(NAME, ({ data }) => deliver(data), { connection, concurrency: IN_FLIGHT });
      worker.on("error", (error) => process.stderr.write(`${error}\n`));
      await worker.waitUntilReady();
    },
    stopWork: () => worker.close(),
    countUnfinished: async () => {
      const { wait, active, prioritized, delayed } = await queue.getJobCounts(
        "wait",
        "active",
        "prioritized",
        "delayed",
      );
      return wait + active + prioritized + delayed;
    },
    close: async () => {
      await worker?.close(true);
      await queue.close();
      await redis.stop();
    },
  };
  return system;
}
