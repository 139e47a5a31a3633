import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { MillraceError } from "../errors.ts";

/** What the thread tells when it is ready. */
type HostFacts = { url: string; apiKey: string; projectId: string; webhookSecret: string };

export type Host = HostFacts & {
  now: () => Promise<number>;
  settle: () => Promise<void>;
  pass: (secs: number) => Promise<void>;
  passToNext: (runId: string) => Promise<"ended" | "moved" | "nothing_due">;
  close: () => Promise<void>;
};

type Answer = { id: number; value?: unknown; error?: string };
type Waiting = { resolve: (value: never) => void; reject: (error: Error) => void };

/**
 * The real service in a thread of this process: a thread, because test runners load modules in ways of their own, and
 * because the service and the code under test should not share an event task.
 */
export async function startHost(file = findHost()): Promise<Host> {
  const worker = new Worker(file);
  const waiting = new Map<number, Waiting>();
  let asked = 0;

  const answerTo = <T>(id: number) =>
    new Promise<T>((resolve, reject) => waiting.set(id, { resolve: resolve as Waiting["resolve"], reject }));
  const ask = <T>(method: string, ...args: unknown[]) => {
    asked += 1;
    worker.ref();
    worker.postMessage({ id: asked, method, args });
    return answerTo<T>(asked);
  };
  const failAll = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  worker.on("message", ({ id, value, error }: Answer) => {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (waiting.size === 0) worker.unref(); // a test that forgot to close it still ends
    if (error === undefined) resolve?.(value as never);
    else reject?.(new MillraceError("test_server", error));
  });
  worker.on("error", (error) => failAll(new MillraceError("test_server", `The test server broke: ${error}`)));
  worker.on("exit", () => failAll(new MillraceError("test_server", "The test server is closed.")));

  const facts = await answerTo<HostFacts>(0);
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

/** From the project under test, which has the server among its development dependencies. */
function findHost(): string {
  const from = createRequire(join(process.cwd(), "package.json"));
  const found = resolveOr(from, "@millrace/server/package.json");
  const file = found && join(dirname(found), "dist", "testing-host.js");
  if (file && existsSync(file)) return file;
  throw new MillraceError(
    "test_server",
    found
      ? `${file} is not built: in a checkout, run node tools/build-test-host.mjs`
      : "createTestServer needs the service itself: npm install --save-dev @millrace/server",
  );
}

function resolveOr(from: NodeJS.Require, name: string): string | undefined {
  try {
    return from.resolve(name);
  } catch {
    return undefined;
  }
}
