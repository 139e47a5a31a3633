import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { whenFileEnds } from "../world/end-of-file.ts";
import { until } from "../world/until.ts";
import { type ChaosProxy, openChaosProxy } from "./chaos-proxy.ts";

let proxy: ChaosProxy;
let heard: string[] = [];

beforeAll(async () => {
  const echo = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      heard.push(bytes.toString());
      socket.write(`re: ${bytes}`);
    });
  }).listen(0, "127.0.0.1");
  await once(echo, "listening");
  whenFileEnds(async () => void echo.close());
  proxy = await openChaosProxy({ port: (echo.address() as AddressInfo).port, host: "127.0.0.1" });
});

beforeEach(() => {
  heard = [];
});

async function dial(): Promise<{ socket: Socket; said: () => string; isClosed: () => boolean }> {
  const socket = connect(proxy.port, "127.0.0.1").on("error", () => {});
  let [said, isClosed] = ["", false];
  socket.on("data", (bytes) => {
    said += bytes;
  });
  socket.on("close", () => {
    isClosed = true;
  });
  await once(socket, "connect").catch(() => {});
  return { socket, said: () => said, isClosed: () => isClosed };
}

async function ask(text: string) {
  const line = await dial();
  line.socket.write(text);
  return line;
}

describe("the chaos proxy", () => {
  it("forwards bytes in both directions", async () => {
    const line = await ask("hello");
    await until("the response", 20_000, () => line.said() === "re: hello");
  });

  it("cuts every connection and accepts no new ones until it is healed", async () => {
    const line = await ask("hello");
    await until("the response", 20_000, () => line.said() !== "");
    await proxy.cut();
    await until("the cut", 20_000, line.isClosed);
    await until("a refusal", 20_000, (await dial()).isClosed);
    await proxy.heal();
    const next = await ask("again");
    await until("the response", 20_000, () => next.said() === "re: again");
  });

  it("swallows bytes in a black hole, and keeps the connection", async () => {
    proxy.blackhole();
    const lost = await ask("lost");
    await proxy.heal();
    const next = await ask("heard");
    await until("the response", 20_000, () => next.said() === "re: heard");
    expect(heard).toEqual(["heard"]);
    expect(lost.said()).toBe("");
  });

  it("drops the response of a request that was executed, and its connection", async () => {
    proxy.dropReplies((request) => request.includes("commit"));
    const before = proxy.dropped();
    const line = await ask("commit");
    await until("the cut", 20_000, line.isClosed);
    proxy.dropReplies(undefined);
    expect(heard).toEqual(["commit"]);
    expect(line.said()).toBe("");
    expect(proxy.dropped()).toBe(before + 1);
  });

  it("delays the responses only on connections whose first message matches", async () => {
    proxy.delay(60_000, "late");
    const [late, soon] = [await ask("late"), await ask("soon")];
    await until("the response", 20_000, () => soon.said() === "re: soon");
    await until("the request", 20_000, () => heard.includes("late"));
    proxy.delay(0);
    expect(late.said()).toBe("");
  });

  it("throttles: pauses a connection after its bytes for as long as they may take", async () => {
    proxy.throttle(1);
    const line = await ask("first");
    await until("the first", 20_000, () => heard.includes("first"));
    line.socket.write("second");
    proxy.throttle(0);
    const other = await ask("other");
    await until("the response", 20_000, () => other.said() === "re: other");
    expect(heard).toEqual(["first", "other"]);
  });
});
