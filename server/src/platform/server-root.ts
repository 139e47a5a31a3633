import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The server's folder, resolved from the source tree and from the built file alike. */
export function serverRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "migrations"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the migrations folder is missing from this installation");
    folder = parent;
  }
  return folder;
}
