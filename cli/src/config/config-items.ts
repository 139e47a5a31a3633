import { CommandError } from "../command-error.ts";
import { didYouMean } from "../did-you-mean.ts";
import { type Item, normalBody, numberKeys } from "./items.ts";
import { type Body, KINDS, type Kind, REQUIRED } from "./kinds.ts";

const DEFAULT_OWNER = "default";

/** The objects of a configuration. Reports every mistake in its form at once. */
export function configItems(config: Body): { owner: string; items: Item[] } {
  const mistakes: string[] = [];
  const sections = KINDS.filter(({ shape }) => shape !== "nested").map(({ section }) => section);
  reportUnknown(mistakes, "", config, ["name", "$schema", ...sections]);
  const items = KINDS.flatMap((kind) => itemsOf(kind, config, mistakes));
  if (mistakes.length === 0) return { owner: String(config.name ?? DEFAULT_OWNER), items };
  throw new CommandError("usage", "The configuration is not valid.", mistakes.slice(0, 50));
}

function itemsOf(kind: Kind, config: Body, mistakes: string[]): Item[] {
  const items = entriesOf(kind, config, mistakes).map(([at, key, given]) => {
    reportUnknown(mistakes, `${at}.`, given, fieldsOf(kind));
    for (const [field, otherwise] of Object.entries(kind.fields)) {
      if (otherwise === REQUIRED && given[field] === undefined) mistakes.push(`${at}.${field} is required.`);
    }
    for (const [field, shape] of Object.entries(kind.secrets ?? {})) {
      reportLiterals(mistakes, `${at}.${field}`, given[field], shape);
    }
    return { kind, key, body: normalBody(kind, key, given) };
  });
  return kind.identity ? numberKeys(items.map((item) => ({ ...item, key: kind.identity?.(item.body) ?? "" }))) : items;
}

function fieldsOf(kind: Kind): string[] {
  return [...Object.keys(kind.fields), ...(kind.kind === "event_source" ? ["subscriptions"] : [])];
}

type Entry = [at: string, key: string, given: Body];

function entriesOf(kind: Kind, config: Body, mistakes: string[]): Entry[] {
  if (kind.shape === "nested") return subscriptionsOf(config);
  const section = config[kind.section];
  if (section === undefined || section === null) return [];
  const isList = Array.isArray(section);
  if (typeof section !== "object" || isList !== (kind.shape === "list")) {
    mistakes.push(`${kind.section} must be ${kind.shape === "list" ? "a list" : "an object"}.`);
    return [];
  }
  if (kind.shape === "single") return [[kind.section, kind.kind, section as Body]];
  const entries = Object.entries(section as Body).map(([key, given]): Entry => {
    return [isList ? `${kind.section}[${key}]` : `${kind.section}.${key}`, key, (given ?? {}) as Body];
  });
  const wrong = entries.filter(([, , given]) => typeof given !== "object" || Array.isArray(given));
  for (const [at] of wrong) mistakes.push(`${at} must be an object.`);
  return entries.filter((entry) => !wrong.includes(entry));
}

function subscriptionsOf({ event_sources }: Body): Entry[] {
  return Object.entries((event_sources ?? {}) as Record<string, Body | null>).flatMap(([source, given]) =>
    ((given?.subscriptions ?? []) as Body[]).map(
      (one, nth): Entry => [`event_sources.${source}.subscriptions[${nth}]`, "", { source, ...one }],
    ),
  );
}

function reportUnknown(mistakes: string[], at: string, given: Body, known: readonly string[]): void {
  for (const name of Object.keys(given).filter((field) => !known.includes(field))) {
    const [near] = didYouMean(name, known);
    mistakes.push(`${at}${name} is not a field.${near ? ` Did you mean ${near}?` : ""}`);
  }
}

const CREDENTIALS: readonly string[] = ["token", "password", "value"];

/** A secret in a file ends up in version control: only references are accepted. */
function reportLiterals(mistakes: string[], at: string, value: unknown, shape: "map" | "value" | "auth"): void {
  if (value === undefined || value === null) return;
  if (shape === "value") {
    if (!isEnvRef(value)) mistakes.push(`${at} must name an environment variable: { env: NAME }.`);
    return;
  }
  if (typeof value !== "object") return void mistakes.push(`${at} must be an object.`);
  for (const [name, one] of Object.entries(value)) {
    if (shape === "map" || CREDENTIALS.includes(name)) reportLiterals(mistakes, `${at}.${name}`, one, "value");
  }
}

export function isEnvRef(value: unknown): value is { env: string } {
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  return keys.length === 1 && typeof (value as { env?: unknown }).env === "string";
}
