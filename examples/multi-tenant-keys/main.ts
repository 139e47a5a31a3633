import { createClient, defineJob, PermissionError } from "@millrace/sdk";
import { startWorker } from "../start-worker.ts";

/** Two runs at a time per tenant, so that a tenant with a thousand runs does not delay the others. */
const render = defineJob({
  id: "render",
  maxConcurrencyPerKey: 2,
  concurrencyKey: ({ tenant }: { tenant: string }) => tenant,
  run: async ({ tenant, page }: { tenant: string; page: number }, ctx) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { tenant, page, theme: ctx.env.THEME };
  },
});

const { client, stop } = await startWorker([render]);

/** Each tenant has its own environment with variables, and a key restricted to it. */
async function newTenant(slug: string, theme: string) {
  const { id } = await client.environments.create({ name: slug, slug, variables: { THEME: theme } });
  const { key } = await client.apiKeys.create({
    name: `${slug}'s key`,
    environment_id: id,
    scopes: ["jobs:trigger", "jobs:read", "runs:read"],
  });
  return createClient({ baseUrl: client.baseUrl, apiKey: key });
}

const acme = await newTenant("acme", "dark");
const globex = await newTenant("globex", "light");

const acmeRuns = await Promise.all(
  Array.from({ length: 10 }, (_, page) => acme.jobs.trigger(render, { tenant: "acme", page })),
);
const globexRun = await globex.jobs.trigger(render, { tenant: "globex", page: 1 });
console.log("globex:", JSON.stringify(await globexRun.unwrap()));
const ends = await Promise.all(acmeRuns.map((run) => run.result()));
console.log(`acme: ${ends.filter(({ ok }) => ok).length} of ${ends.length} done`);

console.log(
  `globex sees ${(await globex.runs.list().all()).length} run, acme ${(await acme.runs.list().all()).length}`,
);
const foreign = await globex.runs.get(acmeRuns[0]?.id ?? "").catch((error: { status?: number }) => error.status);
console.log(`globex requests a run of acme: ${foreign}`);
const refused = await globex.jobs.delete("render").catch((error: unknown) => error instanceof PermissionError);
console.log(`globex can delete the job: ${refused === true ? "no" : "yes"}`);
stop();
