import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { MillraceError } from "../errors.ts";

/** Sent by the thread when it is ready. */
type HostFacts = { baseUrl: string; apiKey: string; projectId: string; signingSecret: string };

export type Host = HostFacts & {
  now: () => Promise<number>;
  settle: () => Promise<void>;
  pass: (secs: number) => Promise<void>;
  passToNext: (runId: string) => Promise<"ended" | "moved" | "nothing_due">;
  close: () => Promise<void>;
};

type Reply = { id: number; value?: unknown; error?: string };
type Waiting = { resolve: (value: never) => void; reject: (error: Error) => void };

/**
 * Runs the real service in a thread of this process, because test runners load modules in their own ways, and because
 * the service and the code under test should not share an event loop.
 */
export async function startHost(file = findHost()): Promise<Host> {
  const worker = new Worker(file);
  const waiting = new Map<number, Waiting>();
  let asked = 0;

  const replyTo = <T>(id: number) =>
    new Promise<T>((resolve, reject) => waiting.set(id, { resolve: resolve as Waiting["resolve"], reject }));
  const ask = <T>(method: string, ...args: unknown[]) => {
    asked += 1;
    worker.ref();
    worker.postMessage({ id: asked, method, args });
    return replyTo<T>(asked);
  };
  const failAll = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  worker.on("message", ({ id, value, error }: Reply) => {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (waiting.size === 0) worker.unref(); // lets the process exit if a test forgot to close it
    if (error === undefined) resolve?.(value as never);
    else reject?.(new MillraceError("test_server", error));
  });
  worker.on("error", (error) => failAll(new MillraceError("test_server", `The test server failed: ${error}`)));
  worker.on("exit", () => failAll(new MillraceError("test_server", "The test server is closed.")));

  const facts = await replyTo<HostFacts>(0);
  return {
    ...facts,
    now: () => ask("now"),
    settle: () => ask("settle"),
    pass: (secs) => ask("pass", secs),
    passToNext: (runId) => ask("passToNext", runId),
    close: async () => {
      await ask("close");
      await worker.terminate();
    },
  };
}

/** Resolved from the project under test, which has the service as a development dependency. */
function findHost(): string {
  const from = createRequire(join(process.cwd(), "package.json"));
  const file = resolveOr(from, "millrace/testing-host") ?? hostOfCheckout(from);
  if (file !== undefined) return file;
  throw new MillraceError("test_server", "createTestServer needs the service itself: npm install --save-dev millrace");
}

/** In a checkout the service is a workspace, whose build may be missing. */
function hostOfCheckout(from: NodeJS.Require): string | undefined {
  const found = resolveOr(from, "@millrace/server/package.json");
  if (found === undefined) return undefined;
  const file = join(dirname(found), "dist", "testing-host.js");
  if (existsSync(file)) return file;
  throw new MillraceError("test_server", `${file} is not built: run node tools/build-test-host.mjs`);
}

function resolveOr(from: NodeJS.Require, name: string): string | undefined {
  try {
    return from.resolve(name);
  } catch {
    return undefined;
  }
}
