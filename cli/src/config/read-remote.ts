import { ALERT_CHANNEL_URLS, type AlertChannelKind } from "@millrace/contract/alerts/alert-channels";
import { type Client, PermissionError } from "@millrace/sdk";
import { normalBody, numberKeys, type RemoteItem } from "./items.ts";
import { type Body, KINDS, type Kind, type RefKind } from "./kinds.ts";
import { mapStepRefs } from "./steps.ts";

/** What the service returns instead of a secret that it does not show. */
export const REDACTED = "[redacted]";

type Row = Body & { id: string };
type NameOf = (kind: RefKind, id: unknown) => unknown;

const AT_ONCE = 8;

/**
 * Every object of the project that a configuration can describe, with slugs instead of ids. Kinds that are not needed
 * may be hidden from the key.
 */
export async function readRemote(
  client: Client,
  projectId: string,
  isNeeded: (kind: string) => boolean,
  onKind: (done: number, total: number) => void,
): Promise<RemoteItem[]> {
  const rows = new Map<string, Row[]>();
  for (const [nth, kind] of KINDS.entries()) {
    onKind(nth, KINDS.length);
    const read = rowsOf(client, kind, projectId, rows).catch((error: unknown) => {
      if (error instanceof PermissionError && !isNeeded(kind.kind)) return [];
      throw error;
    });
    rows.set(kind.kind, await read);
  }
  const nameOf = namesOf(rows);
  return KINDS.flatMap((kind) => {
    const items = (rows.get(kind.kind) ?? []).filter(isDescribed).map((row) => itemOf(kind, row, nameOf));
    return numberKeys(items).sort((a, b) => (a.key < b.key ? -1 : 1));
  });
}

async function rowsOf(client: Client, kind: Kind, projectId: string, read: Map<string, Row[]>): Promise<Row[]> {
  if (kind.shape === "single") return [await client.request<Row>("GET", singlePath(kind, projectId))];
  if (kind.kind !== "event_subscription") {
    const rows = await listOf(client, kind.path);
    return kind.kind === "job" ? withDependencies(client, rows) : rows;
  }
  const sources = read.get("event_source") ?? [];
  const found = await inParallel(sources, async ({ id, slug }) => {
    const rows = await listOf(client, `${kind.path}/${id}/subscriptions`);
    return rows.map((row) => ({ ...row, source: slug }));
  });
  return found.flat();
}

/** The policy of workflows is found by the project. */
export function singlePath({ kind, path }: Kind, projectId: string): string {
  return kind === "workflow_policy" ? `${path}/${projectId}` : path;
}

async function listOf(client: Client, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of client.paginate<Row>(path, { limit: 100, order: "asc" })) rows.push(row);
  return rows;
}

/** Lists of jobs do not include the jobs that they wait for. */
function withDependencies(client: Client, jobs: Row[]): Promise<Row[]> {
  return inParallel(jobs, async (job) => {
    const { dependencies } = await client.request<{ dependencies: Body[] }>("GET", `/v1/jobs/${job.id}/dependencies`);
    return { ...job, dependencies };
  });
}

async function inParallel<T, R>(given: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = [...given.entries()];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/** Schedules of a `cron` belong to their job or workflow; system roles are the same everywhere. */
function isDescribed(row: Row): boolean {
  return row.is_default !== true && row.is_system !== true;
}

function namesOf(rows: ReadonlyMap<string, Row[]>): NameOf {
  const names = (kind: RefKind, field: "slug" | "name") =>
    new Map((rows.get(kind) ?? []).map((row) => [row.id, String(row[field])]));
  const maps = {
    ...{ environment: names("environment", "slug"), job: names("job", "slug") },
    ...{ workflow: names("workflow", "slug"), role: names("role", "name") },
    alert_channel: channelNames(rows.get("alert_channel") ?? []),
  };
  return (kind, id) => (typeof id === "string" ? (maps[kind].get(id) ?? id) : id);
}

/** By id. Equal names are numbered as in a configuration. */
function channelNames(channels: readonly Row[]): Map<unknown, string> {
  return new Map(
    numberKeys(channels.map(({ id, name }) => ({ id, key: String(name) }))).map(({ id, key }) => [id, key]),
  );
}

/** The id of each alert channel by its name: rules name channels by id. */
export async function channelIds(client: Client): Promise<Map<unknown, unknown>> {
  const names = channelNames(await listOf(client, "/v1/alert-channels"));
  return new Map([...names].map(([id, name]) => [name, id]));
}

function itemOf(kind: Kind, row: Row, nameOf: NameOf): RemoteItem {
  const given = Object.fromEntries(
    Object.keys(kind.fields).map((field) => [field, shownValue(kind, field, row, nameOf)]),
  );
  const key = keyOf(kind, row, given);
  const isStandard =
    kind.shape === "single" || row.is_standard === true || (kind.kind === "queue" && key === "default");
  return { kind, key, id: row.id ?? "", isStandard, body: normalBody(kind, key, given) };
}

function shownValue(kind: Kind, field: string, row: Row, nameOf: NameOf): unknown {
  const value = row[field];
  const ref = kind.refs?.[field];
  if (ref) return Array.isArray(value) ? value.map((id) => nameOf(ref, id)) : nameOf(ref, value);
  if (field === "steps") return mapStepRefs(value as Body[], (step, id) => String(nameOf(step, id)));
  if (field === "dependencies")
    return (value as Body[]).map(({ job_slug, condition }) => ({ job_id: job_slug, condition }));
  if (field === "subject") return String(value).replace(/^role:(.+)$/, (_, id) => `role:${nameOf("role", id)}`);
  if (field === "resource_id") return resourceName(row, nameOf);
  if (kind.kind === "log_drain" && field === "auth") return authOf(row);
  if (kind.kind === "alert_channel" && field !== "enabled" && field !== "kind") return receiverOf(row, field);
  if (kind.kind === "event_source" && field === "secret") return row.signature === "none" ? null : REDACTED;
  if (kind.kind === "outbox_source" && field === "database_url") return outboxUrl(row);
  return value;
}

function resourceName({ resource_type, resource_id }: Body, nameOf: NameOf): unknown {
  const known: readonly unknown[] = ["environment", "job", "workflow"];
  return known.includes(resource_type) ? nameOf(resource_type as RefKind, resource_id) : resource_id;
}

function authOf({ auth_type, auth_name }: Body): Body {
  if (auth_type === "bearer") return { type: auth_type, token: REDACTED };
  if (auth_type === "basic") return { type: auth_type, username: auth_name, password: REDACTED };
  return auth_type === "header" ? { type: auth_type, name: auth_name, value: REDACTED } : { type: "none" };
}

/** The service shows the origin of a URL, since the rest may be a secret. */
function receiverOf({ kind, target }: Body, field: string): string | null {
  const isEmail = kind === "email";
  if (field === "email") return isEmail ? String(target).replace(/^mailto:/, "") : null;
  const usual = ALERT_CHANNEL_URLS[kind as AlertChannelKind];
  if (field === "key") return usual === undefined ? null : REDACTED;
  return isEmail || (usual !== undefined && new URL(usual).origin === new URL(String(target)).origin) ? null : REDACTED;
}

/** A database URL without its password, to compare what the service shows with what is configured. */
export function outboxUrl({ host, port, database, username, sslmode }: Body): string {
  return `postgresql://${username}:${REDACTED}@${host}:${port}/${database}?sslmode=${sslmode}`;
}

function keyOf(kind: Kind, row: Row, body: Body): string {
  if (kind.shape === "single") return kind.kind;
  if (kind.identity) return kind.identity(normalBody(kind, "", body));
  const name = row[kind.keyField ?? "slug"];
  // Only schedules may have no name.
  return typeof name === "string" ? name : `${body.job_id ?? body.workflow_id} at ${body.cron}`;
}
