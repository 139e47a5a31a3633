import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { History } from "../../check-history.ts";
import { atTheEnd } from "../../service/start-service.ts";

export type Kind = "quick" | "flaky" | "slow" | "accepted";

export type Receiver = { url: string; dispatches: History["dispatches"]; reports: History["reports"] };

type Dispatch = { run_id: string; attempt: number; tries_used: number; payload: { kind: Kind }; token: string };

const HEARTBEAT_EVERY_MS = 1_500;
const LATEST_MS = 45_000;

/** The customer's endpoint: does what the payload says, calls back where the run was accepted, and keeps a journal. */
export async function openReceiver(serviceUrls: () => string[], random: () => number): Promise<Receiver> {
  const dispatches: History["dispatches"] = [];
  const reports: History["reports"] = [];
  let isClosed = false;

  async function answer(dispatch: Dispatch, response: ServerResponse): Promise<void> {
    const { run_id, attempt, tries_used, payload } = dispatch;
    dispatches.push({ run_id, attempt, at: Date.now() });
    if (payload.kind === "accepted") {
      response.writeHead(202).end();
      return workAlone(dispatch);
    }
    await pause(payload.kind === "slow" ? 2_000 + random() * 4_000 : 5 + random() * 80);
    if (response.destroyed) return reportLate(dispatch);
    if (payload.kind === "flaky" && tries_used === 0) return void response.writeHead(500).end();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ attempt }));
  }

  async function workAlone(dispatch: Dispatch): Promise<void> {
    for (let beats = Math.floor(random() * 4); beats > 0; beats--) {
      await pause(HEARTBEAT_EVERY_MS);
      if (!(await report(dispatch, "heartbeat", {}))) return;
    }
    await report(dispatch, "complete", { result: { attempt: dispatch.attempt } });
  }

  /** The instance that asked is gone. Its job is not, and tells the others: in time, or long after somebody took over. */
  async function reportLate(dispatch: Dispatch): Promise<void> {
    await pause(random() * LATEST_MS);
    await report(dispatch, "complete", { result: { attempt: dispatch.attempt } });
  }

  /** Until an instance answers. False: this attempt is over. */
  async function report({ run_id, attempt, token }: Dispatch, verb: string, body: object): Promise<boolean> {
    while (!isClosed) {
      const urls = serviceUrls();
      const url = urls[Math.floor(random() * urls.length)];
      const at = Date.now();
      const status = await post(`${url}/sdk/v1/runs/${run_id}/${verb}`, token, body);
      if (status !== 0 && status < 500) {
        reports.push({ run_id, attempt, at, accepted: status < 300 });
        return status < 300;
      }
      await pause(100);
    }
    return false;
  }

  const server = createServer((request, response) => {
    response.on("error", () => {});
    void read(request).then((dispatch) => answer(dispatch, response));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  atTheEnd(() => {
    isClosed = true;
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, dispatches, reports };
}

async function read(request: IncomingMessage): Promise<Dispatch> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const token = String(request.headers["x-svc-run-token"]);
  return { ...JSON.parse(Buffer.concat(chunks).toString("utf8")), token };
}

/** 0: nobody answered. */
async function post(url: string, token: string, body: object): Promise<number> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => {});
  return answer?.status ?? 0;
}
