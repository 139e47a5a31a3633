import { NotFoundError } from "@millrace/sdk";
import type { Cli } from "../cli.ts";
import { CommandError } from "../command-error.ts";
import { didYouMean } from "../did-you-mean.ts";
import { takeRows } from "./take-rows.ts";

/** Slugs to suggest from. */
const MAX_SLUGS = 500;
/** Far above what a project has; a name is found by reading the list. */
const MAX_LISTED = 10_000;

/** Objects that the API finds by slug as well as by id. */
type SluggedKind = "jobs" | "workflows" | "environments" | "event-sources" | "projects";
const NOUNS: Record<SluggedKind, string> = {
  jobs: "Job",
  workflows: "Workflow",
  environments: "Environment",
  "event-sources": "Event source",
  projects: "Project",
};
const LISTED_BY: Record<SluggedKind, string> = {
  jobs: "millrace jobs list",
  workflows: "millrace workflows list",
  environments: "millrace env list",
  "event-sources": "millrace sources list",
  projects: "millrace whoami",
};

/** Runs a request for an object with a slug. If it does not exist, the error suggests similar slugs. */
export async function withSlug<T>(
  cli: Cli,
  kind: SluggedKind,
  given: string,
  act: (path: string) => Promise<T>,
): Promise<T> {
  try {
    return await act(`/v1/${kind}/${encodeURIComponent(given)}`);
  } catch (error) {
    if (error instanceof NotFoundError) throw await noSuchSlug(cli, kind, given, error);
    throw error;
  }
}

async function noSuchSlug(cli: Cli, kind: SluggedKind, given: string, error: NotFoundError): Promise<CommandError> {
  const slugs = await takeRows<{ slug: string }>(cli, `/v1/${kind}`, {}, MAX_SLUGS)
    .then(({ rows }) => rows.map(({ slug }) => slug))
    .catch((): string[] => []); // a key without permission to list them gets no suggestions
  // The object exists: something below it does not, and the service says what.
  if (slugs.includes(given)) throw error;
  return new CommandError("not_found", `${NOUNS[kind]} "${given}" does not exist.`, [
    suggestion(given, slugs, LISTED_BY[kind]),
    `${error.code} (${error.status})${error.requestId === undefined ? "" : ` · request ${error.requestId}`}`,
  ]);
}

/** Looks up slugs by id, each only once. An object that is gone or hidden is named by its id. */
export function slugsOf(cli: Cli, kind: SluggedKind): (id: string) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return (id) => {
    const slug =
      known.get(id) ??
      cli
        .client()
        .request<{ slug: string }>("GET", `/v1/${kind}/${id}`)
        .then(({ slug }) => slug)
        .catch(() => id);
    known.set(id, slug);
    return slug;
  };
}

/** The slugs of the objects that rows refer to, in one map for a table. */
export async function slugsIn(
  cli: Cli,
  kind: SluggedKind,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  // Programs get the ids as they are.
  if (cli.format !== "human") return new Map();
  const find = slugsOf(cli, kind);
  const distinct = [...new Set(ids)].filter((id) => id !== null);
  return new Map(await Promise.all(distinct.map(async (id) => [id, await find(id)] as const)));
}

type ListedKind<T> = {
  noun: string;
  path: string;
  listedBy: string;
  /** What people call it, if anything. */
  nameOf: (row: T) => string | null;
};

/** Finds an object that the API identifies only by id: by its id, or by its name in the list. */
export async function findListed<T extends { id: string }>(cli: Cli, kind: ListedKind<T>, given: string): Promise<T> {
  const { rows } = await takeRows<T>(cli, kind.path, {}, MAX_LISTED);
  const found = rows.filter((row) => row.id === given || kind.nameOf(row) === given);
  if (found.length === 1 && found[0]) return found[0];
  if (found.length > 1) {
    throw new CommandError("usage", `Several objects are called "${given}". Use an id.`, [
      ...found.slice(0, 5).map(({ id }) => id),
    ]);
  }
  const names = rows.map(kind.nameOf).filter((name) => name !== null);
  throw new CommandError("not_found", `${kind.noun} "${given}" does not exist.`, [
    suggestion(given, names, kind.listedBy),
  ]);
}

function suggestion(given: string, names: readonly string[], listedBy: string): string {
  const near = didYouMean(given, names);
  return near.length > 0 ? `Did you mean ${near.join(", ")}?` : `Run \`${listedBy}\` to see all of them.`;
}
