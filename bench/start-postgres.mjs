import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle } from "../tools/build-server.mjs";
import { newDataDir } from "./start-millrace.mjs";

const START = join(
  import.meta.dirname,
  "..",
  "server",
  "src",
  "platform",
  "embedded-postgres",
  "start-embedded-postgres.ts",
);

/**
 * Starts a PostgreSQL for a peer with the same code as Millrace's own: same binaries, settings, durability and
 * socket.
 */
export async function startPostgres() {
  const built = await bundle(START, join(import.meta.dirname, "dist", "start-embedded-postgres.js"));
  const { startEmbeddedPostgres } = await import(pathToFileURL(built).href);
  return startEmbeddedPostgres({ dataDir: newDataDir(), say: (line) => process.stderr.write(`${line}\n`) });
}
