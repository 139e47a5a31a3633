import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { whenFileEnds } from "../world/end-of-file.ts";

/** Listens on addresses that nothing may connect to, and counts connections. All addresses use the same port. */
export async function startCanary(...hosts: string[]) {
  let connections = 0;
  let port = 0;
  for (const host of hosts) {
    const server = net.createServer((socket) => {
      connections++;
      socket.destroy();
    });
    server.listen(port, host);
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
    whenFileEnds(async () => void server.close());
  }
  return { port, connections: () => connections };
}
