import { hostname, userInfo } from "node:os";
import type { ManagedObject, ProjectConfig } from "@millrace/contract/projects/project-config";
import { type Client, ConflictError, createClient } from "@millrace/sdk";
import { CommandError } from "../command-error.ts";
import type { Settings } from "../settings/read-settings.ts";
import type { Applied } from "./apply-plan.ts";
import { idOf } from "./items.ts";
import type { Plan } from "./make-plan.ts";

const PATH = "/v1/project-config";
const LEASE_SECS = 120;
const RENEW_AFTER_MS = 20_000;

export function readManaged(client: Client): Promise<ProjectConfig> {
  return client.request<ProjectConfig>("GET", PATH);
}

/** Two applications at once would mix, so the second one is refused. */
export function refuseIfApplying({ applying_by, applying_until }: ProjectConfig): void {
  if (applying_by === null) return;
  throw new CommandError("conflict", `${applying_by} is applying a configuration to this project.`, [
    `Wait for it to end. If it was interrupted, its lock expires at ${applying_until}; --unlock takes it over at once.`,
  ]);
}

export type Held = { renew: () => Promise<void>; release: (objects: ManagedObject[]) => Promise<void> };

/**
 * Locks the configuration and records what it will own, on the revision that the plan is based on. Objects are owned before
 * they exist, so that an interrupted apply leaves none without an owner.
 */
export async function holdConfig(
  { baseUrl, apiKey }: Settings,
  before: ProjectConfig,
  objects: ManagedObject[],
): Promise<Held> {
  // A separate client, so that the lock can be released after Ctrl-C.
  const client = createClient({
    baseUrl: baseUrl.value,
    ...(apiKey && { apiKey: apiKey.value }),
    maxRetryAfterSecs: 70,
  });
  let { revision } = before;
  let heldAt = 0;
  const put = async (body: Partial<ProjectConfig> & { applying_secs?: number }) => {
    const answer = await client.request<ProjectConfig>("PUT", PATH, { body: { revision, ...body } }).catch(lost);
    ({ revision } = answer);
    heldAt = Date.now();
  };
  const lock = () => put({ objects, applying_by: whoAmI(), applying_secs: LEASE_SECS });
  await lock();
  return {
    renew: async () => {
      if (Date.now() - heldAt > RENEW_AFTER_MS) await lock();
    },
    release: (objects) => put({ objects, applying_by: null }),
  };
}

function lost(error: unknown): never {
  if (!(error instanceof ConflictError)) throw error;
  throw new CommandError("conflict", "Someone else applied a configuration to this project in the meantime.", [
    "Run the command again: it continues from what the project has now.",
  ]);
}

function whoAmI(): string {
  return `${process.env.GITHUB_ACTOR ?? userInfo().username}@${hostname()}`.slice(0, 200);
}

/** What is owned while a plan is applied: everything that was, and everything that will be. */
export function ownedDuring({ owner, items }: Plan, managed: readonly ManagedObject[]): ManagedObject[] {
  const own = items.map(({ kind, key }) => ({ owner, kind: kind.kind, key }));
  const names = new Set(items.map(idOf));
  return sortObjects([...managed.filter(({ kind, key }) => !names.has(`${kind} ${key}`)), ...own]);
}

/** Without what was deleted, and without what could not be created. */
export function ownedAfter(plan: Plan, during: readonly ManagedObject[], results: readonly Applied[]): ManagedObject[] {
  const isGone = ({ action, error }: Applied) =>
    action === "create" ? error !== null : error === null && (action === "delete" || action === "reset");
  const gone = new Set(results.filter(isGone).map(({ kind, key }) => `${kind} ${key}`));
  const listed = new Set([...plan.items, ...plan.changes.map(({ item }) => item)].map(idOf));
  // An object of ours that is neither configured nor there any more was deleted by someone else.
  const isStale = (object: ManagedObject) => object.owner === plan.owner && !listed.has(`${object.kind} ${object.key}`);
  return during.filter((object) => !gone.has(`${object.kind} ${object.key}`) && !isStale(object));
}

function sortObjects(objects: ManagedObject[]): ManagedObject[] {
  return objects.sort((a, b) => (`${a.kind} ${a.key}` < `${b.kind} ${b.key}` ? -1 : 1));
}
