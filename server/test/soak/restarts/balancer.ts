import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

export type Balancer = {
  url: string;
  add: (target: string) => void;
  isServing: (target: string) => boolean;
  failures: string[];
};

const ASK_EVERY_MS = 100;

/** A minimal load balancer: round robin over the instances that report ready. It never retries. */
export async function openBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const ready = new Map<string, boolean>();
  const failures: string[] = [];
  let next = 0;

  function choose(): string | undefined {
    const targets = [...ready].filter(([, isReady]) => isReady).map(([target]) => target);
    return targets[next++ % targets.length];
  }

  function forward(incoming: IncomingMessage, outgoingResponse: ServerResponse): void {
    const target = choose();
    if (target) forwardTo(target, incoming, outgoingResponse);
    else fail(outgoingResponse, "no instance is ready");
  }

  function forwardTo(target: string, incoming: IncomingMessage, outgoingResponse: ServerResponse): void {
    const { method, url = "/", headers } = incoming;
    const outgoing = request(new URL(url, target), { agent, method, headers }, (response) => {
      const { connection: _, "keep-alive": __, ...rest } = response.headers;
      outgoingResponse.writeHead(response.statusCode ?? 502, rest);
      response.pipe(outgoingResponse);
    });
    outgoing.on("error", (error) => fail(outgoingResponse, `${target}: ${error.message}`));
    incoming.pipe(outgoing);
  }

  function fail(outgoingResponse: ServerResponse, reason: string): void {
    failures.push(reason);
    if (!outgoingResponse.headersSent) outgoingResponse.writeHead(502);
    outgoingResponse.end();
  }

  const watch = setInterval(() => {
    for (const target of ready.keys()) void isReady(target).then((isReady) => ready.set(target, isReady));
  }, ASK_EVERY_MS);
  const server = createServer(forward);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    clearInterval(watch);
    server.close();
    server.closeAllConnections();
    agent.destroy();
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    add: (target) => void ready.set(target, false),
    isServing: (target) => ready.get(target) === true,
    failures,
  };
}

async function isReady(target: string): Promise<boolean> {
  const response = await fetch(`${target}/health/ready`).catch(() => undefined);
  await response?.text().catch(() => "");
  return response?.status === 200;
}
