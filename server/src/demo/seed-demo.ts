import { sql } from "kysely";
import { createApiKey } from "../features/api-keys/create-api-key.ts";
import { createProject } from "../features/projects/create-project.ts";
import { hashKey } from "../platform/access/credentials/key-format.ts";
import type { CallerCtx, Ctx } from "../platform/context.ts";
import { withRetryBudget } from "../platform/database/with-retry-budget.ts";
import { checkOutgoingUrl } from "../platform/outgoing/check-url.ts";
import { readSigningSecrets } from "../platform/secrets/signing-secrets.ts";
import { keepFirstThings, readFirstThings } from "../platform/settings/dev-secrets.ts";
import { devCtx } from "./demo-ctx.ts";
import { fillDemo } from "./fill-demo.ts";
import { moveDemo } from "./move-demo.ts";

type Seeded = { apiKey: string | undefined; signingSecret: string | undefined; hasDemo: boolean };

/** On an empty database: a first project with a key, and a demo. Returns the key while it is valid. */
export async function seedDemo(ctx: Ctx, url: string): Promise<Seeded> {
  const demoUrl = `${url.replace("//localhost", "//127.0.0.1")}/demo`;
  const isFirst = await withRetryBudget(async () => !(await hasProjects(ctx)));
  return isFirst ? makeFirst(ctx, demoUrl) : withRetryBudget(() => findFirst(ctx, demoUrl));
}

async function findFirst(ctx: Ctx, demoUrl: string): Promise<Seeded> {
  const { first_api_key, demo_project_id } = readFirstThings(ctx.config.data_dir);
  const known = first_api_key === undefined ? undefined : await ctx.keyCache.find(ctx.db, hashKey(first_api_key));
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
  keepFirstThings(ctx.config.data_dir, { first_api_key: key });
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
  keepFirstThings(caller.config.data_dir, { demo_project_id: project_id });
  await fillDemo({ ...caller, project_id }, demoUrl);
  return project_id;
}
