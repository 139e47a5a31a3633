import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** For what was just connected to be asked on. */
const TIMEOUT_MS = 1_000;

/**
 * Browsers connect ahead of what they will ask. Node takes a connection on which nothing was ever sent for busy, and
 * would hold up a stop for a minute.
 */
export function closeIdleConnections(app: FastifyInstance): void {
  const open = new Set<Socket>();
  app.server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  app.addHook("preClose", (done) => {
    setTimeout(() => {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    }, TIMEOUT_MS).unref();
    done();
  });
}
