import { asStored, changedFields } from "./changed-fields.ts";
import type { ClientCore } from "./client/create-core.ts";
import { NotFoundError } from "./client/http/api-error.ts";
import { MillraceError } from "./errors.ts";
import { type Manifest, manifestOf } from "./serve/manifest.ts";
import type { ServeOptions } from "./serve/serve-options.ts";
import { signRequest } from "./serve/verify-signature.ts";

/**
 * What `sync` did with a job or a workflow.
 *
 * @example
 * const items: SyncedItem[] = await sync(client, { jobs: [sendMail], endpointUrl: "http://localhost:3000/millrace" });
 * for (const { kind, slug, change } of items) console.log(kind, slug, change);
 */
export type SyncedItem = {
  kind: "job" | "workflow";
  slug: string;
  change: "created" | "updated" | "unchanged";
  fields: string[];
};

/**
 * Options of `sync` and `applyManifest`.
 *
 * @example
 * const options: SyncOptions = { dryRun: true };
 * const planned = await sync(client, { jobs: [sendMail], endpointUrl: "http://localhost:3000/millrace" }, options);
 */
export type SyncOptions = {
  /** Returns what would change, and changes nothing. */
  dryRun?: boolean;
};

/**
 * How runs reach the code: the service sends them to `endpointUrl`, or workers claim them.
 *
 * @example
 * const delivery: Delivery = { delivery: "pull" };
 * await sync(client, { jobs: [sendMail], ...delivery });
 */
export type Delivery = { delivery?: "push"; endpointUrl: string } | { delivery: "pull"; endpointUrl?: undefined };

/**
 * Creates or updates jobs and workflows by slug, so that the service matches the code.
 *
 * @example
 * await sync(client, { jobs: [sendMail], workflows: [order], endpointUrl: "http://localhost:3000/millrace" });
 * await sync(client, { jobs: [sendMail], delivery: "pull" });
 */
export function sync(
  client: ClientCore,
  definitions: Pick<ServeOptions, "jobs" | "workflows"> & Delivery,
  options?: SyncOptions,
): Promise<SyncedItem[]> {
  return applyManifest(client, manifestOf(definitions), definitions.endpointUrl ?? null, options);
}

/**
 * Reads which jobs and workflows an endpoint serves, with a request signed with the secret.
 *
 * @example
 * const { jobs } = await readManifest("http://localhost:3000/millrace", secret);
 */
export async function readManifest(
  endpointUrl: string,
  signingSecret: string,
  fetch = globalThis.fetch,
): Promise<Manifest> {
  const response = await fetch(endpointUrl, { headers: await signRequest(signingSecret) });
  const body = (await response.json().catch(() => undefined)) as (Manifest & { error?: string }) | undefined;
  if (response.ok && body?.millrace === 1) return body;
  const reason = body?.error ?? "it is not a serve() endpoint";
  throw new MillraceError("no_manifest", `${endpointUrl} returned ${response.status}: ${reason}`);
}

/**
 * Applies jobs first, since workflows refer to them, and then workflows in dependency order. With null instead of a URL,
 * workers claim the runs of the jobs.
 *
 * @example
 * const url = "http://localhost:3000/millrace";
 * await applyManifest(client, await readManifest(url, secret), url);
 */
export async function applyManifest(
  client: ClientCore,
  { jobs, workflows }: Manifest,
  endpointUrl: string | null,
  options: SyncOptions = {},
): Promise<SyncedItem[]> {
  const items: SyncedItem[] = [];
  const delivery = endpointUrl === null ? "pull" : "push";
  for (const job of inOrder(jobs, ({ on_failure_job_id }) => [on_failure_job_id])) {
    items.push(await upsert(client, "job", { ...job, delivery, endpoint_url: endpointUrl }, options));
  }
  for (const workflow of inOrder(workflows, ({ steps }) => steps.map(({ workflow_id }) => workflow_id))) {
    items.push(await upsert(client, "workflow", workflow, options));
  }
  return items;
}

type Body = { slug?: string | undefined } & Record<string, unknown>;

async function upsert(
  client: ClientCore,
  kind: "job" | "workflow",
  body: Body,
  { dryRun }: SyncOptions,
): Promise<SyncedItem> {
  const slug = body.slug ?? "";
  const path = `/v1/${kind}s/${encodeURIComponent(slug)}`;
  const current = await client.request<Record<string, unknown>>("GET", path).catch((error: unknown) => {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  });
  const stored = (await asStored(client, body)) as Body;
  const sent = (fields: string[]) => Object.fromEntries(fields.map((name) => [name, stored[name]]));
  if (!current) {
    if (!dryRun) await client.request("POST", `/v1/${kind}s`, { body: sent(Object.keys(stored)) });
    return { kind, slug, change: "created", fields: [] };
  }
  const fields = changedFields(current, stored);
  if (fields.length === 0) return { kind, slug, change: "unchanged", fields };
  if (!dryRun) await client.request("PATCH", path, { body: sent(fields) });
  return { kind, slug, change: "updated", fields };
}

/** Dependency order. Cycles are left as they are. */
function inOrder<T extends { slug?: string | undefined }>(
  items: T[],
  needs: (item: T) => (string | null | undefined)[],
): T[] {
  const ordered = new Set<T>();
  const visit = (item: T, above: Set<T>) => {
    if (above.has(item)) return;
    for (const need of needs(item)) {
      const needed = items.find(({ slug }) => slug === need);
      if (needed && needed !== item) visit(needed, new Set([...above, item]));
    }
    ordered.add(item);
  };
  for (const item of items) visit(item, new Set());
  return [...ordered];
}
