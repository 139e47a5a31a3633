import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { newDataDir } from "../start-millrace.mjs";
import { freePorts } from "./free-ports.mjs";

/** A single node with default settings: its log is on disk before a call is acknowledged. */
export async function startRestate() {
  const folder = newDataDir();
  const [node, ingress, admin] = await freePorts(3);
  const adminUrl = `http://127.0.0.1:${admin}`;
  const child = spawn(findBinary(), ["--no-logo"], {
    cwd: folder,
    stdio: "ignore",
    env: {
      PATH: process.env.PATH,
      DO_NOT_TRACK: "1",
      RESTATE_BASE_DIR: folder,
      RESTATE_LISTEN_MODE: "tcp",
      RESTATE_BIND_IP: "127.0.0.1",
      RESTATE_BIND_PORT: String(node),
      RESTATE_ADVERTISED_HOST: "127.0.0.1",
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    },
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  await untilOk(() => fetch(`${adminUrl}/health`));

  return {
    pid: child.pid,
    ingressUrl: `http://127.0.0.1:${ingress}`,
    register: (uri) => untilOk(() => postJson(`${adminUrl}/deployments`, { uri })),
    count: async (query) => {
      const response = await postJson(`${adminUrl}/query`, { query });
      return (await response.json()).rows[0].n;
    },
    stop: async () => {
      process.off("exit", kill);
      kill();
      await once(child, "exit");
    },
  };
}

function findBinary() {
  const require = createRequire(import.meta.url);
  return require.resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`);
}

function postJson(url, body) {
  const headers = { "content-type": "application/json", accept: "application/json" };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

async function untilOk(ask) {
  for (let tries = 1; ; tries++) {
    const response = await ask().catch((error) => ({ ok: false, text: async () => String(error) }));
    if (response.ok) return;
    if (tries === 150) throw new Error(`Restate did not start: ${await response.text()}`);
    await pause(200);
  }
}
