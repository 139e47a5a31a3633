import { createTestServer } from "@millrace/sdk/testing";
import { expect, it } from "vitest";
import { buildTestHost } from "../../tools/build-test-host.mjs";
import { expectOutput } from "../testing/example-test.ts";
import { reportJob } from "./report.ts";

it("prints the expected output", () => expectOutput("nightly-report"), 180_000);

it("creates one report per night for a week", async () => {
  const asked: string[] = [];
  const report = reportJob((day) => {
    asked.push(day);
    return [];
  });
  const t = await createTestServer({ hostFile: await buildTestHost() });
  // Starts at noon, far from the hour of the schedule and of daylight-saving changes.
  const secsSinceNoon = BigInt(Math.floor((await t.now()).getTime() / 1_000) + 43_200) % 86_400n;
  await t.skip(`${86_400n - secsSinceNoon}s`);
  await t.serve([report]);
  await t.skip("7d");
  expect(new Set(asked).size).toBe(7);
  expect([...asked].sort()).toEqual(asked);
  await t.close();
}, 120_000);
