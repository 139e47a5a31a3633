import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ephemeral port range, so that no outgoing connection takes the port before it is used. */
const OWN_PORTS = { first: 20_000, last: 32_000 };

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(OWN_PORTS.first, OWN_PORTS.last);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((closed) => probe.close(closed));
    return port;
  }
}
