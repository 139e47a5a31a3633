import { z } from "zod";
import type { Client } from "../../src/client/create-client.ts";
import type { RunHandle } from "../../src/client/run-handle.ts";
import { defineEvent } from "../../src/define-event.ts";
import { defineJob } from "../../src/define-job.ts";
import type { OutboxConnection, OutboxPool } from "../../src/outbox/rows.ts";
import type { RunContext } from "../../src/serve/run-context.ts";
import type { TestServer } from "../../src/testing/create-test-server.ts";
import { defineWorkflow } from "../../src/workflow/define-workflow.ts";

// The names that examples in comments use without defining them. They are not run, only type-checked.

const sendMail = defineJob({
  id: "send-mail",
  schema: z.object({ to: z.string() }),
  run: ({ to }) => ({ id: to }),
});
const approved = defineEvent({
  key: (order: { id: string }) => `approve:${order.id}`,
  schema: z.object({ by: z.string() }),
});
const sum = defineJob({ id: "sum", run: (_: { id: string }) => ({ cents: 100 }) });
const order = defineWorkflow("order", { schema: z.object({ id: z.string() }) }).job("total", sum);

/** A stand-in for the type checker only. */
function some<T>(): T {
  return undefined as T;
}

export const exampleNames = {
  sendMail,
  approved,
  order,
  client: some<Client>(),
  pool: some<OutboxPool>(),
  connection: some<OutboxConnection>(),
  ctx: some<RunContext>(),
  run: some<RunHandle<{ id: string }>>(),
  t: some<TestServer>(),
  error: some<unknown>(),
  headers: some<Headers>(),
  rawBody: some<string>(),
  secret: some<string>(),
  api: some<typeof import("@opentelemetry/api")>(),
};
