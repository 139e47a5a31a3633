import { createServer } from "node:net";
import { type Check, type Finding, failed, ok } from "./check.ts";

const DEFAULT_PORT = 8787;

/** Where a service would listen: free, or a service of ours is there. */
export const checkPort: Check = async ({ env }) => {
  const port = Number(env.PORT || DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return [failed("port", `PORT is "${env.PORT}"`, "Set it to a number from 0 to 65535.")];
  }
  const code = await tryToListen(port, env.HOST || "127.0.0.1");
  if (code === undefined) return [ok("port", `${port} is free`)];
  if (code !== "EADDRINUSE") return [failed("port", `${port} cannot be used (${code})`, "Choose another with PORT.")];
  return [(await isMillrace(port)) ? ok("port", `Millrace listens at ${port}`) : taken(port)];
};

function taken(port: number): Finding {
  return failed(
    "port",
    `${port} is taken by another program`,
    `Stop it (lsof -i :${port} names it), or choose another with PORT.`,
  );
}

function tryToListen(port: number, host: string): Promise<string | undefined> {
  const probe = createServer();
  return new Promise((tell) => {
    probe.once("error", (error: NodeJS.ErrnoException) => tell(error.code ?? "unknown"));
    probe.listen({ host, port }, () => probe.close(() => tell(undefined)));
  });
}

async function isMillrace(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(2_000) });
    const { status } = (await answer.json()) as { status?: string };
    return status === "ok";
  } catch {
    return false;
  }
}
