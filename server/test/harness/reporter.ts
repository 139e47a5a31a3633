import { setTimeout as pause } from "node:timers/promises";
import type { JournaledDispatch, JournaledReport } from "./history.ts";
import type { Journal } from "./journal.ts";

const TIMEOUT_MS = 5_000;
const AGAIN_MS = 100;

type Holder = { dispatch: JournaledDispatch; token: string };

/** Calls of running jobs to the service: heartbeats, results, waits, spawns. */
export function openReporter(journal: Journal, serviceUrls: () => string[]) {
  const reports: JournaledReport[] = [];
  let isClosed = false;
  let next = 0;

  /** Tries one instance after another until one responds. 0: the test ended before. */
  async function report({ dispatch, token }: Holder, verb: string, body: object): Promise<number> {
    const { run_id, attempt } = dispatch;
    while (!isClosed) {
      const urls = serviceUrls();
      const url = urls[next++ % urls.length];
      const at = Date.now();
      const status = url ? await post(`${url}/sdk/v1/runs/${run_id}/${verb}`, token, body) : 0;
      if (status !== 0 && status < 500) {
        const entry = { run_id, attempt, verb, at, accepted: status < 300 };
        reports.push(entry);
        await journal.append({ kind: "report", ...entry });
        return status;
      }
      await pause(AGAIN_MS);
    }
    return 0;
  }

  return {
    reports,
    report,
    close: () => {
      isClosed = true;
    },
  };
}

/** 0: no response. */
async function post(url: string, token: string, body: object): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);
  await response?.arrayBuffer().catch(() => {});
  return response?.status ?? 0;
}
