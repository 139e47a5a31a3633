import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { atTheEnd } from "../../service/start-service.ts";

export type Dispatch = { run_id: string; workflow_run_id: string | null; step_ref: string | null; attempt: number };
export type Receiver = { url: string; journal: Dispatch[]; childJob: (id: string) => void };

/** So many are slow, so that whoever is killed holds some. */
const SLOW = 0.15;

type Body = Dispatch & { payload: { fails?: string }; checkpoint: unknown; waits: unknown[]; token: string };

/** The customer's endpoint: fails the step that the payload names, lets `spawner` wait for a child, keeps a journal. */
export async function openReceiver(serviceUrls: () => string[], random: () => number): Promise<Receiver> {
  const journal: Dispatch[] = [];
  let child_job = "";
  let isClosed = false;

  async function answer(body: Body, response: ServerResponse): Promise<void> {
    const { run_id, attempt, payload, waits } = body;
    const { workflow_run_id = null, step_ref = null } = body;
    journal.push({ run_id, attempt, workflow_run_id, step_ref });
    if (step_ref === "spawner" && waits.length === 0) await spawn(body);
    else await pause(random() < SLOW ? 500 + random() * 2_500 : 5 + random() * 120);
    if (response.destroyed) return;
    const hasFailed = step_ref !== null && payload.fails === step_ref;
    const result = JSON.stringify({ run_id, step_ref, resumed_with: body.checkpoint });
    response.writeHead(hasFailed ? 422 : 200, { "content-type": "application/json" }).end(result);
  }

  /** Until an instance answers: then the attempt is over, and the run goes on when its child has ended. */
  async function spawn({ run_id, token }: Body): Promise<void> {
    const asked = { job_id: child_job, wait: true, idempotency_key: run_id };
    while (!isClosed) {
      const urls = serviceUrls();
      const url = urls[Math.floor(random() * urls.length)];
      const status = url ? await post(`${url}/sdk/v1/runs/${run_id}/spawn`, token, asked) : 0;
      if (status !== 0 && status < 500) return;
      await pause(100);
    }
  }

  const server = createServer((request, response) => {
    response.on("error", () => {});
    void read(request).then((body) => answer(body, response));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  atTheEnd(() => {
    isClosed = true;
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, journal, childJob: (id) => (child_job = id) };
}

async function read(request: IncomingMessage): Promise<Body> {
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
