import { ALERT_CHANNEL_URLS, type AlertChannelKind } from "@millrace/contract/alerts/alert-channels";
import { isEnvRef } from "./config-items.ts";
import type { Item, RemoteItem } from "./items.ts";
import type { Body, Kind } from "./kinds.ts";
import { outboxUrl, REDACTED } from "./read-remote.ts";

export type Values = (name: string) => string | undefined;

/**
 * `compared` has the form in which the service shows secrets, `sent` their values. `missing` are variables that are not
 * set; those of a field are only needed if it is sent.
 */
export type Resolved = { compared: Body; sent: Body; missing: Missing[] };
type Missing = { env: string; field: string };

/** Looks up the references of an object. Where the service shows a value, it stands in for a variable that is not set. */
export function resolveSecrets({ kind, body }: Item, remote: RemoteItem | undefined, values: Values): Resolved {
  const resolved: Resolved = { compared: { ...body }, sent: { ...body }, missing: [] };
  for (const [field, shape] of Object.entries(kind.secrets ?? {})) {
    const place = { kind, field, remote, values, resolved };
    if (shape === "map") resolveMap(place);
    else if (shape === "auth") resolveAuth(place);
    else resolveValue(place);
  }
  return resolved;
}

type Place = { kind: Kind; field: string; remote: RemoteItem | undefined; values: Values; resolved: Resolved };

function resolveMap({ field, remote, values, resolved }: Place): void {
  const before = (remote?.body[field] ?? {}) as Record<string, string>;
  const refs = Object.entries((resolved.sent[field] ?? {}) as Record<string, { env: string }>);
  const sent = refs.map(
    ([name, { env }]) => [name, values(env) ?? before[name] ?? missed(resolved, env, field)] as const,
  );
  resolved.sent[field] = Object.fromEntries(sent);
  resolved.compared[field] = Object.fromEntries(
    sent.map(([name, value]) => [name, before[name] === REDACTED ? REDACTED : value]),
  );
}

function missed({ missing }: Resolved, env: string, field: string): string {
  missing.push({ env, field });
  return "";
}

function resolveAuth({ field, values, resolved }: Place): void {
  const auth = (resolved.sent[field] ?? {}) as Body;
  const entries = Object.entries(auth).map(([name, value]): [string, unknown, unknown] => {
    if (!isEnvRef(value)) return [name, value, value];
    return [name, REDACTED, values(value.env) ?? missed(resolved, value.env, field)];
  });
  resolved.compared[field] = Object.fromEntries(entries.map(([name, shown]) => [name, shown]));
  resolved.sent[field] = Object.fromEntries(entries.map(([name, , sent]) => [name, sent]));
}

/** The secret of a source is only sent when it is created; afterwards it is rotated. */
function resolveValue({ kind, field, remote, values, resolved }: Place): void {
  const ref = resolved.sent[field];
  const value = isEnvRef(ref) ? values(ref.env) : undefined;
  if (isEnvRef(ref) && value === undefined) missed(resolved, ref.env, field);
  const usual = kind.kind === "alert_channel" && field === "url" ? usualUrl(resolved.sent) : null;
  resolved.sent[field] = value ?? usual;
  if (usual !== null && !isEnvRef(ref)) return; // none: the usual one
  const shown = remote?.body[field] ?? (isEnvRef(ref) ? REDACTED : null);
  resolved.compared[field] = kind.kind === "outbox_source" && value !== undefined ? shownUrl(value) : shown;
}

function usualUrl({ kind }: Body): string | null {
  return ALERT_CHANNEL_URLS[kind as AlertChannelKind] ?? null;
}

function shownUrl(text: string): string {
  if (!URL.canParse(text)) return REDACTED;
  const url = new URL(text);
  return outboxUrl({
    host: url.hostname,
    port: url.port || 5432,
    database: decodeURIComponent(url.pathname.slice(1)),
    username: decodeURIComponent(url.username),
    sslmode: url.searchParams.get("sslmode") ?? "verify-full",
  });
}

/** Whether the service never shows a value of the object, so that a changed one cannot be noticed. */
export function hasHiddenSecret({ kind, body }: Item): boolean {
  if (kind.kind === "webhook_subscription") return Object.keys(body.headers as Body).length > 0;
  if (kind.kind === "log_drain") return (body.auth as Body).type !== "none";
  if (kind.kind === "alert_channel") return body.kind !== "email";
  return kind.kind === "outbox_source";
}

/** The secret fields of an object that `--secrets` sends again. */
export function hiddenFields({ kind, body }: Item): string[] {
  return Object.keys(kind.secrets ?? {}).filter((field) => body[field] !== null);
}
