import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { BinaryPackage } from "../../src/platform/embedded-postgres/find-package.ts";

export interface ServiceProcess {
  child: ChildProcess;
  /** The next line the process prints, parsed; undefined when it exited without one. */
  next: () => Promise<ServiceMessage | undefined>;
}

/** Messages of the process: see test-service.ts. */
export interface ServiceMessage {
  kind: "started" | "held" | "installed" | "refused" | "said" | "exited";
  directory?: string;
  pid?: number;
  url?: string;
  message?: string;
}

export type ServiceTask =
  | { task: "start"; dataDir: string }
  | { task: "hold"; dataDir: string }
  | { task: "install"; cacheHome: string; from: BinaryPackage };

/** Bundles test-service.ts below node_modules, where a plain node resolves our packages; remove() deletes it. */
export async function buildService(): Promise<{ file: string; remove: () => void }> {
  const cache = resolve(import.meta.dirname, "../../../node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, "millrace-test-"));
  chmodSync(directory, 0o755);
  const file = join(directory, "service.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("./test-service.ts", import.meta.url))],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
  return { file, remove: () => rmSync(directory, { recursive: true }) };
}

export function runService(file: string, task: ServiceTask, as: { uid?: number; gid?: number } = {}): ServiceProcess {
  const child = spawn(process.execPath, [file, JSON.stringify(task)], {
    ...as,
    cwd: "/",
    env: { HOME: "/nonexistent", PATH: "/usr/bin:/bin" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const line = await lines.next();
    return line.done ? undefined : JSON.parse(line.value);
  };
  return { child, next };
}
