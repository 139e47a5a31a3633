import { Agent, request } from "undici";

export type ClientResponse<T = Record<string, unknown>> = {
  status: number;
  headers: Headers;
  /** The parsed JSON, or null if there is none. */
  body: T;
  text: string;
};

export type Client = {
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it is about, and fails when they are not there
  get: (path: string, options?: Options) => Promise<ClientResponse<any>>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  post: (path: string, body?: unknown, options?: Options) => Promise<ClientResponse<any>>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  put: (path: string, body?: unknown, options?: Options) => Promise<ClientResponse<any>>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  patch: (path: string, body?: unknown, options?: Options) => Promise<ClientResponse<any>>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  delete: (path: string, options?: Options) => Promise<ClientResponse<any>>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  send: (method: string, path: string, body?: unknown, options?: Options) => Promise<ClientResponse<any>>;
};

type Options = { headers?: Record<string, string> };

const dispatcher = new Agent();

/**
 * Sends real HTTP requests to an instance, with the same headers each time. Avoids `fetch`, which costs twice as much.
 */
export function makeClient(url: string, headers: Record<string, string>): Client {
  async function send(method: string, path: string, body?: unknown, options: Options = {}) {
    const response = await request(`${url}${path}`, {
      method: method as "GET",
      dispatcher,
      headers: {
        accept: "*/*",
        "user-agent": "node",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
        ...options.headers,
      },
      body: body === undefined || typeof body === "string" ? (body ?? null) : JSON.stringify(body),
    });
    const text = await response.body.text();
    const received = headersOf(response.headers);
    const isJson = /^application\/([\w.-]+\+)?json/.test(received.get("content-type") ?? "");
    return { status: response.statusCode, headers: received, text, body: isJson && text ? JSON.parse(text) : null };
  }
  return {
    send,
    get: (path, options) => send("GET", path, undefined, options),
    post: (path, body, options) => send("POST", path, body, options),
    put: (path, body, options) => send("PUT", path, body, options),
    patch: (path, body, options) => send("PATCH", path, body, options),
    delete: (path, options) => send("DELETE", path, undefined, options),
  };
}

function headersOf(received: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(received)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  return headers;
}
