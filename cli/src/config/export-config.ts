import { type RemoteItem, writtenBody } from "./items.ts";
import { type Body, KINDS } from "./kinds.ts";
import { REDACTED } from "./read-remote.ts";
import { writtenSteps } from "./steps.ts";

/** A configuration that describes these objects, and the values of the variables that it refers to. */
export type Exported = { config: Body; values: Record<string, string> };

/** References are named after the object and the field; values that the service does not show are not part of them. */
export function exportConfig(remote: readonly RemoteItem[]): Exported {
  const values: Record<string, string> = {};
  const names = new Set<string>();
  const config: Body = {};
  const refTo = (item: RemoteItem, name: string, value: unknown) => {
    const env = uniqueName(names, item, name);
    if (typeof value === "string" && !value.includes(REDACTED)) values[env] = value;
    return { env };
  };
  for (const { section, shape, kind } of KINDS) {
    const items = remote.filter((item) => item.kind.kind === kind && isWorthWriting(item));
    const written = items.map((item): [string, Body] => [item.key, writtenItem(item, refTo)]);
    if (written.length === 0) continue;
    if (shape === "map") config[section] = Object.fromEntries(written);
    else if (shape === "list") config[section] = written.map(([, body]) => body);
    else if (shape === "single") config[section] = written[0]?.[1];
    else addSubscriptions(config, written);
  }
  return { config, values };
}

/** What every project has is only written if it was changed; environments always are, as a place for variables. */
function isWorthWriting(item: RemoteItem): boolean {
  return !item.isStandard || item.kind.kind === "environment" || Object.keys(writtenBody(item)).length > 0;
}

type RefTo = (item: RemoteItem, name: string, value: unknown) => { env: string };

function writtenItem(item: RemoteItem, refTo: RefTo): Body {
  const body = writtenBody(item);
  for (const [field, shape] of Object.entries(item.kind.secrets ?? {})) {
    const value = body[field];
    if (value === undefined || value === null) continue;
    if (shape === "value") body[field] = refTo(item, field, value);
    else if (shape === "map") body[field] = mapEntries(value as Body, (name, one) => refTo(item, name, one));
    else body[field] = mapEntries(value as Body, (name, one) => (one === REDACTED ? refTo(item, name, one) : one));
  }
  if (Array.isArray(body.steps)) body.steps = writtenSteps(body.steps);
  return body;
}

function mapEntries(body: Body, map: (name: string, value: unknown) => unknown): Body {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, map(name, value)]));
}

function uniqueName(names: Set<string>, { kind, key }: RemoteItem, name: string): string {
  const plain = (text: string) => text.replaceAll(/[^A-Za-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "");
  const prefix = kind.kind === "environment" ? "" : `${kind.kind}_`;
  const base = `${plain(`${prefix}${key}`)}__${plain(name)}`.toUpperCase().replace(/^(\d)/, "_$1");
  let unique = base;
  for (let nth = 2; names.has(unique); nth++) unique = `${base}_${nth}`;
  names.add(unique);
  return unique;
}

/** Written in the source that they belong to. */
function addSubscriptions(config: Body, written: readonly [string, Body][]): void {
  for (const [slug, source] of Object.entries(config.event_sources as Record<string, Body>)) {
    const own = written.filter(([, body]) => body.source === slug).map(([, { source: _, ...body }]) => body);
    if (own.length > 0) source.subscriptions = own;
  }
}
