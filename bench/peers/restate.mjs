import { setTimeout as pause } from "node:timers/promises";
import * as restate from "@restatedev/restate-sdk";
import { closedLoop } from "../compare/apply-load.mjs";
import { newOrder } from "../compare/order.mjs";
import { openPost } from "../compare/post.mjs";
import { freePorts } from "./free-ports.mjs";
import { logFirstError } from "./log-first-error.mjs";
import { startRestate } from "./start-restate.mjs";
import { versionOf } from "./version-of.mjs";

/** Calls that must not start yet are delayed, since Restate has no queue that can be paused. */
const HELD = "/orders/deliver/send?delay=3600s";
const AT_ONCE = "/orders/deliver/send";

export async function open({ deliver, bench }) {
  const [endpoint] = await freePorts(1);
  const orders = restate.service({
    name: "orders",
    handlers: { deliver: (_context, order) => deliver(order) },
  });
  await restate.serve({ services: [orders], port: endpoint, logger: logFirstError() });
  const server = await startRestate();
  await server.register(`http://127.0.0.1:${endpoint}`);
  const ingress = openPost(server.ingressUrl, { connections: 128 });
  const path = bench === "enqueue" ? HELD : AT_ONCE;

  return {
    version: `${versionOf("@restatedev/restate-server")}, SDK ${versionOf("@restatedev/restate-sdk")}`,
    pids: { restate: server.pid },
    enqueue: (order) => ingress.post(path, JSON.stringify(order)),
    /** All are scheduled for the same time, at which this returns. */
    fill: async (n) => {
      const startAt = performance.now() + 5_000 + n;
      await closedLoop(n, 128, (index) => {
        const delay = Math.round(startAt - performance.now());
        if (delay < 0) throw new Error("the queue could not be filled in time");
        return ingress.post(`${AT_ONCE}?delay=${delay}ms`, JSON.stringify(newOrder(index)));
      });
      await pause(startAt - performance.now());
    },
    startWork: async () => {},
    stopWork: async () => {},
    countUnfinished: () => server.count("select count(*) as n from sys_invocation_status where status <> 'completed'"),
    close: async () => {
      await ingress.close();
      await server.stop();
    },
  };
}
