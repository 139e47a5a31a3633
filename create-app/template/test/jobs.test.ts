import { createTestServer, type TestServer } from "@millrace/sdk/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { greet, welcome } from "../src/jobs.ts";

let t: TestServer;
beforeAll(async () => {
  t = await createTestServer();
  await t.serve([greet, welcome]);
});
afterAll(() => t.close());

it("greets even after two failed attempts", async () => {
  t.failNext(greet, 2);
  expect(await t.run(greet, { name: "Ada" })).toMatchObject({ ok: true, output: { text: "Hello, Ada!" } });
});

it("greets again once confirmed", async () => {
  const run = await t.client.workflows.trigger(welcome, { name: "Ada" });
  await t.skip("48h");
  await t.events.expectWaiting("confirmed:Ada");
  await t.client.events.send("confirmed:Ada", { by: "Ada" });
  expect(await run.result()).toMatchObject({ ok: true, output: { again: { text: "Hello, Ada!" } } });
});
