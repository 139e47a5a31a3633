import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { newFolder } from "../../cli/test/run-millrace.ts";
import { runProgram } from "../../examples/testing/run-program.ts";
import { until } from "../../server/test/world/until.ts";
import { makeSdkWorld } from "./sdk-world.ts";

const PROGRAM = `
import { createClient, createWorker, defineJob, sync } from "./src/index.ts";
const slow = defineJob({
  id: "slow",
  run: async (_, ctx) => {
    console.log("started");
    await new Promise((resolve) => process.once("SIGTERM", resolve));
    return { isAborted: ctx.signal.aborted };
  },
});
const client = createClient();
await sync(client, { jobs: [slow], delivery: "pull" });
createWorker({ jobs: [slow], client, concurrency: 1 }).start();
`;

it("SIGTERM lets the started run end, leaves the next to others, and ends the process", async () => {
  const { world, project, client } = await makeSdkWorld();
  const outfile = join(newFolder(), "worker.mjs");
  const stdin = { contents: PROGRAM, resolveDir: join(import.meta.dirname, "..") };
  await build({ stdin, outfile, bundle: true, platform: "node", target: "node20", format: "esm" });
  const env = { MILLRACE_BASE_URL: world.url, MILLRACE_API_KEY: project.key };
  const worker = runProgram(join(import.meta.dirname, ".."), [process.execPath, outfile], env);
  await until("the job", 60_000, async () => (await client.jobs.list().all()).length === 1);
  const first = await client.jobs.trigger("slow", {});
  await until("the run to start", 60_000, () => worker.printed() === "started\n");
  const second = await client.jobs.trigger("slow", {});
  worker.signal("SIGTERM");
  expect(await worker.ended).toMatchObject({ code: 0, stdout: "started\n", stderr: "" });
  expect(await first.get()).toMatchObject({ status: "completed", result: { isAborted: false } });
  expect(await second.get()).toMatchObject({ finished_at: null, tries_used: 0 });
}, 180_000);
