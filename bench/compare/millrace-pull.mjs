import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { open as openMillrace } from "./millrace.mjs";

const IN_FLIGHT = 200;

/** With `createWorker` in the process of the load generator, like the workers of the libraries. */
export async function open({ deliver, ...options }) {
  const system = await openMillrace({ ...options, limits: { delivery: "pull", endpoint_url: null } });
  const { createWorker, defineJob } = await loadSdk();
  const { url: baseUrl, apiKey } = system;
  const job = defineJob({ id: "deliver-order", run: async (order) => void (await deliver(order)) });
  const settings = { jobs: [job], concurrency: IN_FLIGHT, handleSignals: false, baseUrl, apiKey };
  let worker;
  return {
    ...system,
    startWork: async () => {
      await system.startWork();
      worker = createWorker(settings).start();
    },
    stopWork: async () => {
      await system.stopWork();
      await worker.stop();
    },
    close: async () => {
      await worker?.stop({ grace: "1s" });
      await system.close();
    },
  };
}

/** Of this checkout, and compiled: Node 20 cannot import TypeScript. */
async function loadSdk() {
  const folder = mkdtempSync(join(tmpdir(), "millrace-bench-sdk-"));
  const outfile = join(folder, "sdk.mjs");
  const entryPoints = [join(import.meta.dirname, "..", "..", "sdk", "src", "index.ts")];
  await build({ entryPoints, outfile, bundle: true, platform: "node", format: "esm", logLevel: "error" });
  const sdk = await import(pathToFileURL(outfile).href);
  rmSync(folder, { recursive: true });
  return sdk;
}
