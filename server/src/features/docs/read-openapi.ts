import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { serverRoot } from "../../platform/server-root.ts";

export function readOpenApi(): Promise<string> {
  return readFile(join(serverRoot(), "..", "openapi.json"), "utf8");
}
