import { once } from "node:events";
import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function connected() {
  const { service, url } = await world.anotherInstance();
  const { hostname, port } = new URL(url);
  const accepted = once(service.app.server, "connection");
  const socket = connect(Number(port), hostname);
  await Promise.all([once(socket, "connect"), accepted]);
  return { service, socket };
}

describe("a shutdown", () => {
  it("does not wait for a connection without any request", async () => {
    const { service, socket } = await connected();
    const [closed] = await Promise.all([once(socket.resume(), "close"), service.close()]);
    expect(closed).toEqual([false]); // by a regular close, not by a reset
  });

  it("serves a last request on a connection that was opened before", async () => {
    const { service, socket } = await connected();
    const stopped = service.close();
    socket.write("GET /health HTTP/1.1\r\nhost: millrace\r\nconnection: close\r\n\r\n");
    const [response] = await once(socket, "data");
    expect(String(response)).toMatch(/^HTTP\/1\.1 200 /);
    await stopped;
  });
});
