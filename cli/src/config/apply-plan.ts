import { ApiError, type Client } from "@millrace/sdk";
import { changedFieldNames } from "./field-changes.ts";
import { idOf, writtenBody } from "./items.ts";
import type { Body, Kind } from "./kinds.ts";
import { type Action, type Change, type Plan, refsOf } from "./make-plan.ts";
import { channelIds, singlePath } from "./read-remote.ts";

export type Applied = { action: Action; kind: string; key: string; error: string | null };

type Hooks = {
  /** Before each object; throws if the configuration is no longer ours to apply. */
  before: () => Promise<void>;
  after: (applied: Applied) => void;
};

type Options = { projectId: string; prune: boolean; breaking: boolean };

/**
 * Applies one object after the other, each with one request, except that a replaced one is deleted first and that jobs
 * get references to jobs that do not exist yet, and their dependencies, when all jobs exist. An error does not stop the
 * others: what remains is the plan of the next run.
 */
export async function applyPlan(client: Client, plan: Plan, options: Options, hooks: Hooks): Promise<Applied[]> {
  const changes = plan.changes.filter(({ action }) => options.prune || (action !== "delete" && action !== "reset"));
  const later: { applied: Applied; work: () => Promise<unknown> }[] = [];
  const waiting = new Set(changes.filter(({ action }) => action === "create").map(({ item }) => idOf(item)));
  const results: Applied[] = [];
  const settle = async (applied: Applied, work: () => Promise<unknown>) => {
    await hooks.before();
    applied.error ??= await work().then(
      () => null,
      (error: Error) => failureOf(error),
    );
  };
  for (const [nth, change] of changes.entries()) {
    const { action, item } = change;
    const applied: Applied = { action, kind: item.kind.kind, key: item.key, error: null };
    results.push(applied);
    const split = splitBody(change, waiting);
    await settle(applied, () => applyOne(client, change, split.now, options));
    waiting.delete(idOf(item));
    if (split.later) later.push({ applied, work: split.later(client) });
    else hooks.after(applied);
    if (changes[nth + 1]?.item.kind === item.kind) continue;
    for (const { applied, work } of later.splice(0)) {
      if (applied.error === null) await settle(applied, work);
      hooks.after(applied);
    }
  }
  return results;
}

/** Interruption and a lost connection end everything; an answer of the service belongs to the object. */
function failureOf(error: Error): string {
  if (!(error instanceof ApiError)) throw error;
  const { fields, message } = error;
  return fields.length > 0 ? fields.map((field) => `${field.location} ${field.message}`).join("; ") : message;
}

type Split = { now: Body; later: ((client: Client) => () => Promise<unknown>) | undefined };

/** Moves what refers to jobs that do not exist yet into a second request. */
function splitBody({ action, item, fields, sent }: Change, waiting: ReadonlySet<string>): Split {
  const names =
    action === "create" || action === "replace"
      ? Object.keys(writtenBody({ ...item, body: sent }))
      : changedFieldNames(fields);
  const body = Object.fromEntries(names.map((name) => [name, sent[name]]));
  const { dependencies, ...now } = body;
  const isEarly = refsOf({ kind: item.kind, body: { on_failure_job_id: now.on_failure_job_id } }).some((ref) =>
    waiting.has(ref),
  );
  const late = isEarly ? now.on_failure_job_id : undefined;
  if (late !== undefined) delete now.on_failure_job_id;
  if (dependencies === undefined && late === undefined) return { now, later: undefined };
  const path = `/v1/jobs/${encodeURIComponent(item.key)}`;
  return {
    now,
    later: (client) => async () => {
      if (late !== undefined) await client.request("PATCH", path, { body: { on_failure_job_id: late } });
      if (dependencies !== undefined) await client.request("PUT", `${path}/dependencies`, { body: { dependencies } });
    },
  };
}

async function applyOne(client: Client, change: Change, named: Body, options: Options): Promise<void> {
  const { action, item, sent } = change;
  const { kind } = item;
  const body = await withChannelIds(client, named);
  if (kind.shape === "single") {
    await client.request("PUT", singlePath(kind, options.projectId), { body: sent });
    return;
  }
  if (action === "delete" || action === "replace") await client.request("DELETE", pathOf(change));
  if (action === "create" || action === "replace") {
    await client.request("POST", collectionOf(kind, sent), { body: createBody(kind, item.key, body, sent) });
  } else if (action !== "delete" && Object.keys(body).length > 0) {
    const mark = kind.kind === "workflow" && options.breaking && "steps" in body ? { breaking_change: true } : {};
    await client.request("PATCH", pathOf(change), { body: { ...body, ...mark } });
  }
}

/** By id, since several alert channels may have one name. */
async function withChannelIds(client: Client, body: Body): Promise<Body> {
  const { channel_ids } = body;
  if (!Array.isArray(channel_ids) || channel_ids.length === 0) return body;
  const ids = await channelIds(client);
  return { ...body, channel_ids: channel_ids.map((name) => ids.get(name) ?? name) };
}

export function createBody({ keyField, fields }: Kind, key: string, body: Body, sent: Body): Body {
  const { source: _, ...rest } = body;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return { ...(keyField && { [keyField]: key }), ...("name" in fields && { name: sent.name }), ...given };
}

function collectionOf({ kind, path }: Kind, { source }: Body): string {
  return kind === "event_subscription" ? `${path}/${encodeURIComponent(String(source))}/subscriptions` : path;
}

function pathOf({ item, remote }: Change): string {
  const name = item.kind.kind === "queue" ? item.key : remote?.id;
  return `${collectionOf(item.kind, item.body)}/${name}`;
}
