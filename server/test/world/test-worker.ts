import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Client } from "./client.ts";

/** A run as a worker gets it: the body of a dispatch with its tokens. */
export type Claimed = {
  run_id: string;
  job_id: string;
  attempt: number;
  tries_used: number;
  lease_token: string;
  run_token: string;
  payload: unknown;
  checkpoint: unknown;
  state: unknown;
  env: Record<string, string>;
};

export const leaseOf = ({ run_id, attempt, lease_token }: Claimed) => ({ run_id, attempt, lease_token });

/** A worker that calls the protocol by hand: it does nothing unless a test says so. */
export function testWorker(api: Client, worker_id = "w1") {
  async function claim(fields: object = {}): Promise<Claimed[]> {
    const body = { worker_id, claim_id: randomUUID(), max: 10, ...fields };
    const response = await api.post("/worker/v1/claims", body);
    expect(response.status, response.text).toBe(200);
    return response.body.runs;
  }

  /** Waits for it: wake-ups take a moment. */
  async function claimOne(fields: object = {}): Promise<Claimed> {
    const [run, ...others] = await claim({ wait_secs: 20, ...fields });
    if (!run || others.length > 0) throw new Error(`claimed ${others.length + (run ? 1 : 0)} runs instead of one`);
    return run;
  }

  async function report(run: Claimed, result: object): Promise<{ outcome: string; status: string | null }> {
    const results = [{ ...leaseOf(run), ...result }];
    const response = await api.post("/worker/v1/results", { worker_id, results });
    expect(response.status, response.text).toBe(200);
    return response.body.results[0];
  }

  async function heartbeat(runs: readonly Claimed[]): Promise<{ extended: number; cancel: string[]; lost: string[] }> {
    return (await api.post("/worker/v1/heartbeats", { worker_id, runs: runs.map(leaseOf) })).body;
  }

  return {
    ...{ claim, claimOne, report, heartbeat },
    complete: (run: Claimed, result: unknown = null) => report(run, { status: "completed", result }),
    fail: (run: Claimed, fields: object = {}) => report(run, { status: "failed", error: { message: "no" }, ...fields }),
  };
}
