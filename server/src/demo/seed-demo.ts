import { createApiKey } from "../features/api-keys/create-api-key.ts";
import { listJobs } from "../features/jobs/get-job.ts";
import { updateJob } from "../features/jobs/update-job.ts";
import { createProject } from "../features/projects/create-project.ts";
import { deleteProject } from "../features/projects/delete-project.ts";
import { getProject } from "../features/projects/queries.ts";
import { listSubscriptions } from "../features/webhook-subscriptions/routes.ts";
import { updateSubscription } from "../features/webhook-subscriptions/update-subscription.ts";
import { hashKey } from "../platform/access/credentials/key-format.ts";
import type { CallerCtx, Ctx, ProjectCtx } from "../platform/context.ts";
import { sql } from "../platform/database/sql.ts";
import { withRetryBudget } from "../platform/database/with-retry-budget.ts";
import { ApiError } from "../platform/errors/errors.ts";
import { checkOutgoingUrl } from "../platform/outgoing/check-url.ts";
import { readSigningSecrets } from "../platform/secrets/signing-secrets.ts";
import { readFirstStart, saveFirstStart } from "../platform/settings/dev-secrets.ts";
import { demoCtx, devCtx } from "./demo-ctx.ts";
import { DEMO_JOBS } from "./demo-jobs.ts";
import { DEMO_SUBSCRIPTIONS } from "./demo-webhooks.ts";
import { fillDemo } from "./fill-demo.ts";

type Seeded = { apiKey: string | undefined; signingSecret: string | undefined; hasDemo: boolean };

/** On an empty database: a first project with a key, and a demo. Returns the key while it is valid. */
export async function seedDemo(ctx: Ctx, url: string): Promise<Seeded> {
  const demoUrl = `${url.replace("//localhost", "//127.0.0.1")}/demo`;
  const isFirst = await withRetryBudget(async () => !(await hasProjects(ctx)));
  return isFirst ? makeFirst(ctx, demoUrl) : withRetryBudget(() => findFirst(ctx, demoUrl));
}

async function findFirst(ctx: Ctx, demoUrl: string): Promise<Seeded> {
  const { first_api_key, ...kept } = readFirstStart(ctx.config.data_dir);
  const known = first_api_key === undefined ? undefined : await ctx.keyCache.find(ctx.db, hashKey(first_api_key));
  const demo_project_id = kept.demo_is_filled === false ? await recreateDemo(ctx, demoUrl) : kept.demo_project_id;
  const hasDemo = demo_project_id !== undefined && (await moveDemo(ctx, demo_project_id, demoUrl));
  if (!known || known.revoked) return { apiKey: undefined, signingSecret: undefined, hasDemo };
  // Read again: it may have been rotated since.
  const [signingSecret] = await readSigningSecrets(ctx, known.project_id);
  return { apiKey: first_api_key, signingSecret, hasDemo };
}

/** Includes removed projects: a removed demo does not come back. */
async function hasProjects(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql`select 1 from projects limit 1`.execute(ctx.db);
  return rows.length > 0;
}

/** Two projects: one to work in, with the first key, and the demo, which can be removed without the key. */
async function makeFirst(ctx: Ctx, demoUrl: string): Promise<Seeded> {
  const caller = devCtx(ctx);
  const main = await withRetryBudget(() =>
    createProject(caller, { name: "Main", slug: "main", description: "Your own project, with the first API key." }),
  );
  const { key } = await withRetryBudget(() => createApiKey({ ...caller, project_id: main.id }, { name: "First key" }));
  // At once: an interrupted start would leave a project whose key nobody knows.
  saveFirstStart(ctx.config.data_dir, { first_api_key: key });
  const demo_project_id = await makeDemo(caller, demoUrl);
  return { apiKey: key, signingSecret: main.webhook_secret, hasDemo: demo_project_id !== undefined };
}

async function makeDemo(caller: CallerCtx, demoUrl: string): Promise<string | undefined> {
  // Development may use production's rules: then our own address cannot be called either.
  if (!checkOutgoingUrl(demoUrl, caller.config.private_endpoints).ok) return undefined;
  const { id: project_id } = await withRetryBudget(() =>
    createProject(caller, {
      ...{ name: "Demo", slug: "demo" },
      description: "Created on the first start, for you to explore. DELETE /demo removes it.",
    }),
  );
  saveFirstStart(caller.config.data_dir, { demo_project_id: project_id, demo_is_filled: false });
  await fillDemo({ ...caller, project_id }, demoUrl);
  saveFirstStart(caller.config.data_dir, { demo_is_filled: true });
  return project_id;
}

/** Replaces a demo whose first start was interrupted: an incomplete one would confuse. A removed demo stays removed. */
async function recreateDemo(ctx: Ctx, demoUrl: string): Promise<string | undefined> {
  const demo = demoCtx(ctx);
  if (!(await exists(getProject(demo, demo.project_id)))) return undefined;
  await deleteProject(demo, demo.project_id);
  return makeDemo(devCtx(ctx), demoUrl);
}

/**
 * The service may have a new address since its last start: the whole demo is updated. False: the demo was removed.
 */
async function moveDemo(ctx: Ctx, project_id: string, demoUrl: string): Promise<boolean> {
  const demo = { ...devCtx(ctx), project_id };
  if (!(await exists(getProject(demo, project_id)))) return false;
  await moveSubscriptions(demo, demoUrl);
  return moveJobs(demo, demoUrl);
}

async function moveJobs(demo: ProjectCtx, demoUrl: string): Promise<boolean> {
  const { data } = await listJobs(demo, { limit: 100 });
  const ours = new Set(DEMO_JOBS.map(({ slug }) => slug));
  for (const { slug, endpoint_url } of data) {
    const url = `${demoUrl}/jobs/${slug}`;
    const isOurs = ours.has(slug) && endpoint_url?.endsWith(`/demo/jobs/${slug}`);
    if (isOurs && endpoint_url !== url) await updateJob(demo, slug, { endpoint_url: url });
  }
  return data.some(({ slug }) => ours.has(slug));
}

async function moveSubscriptions(demo: ProjectCtx, demoUrl: string): Promise<void> {
  const { data } = await listSubscriptions(demo, { limit: 100 });
  for (const { id, url } of data) {
    const ours = DEMO_SUBSCRIPTIONS.find(({ receiver }) => url.endsWith(`/demo/webhooks/${receiver}`));
    const moved = ours && `${demoUrl}/webhooks/${ours.receiver}`;
    if (moved && url !== moved) await updateSubscription(demo, id, { url: moved });
  }
}

async function exists(found: Promise<unknown>): Promise<boolean> {
  try {
    await found;
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return false;
    throw error;
  }
}
