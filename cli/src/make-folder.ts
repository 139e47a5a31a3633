import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and its missing parents. Not Node's own `recursive`, which loops forever where no folder can be
 * created, as in /proc.
 */
export function makeFolder(path: string, mode?: number): void {
  const parent = dirname(path);
  if (!statSync(parent, { throwIfNoEntry: false })) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}
