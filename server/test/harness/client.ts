import { setTimeout as pause } from "node:timers/promises";
import { type ClientResponse, makeClient } from "../world/client.ts";
import type { JournaledCall } from "./history.ts";
import type { Journal } from "./journal.ts";

// biome-ignore lint/suspicious/noExplicitAny: a scenario names the fields it is about
type Answered = ClientResponse<any>;

export type JournaledClient = {
  calls: JournaledCall[];
  /** A client of a project that journals every call, with or without a response. */
  as: (project: { id: string; key: string }) => ProjectClient;
};

export type ProjectClient = {
  project_id: string;
  key: string;
  /** One attempt, at the instance `at` or the next one in rotation. Undefined: no response. */
  call: (method: string, path: string, body?: object, at?: string) => Promise<Answered | undefined>;
  /** The same; throws unless it succeeds. */
  post: (path: string, body?: object, at?: string) => Promise<Answered>;
  get: (path: string) => Promise<Answered>;
  /** Repeats calls without a response, or with a 5xx, at other instances. Only for idempotent calls. */
  insist: (path: string, body: object) => Promise<Answered>;
};

const AGAIN_MS = 50;
const AGAIN_AFTER_ERROR_MS = 400;

export function openClient(journal: Journal, urls: () => string[]): JournaledClient {
  const calls: JournaledCall[] = [];
  let next = 0;

  function as({ id: project_id, key }: { id: string; key: string }): ProjectClient {
    async function call(method: string, path: string, body?: object, at?: string): Promise<Answered | undefined> {
      const all = urls();
      const url = at ?? all[next++ % all.length] ?? "";
      const entry: JournaledCall = { ...newCall(project_id, body), method, path, url, started_at: Date.now() };
      calls.push(entry);
      const client = makeClient(url, { authorization: `Bearer ${key}` });
      const response = await client.send(method, path, body).catch(() => undefined);
      Object.assign(entry, { ended_at: Date.now(), ...readResponse(response) });
      await journal.append({ kind: "call", ...entry });
      return response;
    }

    async function must(method: string, path: string, body?: object, at?: string): Promise<Answered> {
      const response = await call(method, path, body, at);
      if (!response || response.status >= 300) throw new Error(`${method} ${path}: ${response?.text ?? "no response"}`);
      return response;
    }

    async function insist(path: string, body: object): Promise<Answered> {
      for (;;) {
        const response = await call("POST", path, body);
        if (response && response.status < 300) return response;
        if (response && response.status < 500) throw new Error(`POST ${path}: ${response.text}`);
        await pause(response ? AGAIN_AFTER_ERROR_MS : AGAIN_MS);
      }
    }

    const post = (path: string, body: object = {}, at?: string) => must("POST", path, body, at);
    return { project_id, key, call, post, get: (path) => must("GET", path), insist };
  }

  return { calls, as };
}

function newCall(project_id: string, body: object | undefined) {
  const { idempotency_key = null } = (body ?? {}) as { idempotency_key?: string | null };
  return { project_id, idempotency_key, ended_at: null, status: 0, request_id: null, ids: [], in_flight: 0 };
}

/** `in_flight`: the runs that a cancel or pause reports as claimed before it. */
function readResponse(response: Answered | undefined): Partial<JournaledCall> {
  if (!response) return {};
  const { status, body, headers } = response;
  const results: { run_id?: string }[] = Array.isArray(body?.results) ? body.results : [];
  const ids = [body?.id, ...results.map(({ run_id }) => run_id)].filter((id) => typeof id === "string");
  return { status, ids, request_id: headers.get("x-request-id"), in_flight: body?.descendants?.in_flight ?? 0 };
}
