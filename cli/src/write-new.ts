import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CommandError } from "./command-error.ts";
import { makeFolder } from "./make-folder.ts";

/** Writes all files or none, never over an existing one, which may have the only copy of a key. */
export function writeNew(
  folder: string,
  files: readonly (readonly [name: string, content: string])[],
  mode: number,
): void {
  const taken = files.map(([name]) => join(folder, name)).find((path) => existsSync(path));
  if (taken) {
    throw new CommandError("usage", `${taken} already exists and was not changed.`, [
      "Choose another folder with --folder, or remove the file.",
    ]);
  }
  try {
    for (const [name, content] of files) {
      makeFolder(dirname(join(folder, name)));
      writeFileSync(join(folder, name), content, { mode, flag: "wx" });
    }
  } catch (error) {
    throw new CommandError("failure", `The files could not be written to ${folder}: ${(error as Error).message}`, [
      "Choose a writable folder with --folder.",
    ]);
  }
}
