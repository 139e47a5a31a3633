import type { Cli } from "../cli.ts";
import { CommandError } from "../command-error.ts";
import { type ObjectKind, readLast, saveLast } from "./last-object.ts";

const MIN_PREFIX = 8;
const TIME_DIGITS = 12;
const CLOCKS_APART_MS = 10_000; // ids come from an instance's clock, creation times from the database's

/** Resolves a full id, `@last` or a prefix of an id, and saves the result as the new `@last`. */
export async function resolveId(cli: Cli, kind: ObjectKind, given: string): Promise<string> {
  const id = given === "@last" ? await lastOf(cli, kind) : await wholeOf(cli, kind, given.toLowerCase());
  saveLast(cli, kind, id);
  return id;
}

async function lastOf(cli: Cli, kind: ObjectKind): Promise<string> {
  const kept = readLast(cli, kind);
  if (kept !== undefined) return kept;
  for await (const { id } of cli.client().paginate<{ id: string }>(`/v1/${kind}`, { limit: 1 })) return id;
  throw new CommandError("not_found", `There are no ${kind.replace("-", " ")} for @last.`);
}

async function wholeOf(cli: Cli, kind: ObjectKind, given: string): Promise<string> {
  if (WHOLE.test(given)) return given;
  const digits = given.replaceAll("-", "");
  if (!/^[0-9a-f]+$/.test(digits)) throw new CommandError("usage", `"${given}" is not a valid id.`, [ID_HINT]);
  if (digits.length < MIN_PREFIX)
    throw new CommandError("usage", `"${given}" is too short for an id prefix.`, [ID_HINT]);
  const found = await findByPrefix(cli, kind, digits);
  if (found.length === 1 && found[0]) return found[0];
  if (found.length === 0)
    throw new CommandError("not_found", `No ${kind.replace("-", " ")} found with the id prefix ${given}.`);
  throw new CommandError("usage", `Several ids start with ${given}.`, found.slice(0, 5));
}

const WHOLE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ID_HINT = `Use an id such as 0198a7c4-1b2f-7e60-…, at least its first ${MIN_PREFIX} digits, or @last.`;

/** An id starts with its creation time, so a prefix corresponds to a period. */
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
