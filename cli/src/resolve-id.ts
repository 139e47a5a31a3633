import type { Cli } from "./cli.ts";
import { CommandError } from "./command-error.ts";
import { keepLast, type ObjectKind, readLast } from "./last-object.ts";

const LEAST_PREFIX = 8;
const TIME_DIGITS = 12;
const CLOCKS_APART_MS = 10_000; // ids are made by an instance, times of creation by the database

/** A whole id, `@last`, or the beginning of an id: what was named becomes the new `@last`. */
export async function resolveId(cli: Cli, kind: ObjectKind, given: string): Promise<string> {
  const id = given === "@last" ? await lastOf(cli, kind) : await wholeOf(cli, kind, given.toLowerCase());
  keepLast(cli, kind, id);
  return id;
}

async function lastOf(cli: Cli, kind: ObjectKind): Promise<string> {
  const kept = readLast(cli, kind);
  if (kept !== undefined) return kept;
  for await (const { id } of cli.client().paginate<{ id: string }>(`/v1/${kind}`, { limit: 1 })) return id;
  throw new CommandError("not_found", `There are no ${kind.replace("-", " ")} that @last could stand for.`);
}

async function wholeOf(cli: Cli, kind: ObjectKind, given: string): Promise<string> {
  if (WHOLE.test(given)) return given;
  const digits = given.replaceAll("-", "");
  if (!/^[0-9a-f]+$/.test(digits)) throw new CommandError("usage", `"${given}" is not an id.`, [ID_HINT]);
  if (digits.length < LEAST_PREFIX)
    throw new CommandError("usage", `"${given}" is too short for the beginning of an id.`, [ID_HINT]);
  const found = await findByPrefix(cli, kind, digits);
  if (found.length === 1 && found[0]) return found[0];
  if (found.length === 0) throw new CommandError("not_found", `No id of ${kind} begins with ${given}.`);
  throw new CommandError("usage", `Several ids begin with ${given}.`, found.slice(0, 5));
}

const WHOLE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ID_HINT = `An id looks like 0198a7c4-1b2f-7e60-…; its first ${LEAST_PREFIX} digits or more, or @last, will do.`;

/** The first digits of an id are the time of its creation, so the beginning of an id is a span of time. */
async function findByPrefix(cli: Cli, kind: ObjectKind, digits: string): Promise<string[]> {
  const time = digits.slice(0, TIME_DIGITS);
  const from = new Date(Number.parseInt(time.padEnd(TIME_DIGITS, "0"), 16) - CLOCKS_APART_MS);
  const to = new Date(Number.parseInt(time.padEnd(TIME_DIGITS, "f"), 16) + CLOCKS_APART_MS);
  const found: string[] = [];
  for await (const { id } of cli.client().paginate<{ id: string }>(`/v1/${kind}`, { from, to, limit: 100 })) {
    if (id.replaceAll("-", "").startsWith(digits)) found.push(id);
    if (found.length > 5) break;
  }
  return found;
}
