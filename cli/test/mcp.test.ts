import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { beforeAll, expect, it, vi } from "vitest";
import { makeJob } from "../../server/test/seed/make-workflow.ts";
import { cleanEnv, program } from "./run-millrace.ts";
import { quietService, type Tried } from "./service-env.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let tried: Tried;
beforeAll(async () => {
  tried = await quietService();
  await makeJob(tried.project, { slug: "mail", delivery: "pull", endpoint_url: null });
});

type Content = { text: string }[];

async function connect(args: string[], env = tried.env): Promise<McpClient> {
  const official = new McpClient({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
  const transport = { command: process.execPath, args: [await program(), "mcp", ...args], env: cleanEnv(env) };
  await official.connect(new StdioClientTransport(transport));
  return official;
}

it("carries the tools of the service over stdio, and the question to the person", async () => {
  const reading = await connect([]);
  expect((await reading.listTools()).tools.map(({ name }) => name)).toContain("search_runs");
  await reading.close();
  const asked: string[] = [];
  const writing = await connect(["--allow-write"]);
  writing.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: "accept" as const, content: { perform: true } };
  });
  const MAIL = { action: "trigger_job", target: "mail", payload: { to: "ada" } };
  const planned = (await writing.callTool({ name: "plan_action", arguments: MAIL })).content as Content;
  const token = /^token: (\S+)/.exec(planned[0]?.text ?? "")?.[1] ?? "";
  await writing.callTool({ name: "perform_action", arguments: { ...MAIL, token } });
  expect(asked).toEqual([expect.stringContaining('"to": "ada"')]);
  expect((await tried.project.api.get("/v1/runs")).body.data).toHaveLength(1);
  await writing.close();
});

it("reports a service that cannot be reached, or refuses the key, as an error of the protocol", async () => {
  await expect(connect([], { ...tried.env, MILLRACE_BASE_URL: "http://127.0.0.1:1" })).rejects.toThrow("fetch failed");
  await expect(connect([], { ...tried.env, MILLRACE_API_KEY: "svc_wrong" })).rejects.toThrow("401");
});
