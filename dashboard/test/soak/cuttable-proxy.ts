import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { whenFileEnds } from "../../../server/test/world/end-of-file.ts";

export type Line = {
  url: string;
  /** Stops accepting connections and cuts the open ones. */
  cut: () => Promise<void>;
  restore: () => Promise<void>;
};

/** A proxy to the service that can be cut: to a browser the service looks down. */
export async function cuttableProxy(serviceUrl: string, host = "127.0.0.1"): Promise<Line> {
  const port = Number(new URL(serviceUrl).port);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, host, resolve));
  await listen(0);
  const own = (server.address() as AddressInfo).port;
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  whenFileEnds(async () => void (server.listening && (await cut())));
  return { url: `http://${host}:${own}`, cut, restore: () => listen(own) };
}
