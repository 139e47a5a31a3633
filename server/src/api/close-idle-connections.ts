import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** Time for a request on a new connection. */
const TIMEOUT_MS = 1_000;

/**
 * Closes connections without any request, which browsers open speculatively. Node treats them as busy, and would delay
 * a shutdown for a minute.
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
