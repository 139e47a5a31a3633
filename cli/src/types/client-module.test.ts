import { join } from "node:path";
import { expect, it } from "vitest";
import { clientModule } from "./client-module.ts";
import { createProjectClient, type JobPayloads, type ProjectClient, type WorkflowPayloads } from "./sample-client.ts";

const JOBS = [{ slug: "send-mail", payload_schema: { type: "string" } }];
const WORKFLOWS = [{ slug: "order-paid", payload_schema: null }];

it("generates a module that compiles against the SDK: sample-client.ts is one", async () => {
  const generated = clientModule({ jobs: JOBS, workflows: WORKFLOWS });
  await expect(generated).toMatchFileSnapshot(join(import.meta.dirname, "sample-client.ts"));
});

it("starts runs by slug, with the payload and options", async () => {
  const asked: [string, unknown][] = [];
  const text: JobPayloads["send-mail"] = "hello";
  const anything: WorkflowPayloads["order-paid"] = undefined;
  const client: ProjectClient = createProjectClient({
    ...{ baseUrl: "http://millrace.example", apiKey: "svc_x" },
    fetch: async (url, init) => {
      asked.push([String(url), JSON.parse(String(init?.body)).payload]);
      return Response.json({ id: "1" }, { status: 201 });
    },
  });
  await client.jobs["send-mail"](text, { delay: "5s" });
  await client.workflows["order-paid"](anything);
  // @ts-expect-error: the payload is a text
  await client.jobs["send-mail"](7);
  expect(asked).toEqual([
    ["http://millrace.example/v1/jobs/send-mail/trigger", "hello"],
    ["http://millrace.example/v1/workflows/order-paid/trigger", undefined],
    ["http://millrace.example/v1/jobs/send-mail/trigger", 7],
  ]);
});
