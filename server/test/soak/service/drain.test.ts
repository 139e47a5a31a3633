import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SECRETS, serveOn, useServices } from "../../service/start-service.ts";
import { cloneDatabase, dropDatabase, type TestConnection } from "../../world/database.ts";
import { until } from "../../world/until.ts";

useServices();

let connection: TestConnection;
beforeAll(async () => {
  connection = await cloneDatabase();
});
afterAll(() => dropDatabase(connection));

describe("SIGTERM in production", () => {
  it("fails readiness first, keeps serving on connections that it then closes, finishes its requests, and exits 0", async () => {
    const graceSecs = 24; // balancers get a sixth of it to notice
    const service = await serveOn(connection, { SHUTDOWN_GRACE_SECS: String(graceSecs) });
    const begun = await beginRequest(service.port, JSON.stringify({ name: "Begun before the stop" }));

    const startedAt = performance.now();
    const stopped = service.stop();
    await until("readiness to fail", 20_000, async () => (await service.admin.get("/health/ready")).status === 503);
    const served = await service.admin.post("/v1/projects", { name: "Served in the drain" });
    expect(served.status).toBe(201);
    expect(served.headers.get("connection")).toBe("close");

    await until("the port to close", 20_000, async () => !(await service.admin.get("/health").catch(() => undefined)));
    const response = await begun.finish();
    expect(response).toMatch(/^HTTP\/1\.1 201 /);
    expect(response).toMatch(/^connection: close\r$/im);
    expect(await stopped).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeLessThan((graceSecs + 5) * 1_000);
  });

  it("a second signal more than a second later ends it at once", async () => {
    const service = await serveOn(connection, { SHUTDOWN_GRACE_SECS: "30" });
    const firstAt = performance.now();
    void service.stop();
    await until("a second to pass", 2_000, () => performance.now() - firstAt > 1_100);
    expect(await service.stop()).toEqual({ code: 143, signal: null });
  });

  it("a request still open at the end of the grace period is cut off", async () => {
    const service = await serveOn(connection, { SHUTDOWN_GRACE_SECS: "0" });
    await beginRequest(service.port, JSON.stringify({ name: "Never finished" }));
    const startedAt = performance.now();
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(20_000); // it would never end by itself
  });
});

/** A request whose last byte has not been sent yet. */
async function beginRequest(port: number, body: string): Promise<{ finish: () => Promise<string> }> {
  const socket: Socket = connect(port, "127.0.0.1").on("error", () => {});
  await once(socket, "connect");
  const head = [
    "POST /v1/projects HTTP/1.1",
    "host: 127.0.0.1",
    `x-internal-secret: ${SECRETS.INTERNAL_SECRET}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, -1)}`);
  // Sent only after the bytes of the first connection were read.
  await (await fetch(`http://127.0.0.1:${port}/health`)).text();
  return {
    finish: async () => {
      socket.setEncoding("utf8").write(body.slice(-1));
      let response = "";
      for await (const text of socket) response += text;
      return response;
    },
  };
}
