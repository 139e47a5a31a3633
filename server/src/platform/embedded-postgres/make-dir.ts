import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "./embedded-postgres-error.ts";

/**
 * Makes a directory where there is none, with those that are missing above it. Not Node's own `recursive`: where no
 * directory can be made, as in /proc, that one tries for ever.
 */
export function makeDir(path: string, mode: number): void {
  const parent = dirname(path);
  if (!statSync(parent, { throwIfNoEntry: false })) makeDir(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (codeOf(error) !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}
