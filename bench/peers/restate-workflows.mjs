import * as restate from "@restatedev/restate-sdk";
import { openPost } from "../compare/post.mjs";
import { freePorts } from "./free-ports.mjs";
import { logFirstError } from "./log-first-error.mjs";
import { startRestate } from "./start-restate.mjs";
import { versionOf } from "./version-of.mjs";

const FAN = 10;

/** Steps are `ctx.run` in one handler, its fastest way: separate service calls took three times as long. */
export async function open({ deliver }) {
  const step = (context, order, nth) => context.run(`s${nth}`, () => deliver({ ...order, step_ref: `s${nth}` }));
  const orders = restate.service({
    name: "orders",
    handlers: {
      steps: async (context, order) => {
        for (let nth = 0; nth < 3; nth++) await step(context, order, nth);
      },
      fan: async (context, order) => {
        await restate.RestatePromise.all(Array.from({ length: FAN }, (_, nth) => step(context, order, nth)));
        await step(context, order, FAN);
      },
    },
  });
  const waits = restate.workflow({
    name: "waits",
    handlers: {
      run: async (context, order) => step(context, { ...order, ...(await context.promise("event")) }, 0),
      send: (context, event) => context.promise("event").resolve(event),
    },
  });
  const [endpoint] = await freePorts(1);
  await restate.serve({ services: [orders, waits], port: endpoint, logger: logFirstError() });
  const server = await startRestate();
  await server.register(`http://127.0.0.1:${endpoint}`);
  const ingress = openPost(server.ingressUrl, { connections: 128 });
  const send = (path, body) => ingress.post(path, JSON.stringify(body));
  const countUnfinished = () =>
    server.count("select count(*) as n from sys_invocation_status where status <> 'completed'");

  return {
    version: `${versionOf("@restatedev/restate-server")}, SDK ${versionOf("@restatedev/restate-sdk")}`,
    pids: { restate: server.pid },
    /** With 32 clients it is idle half of the time. */
    clients: 128,
    startSteps: (order) => send("/orders/steps/send", order),
    startFan: (order) => send("/orders/fan/send", order),
    startWait: (order) => send(`/waits/${order.event}/run/send`, order),
    sendEvent: (event, payload) => send(`/waits/${event}/send`, payload),
    countUnfinished,
    countWaiting: countUnfinished,
    close: async () => {
      await ingress.close();
      await server.stop();
    },
  };
}
