import type { CallerCtx } from "../../platform/context.ts";
import { inProcessApi } from "../../platform/http/in-process-api.ts";

type Query = Record<string, string | number | boolean | undefined>;
type Given = { query?: Query; body?: unknown };

/** Requests to the API with the credential of the client, so that a tool can do exactly what its caller can. */
export type ServiceClient = {
  baseUrl: string;
  request: <T = unknown>(method: "GET" | "POST", path: string, given?: Given) => Promise<T>;
};

export type Page<T> = { data: T[]; has_more: boolean };

/** Not the cookie of a browser: another site's page could send it along. */
const CREDENTIALS = ["authorization", "x-internal-secret", "x-project-id"];

export function openServiceClient(
  ctx: CallerCtx,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): ServiceClient {
  const given = CREDENTIALS.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]]] : []));
  const { base_url: baseUrl, ip, user_agent } = ctx.origin;
  const own = { ...Object.fromEntries(given), host: new URL(baseUrl).host, "user-agent": user_agent ?? "mcp" };
  return {
    baseUrl,
    request: async (method, path, { query = {}, body } = {}) => {
      const response = await inProcessApi(ctx).send({
        method,
        path: `${path}${searchOf(query)}`,
        headers: own,
        body,
        ip,
      });
      const answer = response.body === "" ? undefined : JSON.parse(response.body);
      if (response.status < 400) return answer;
      throw new Error(messageOf(answer));
    },
  };
}

function searchOf(query: Query): string {
  const named = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return named.length === 0 ? "" : `?${new URLSearchParams(named)}`;
}

type Problem = { code?: string; detail?: string; title?: string; errors?: { location: string; message: string }[] };

function messageOf({ code, detail, title, errors = [] }: Problem): string {
  const issues = errors.map(({ location, message }) => `${location} ${message}`);
  return [`${code}: ${detail ?? title}`, ...issues].join("; ");
}
