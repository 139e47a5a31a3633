import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TestConnection } from "../world/database.ts";

const KNOWN = new Set(["user", "database", "client_encoding", "application_name"]);

/** A proxy for PostgreSQL that rejects unknown startup settings, as PgBouncer does. Returns its address. */
export async function fakePooler({ host, port, user, database }: TestConnection): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    sockets.push(near.on("error", () => {}));
    near.once("data", (startup: Buffer) => {
      const unknown = parametersIn(startup).find((name) => !KNOWN.has(name));
      if (unknown) return void near.end(errorResponse("08P01", `unsupported startup parameter: ${unknown}`));
      const far = connect(join(host, `.s.PGSQL.${port}`)).on("error", () => {});
      sockets.push(far);
      far.write(startup);
      near.pipe(far).pipe(near);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `postgres://${user}@127.0.0.1:${(server.address() as AddressInfo).port}/${database}`;
}

/** After the length and the protocol version: names and values alternate. */
function parametersIn(startup: Buffer): string[] {
  const parts = startup.subarray(8).toString().split("\0");
  return parts.filter((part, nth) => nth % 2 === 0 && part !== "");
}

export function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
