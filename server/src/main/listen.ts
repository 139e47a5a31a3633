import { createServer } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "../platform/settings/config.ts";
import { StartError } from "../platform/start-error.ts";

/**
 * Connections that wait to be accepted while the event loop is busy. The kernel drops what arrives beyond (Node's default is
 * 511): those clients repeat after seconds, or are reset, where they could be refused with a response.
 */
const MAX_UNACCEPTED = 4_096;

/** Checked before the database is started: a port in use should be reported at once, not after a minute. */
export async function refuseTakenPort({ host, port }: Config): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", (error) => reject(asStartError(error, host, port)));
    probe.listen({ host, port }, () => probe.close(() => resolve()));
  });
}

/** Listens, and returns the address to show. */
export async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  await app.listen({ host, port, backlog: MAX_UNACCEPTED }).catch((error) => {
    throw asStartError(error, host, port);
  });
  const address = app.server.address();
  const actualPort = typeof address === "object" && address ? address.port : port;
  const shown = host === "0.0.0.0" || host === "127.0.0.1" || host === "::" ? "localhost" : host;
  return `http://${shown.includes(":") ? `[${shown}]` : shown}:${actualPort}`;
}

function asStartError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === "EADDRINUSE") {
    return new StartError(
      `Port ${port} on ${host} is used by another program. Stop it, or choose another: PORT=${port + 1}.`,
    );
  }
  if (error.code === "EACCES")
    return new StartError(`Port ${port} may not be used by this user. Choose one above 1023.`);
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return new StartError(`HOST=${host} is not an address of this machine.`);
  }
  return error;
}
