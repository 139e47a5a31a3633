import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../embedded-postgres-error.ts";

/**
 * Creates a directory and its missing parents. Not Node's own `recursive`, which loops forever where no directory can
 * be created, as in /proc.
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
