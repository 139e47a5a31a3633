import { createServer } from "node:net";
import { type Check, type Finding, failed, ok } from "./check.ts";

const DEFAULT_PORT = 8787;

/** Checks the port that the service would listen on: it must be free or in use by Millrace. */
export const checkPort: Check = async ({ env }) => {
  const port = Number(env.PORT || DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return [failed("port", `PORT is "${env.PORT}"`, "Set it to a number from 0 to 65535.")];
  }
  const code = await tryToListen(port, env.HOST || "127.0.0.1");
  if (code === undefined) return [ok("port", `${port} is free`)];
  if (code !== "EADDRINUSE")
    return [failed("port", `${port} cannot be used (${code})`, "Choose another port with PORT.")];
  return [(await isMillrace(port)) ? ok("port", `Millrace is listening on ${port}`) : taken(port)];
};

function taken(port: number): Finding {
  return failed(
    "port",
    `${port} is in use by another program`,
    `Stop that program (find it with lsof -i :${port}), or choose another port with PORT.`,
  );
}

function tryToListen(port: number, host: string): Promise<string | undefined> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    probe.listen({ host, port }, () => probe.close(() => resolve(undefined)));
  });
}

async function isMillrace(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(2_000) });
    const { status } = (await response.json()) as { status?: string };
    return status === "ok";
  } catch {
    return false;
  }
}
