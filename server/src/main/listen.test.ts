import { Worker } from "node:worker_threads";
import fastify from "fastify";
import { expect, it, onTestFinished } from "vitest";
import type { Config } from "../platform/settings/config.ts";
import { listen } from "./listen.ts";

/** More than Node lets wait by default, and less than Linux allows. */
const CONNECTIONS = 800;
const WITHIN_MS = 30_000;

/** Opens connections from another thread, and counts those that the kernel has taken. */
const CLIENT = `
  const { connect } = require("node:net");
  const { workerData: { port, connections, opened } } = require("node:worker_threads");
  for (let nth = 0; nth < connections; nth++) connect(port, "127.0.0.1", () => {
    Atomics.add(opened, 0, 1);
    Atomics.notify(opened, 0);
  }).on("error", () => {});`;

it.runIf(process.platform === "linux")(
  "a busy event loop drops no connection of a burst",
  async () => {
    const app = fastify({ forceCloseConnections: true });
    const port = Number(new URL(await listen(app, { host: "127.0.0.1", port: 0 } as Config)).port);
    const opened = new Int32Array(new SharedArrayBuffer(4));
    const client = new Worker(CLIENT, { eval: true, workerData: { port, connections: CONNECTIONS, opened } });
    onTestFinished(async () => {
      await client.terminate();
      await app.close();
    });
    // Nothing is accepted meanwhile: the event loop of the server is that of the test.
    const until = performance.now() + WITHIN_MS;
    for (let count = 0; count < CONNECTIONS && performance.now() < until; count = Atomics.load(opened, 0))
      Atomics.wait(opened, 0, count, 1_000);
    expect(Atomics.load(opened, 0)).toBe(CONNECTIONS);
  },
  60_000,
);
