import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Endpoint } from "./connection.ts";

/** Windows has no socket directory to protect: loopback, a free port, and a password that only this user may read. */
export async function openWindowsEndpoint(dataDir: string): Promise<Endpoint> {
  const passwordFile = passwordFileOf(dataDir);
  if (!existsSync(passwordFile)) writeFileSync(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });

  const port = await findFreePort();
  return {
    host: LOOPBACK,
    port,
    password: readFileSync(passwordFile, "utf8"),
    passwordFile,
    settings: { listen_addresses: LOOPBACK, port: String(port) },
  };
}

/** The password of a running server; undefined where a socket needs none. */
export function readPassword(dataDir: string): string | undefined {
  const passwordFile = passwordFileOf(dataDir);
  return existsSync(passwordFile) ? readFileSync(passwordFile, "utf8") : undefined;
}

export const LOOPBACK = "127.0.0.1";

function passwordFileOf(dataDir: string): string {
  return join(dataDir, "postgres-password");
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, LOOPBACK, () => {
      const address = probe.address();
      const port = typeof address === "object" && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
