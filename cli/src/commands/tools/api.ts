import type { Method } from "@millrace/sdk";
import { command, list, required, text } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import { didYouMean } from "../../did-you-mean.ts";
import { readJson } from "../../input/read-json.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

export const api = command({
  name: "api",
  summary: "call any API endpoint",
  about: "Call any API endpoint and print the response. `http://<service>/docs/api` lists all endpoints.",
  args: [required("method", METHODS.join(", ")), required("path", "for example /v1/jobs")],
  options: {
    data: text("-d, --data <json>", "request body: JSON, @file, or - for stdin"),
    header: list("-H, --header <name:value>", "request header; can be repeated"),
  },
  examples: [
    "millrace api GET /v1/me",
    'millrace api POST /v1/workflows/order/trigger -d \'{"payload": {"order": "A1"}}\'',
  ],
  run: async (cli, { args: [method = "", path = ""], options }) => {
    const response = await cli.client().request<unknown>(readMethod(method), readPath(path), {
      headers: readHeaders(options.header),
      ...(options.data !== undefined && { body: await readJson(cli, options.data) }),
    });
    if (response === undefined) return;
    if (typeof response === "string") return cli.write(response.endsWith("\n") ? response : `${response}\n`);
    cli.write(`${cli.format === "ndjson" ? JSON.stringify(response) : JSON.stringify(response, null, 2)}\n`);
  },
});

function readMethod(given: string): Method {
  const found = METHODS.find((method) => method === given.toUpperCase());
  if (found) return found;
  const [near] = didYouMean(given.toUpperCase(), METHODS);
  throw new CommandError(
    "usage",
    `Unknown method "${given}".`,
    near ? [`Did you mean ${near}?`] : [METHODS.join(", ")],
  );
}

/** Sends the API key only to the configured service, so absolute URLs are rejected. */
function readPath(path: string): string {
  if (path.startsWith("/") && !path.startsWith("//")) return path;
  throw new CommandError("usage", `"${path}" is not a path.`, [
    "Start it with a slash, as in /v1/runs. Use --base-url to select the service.",
  ]);
}

function readHeaders(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((header) => {
      const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(header) ?? [];
      if (!name)
        throw new CommandError("usage", `"${header}" is not a valid header.`, ["Write it as -H 'Name: value'."]);
      return [name, value ?? ""];
    }),
  );
}
