import { describe, expect, it } from "vitest";
import { sourceFiles } from "./source-files.ts";

/** What claims work that is then sent to somewhere outside. */
const CLAIMS = /\bawait claim(Runs|Limited|Deliveries|Drains|Sources)\(/;

/** Each has its own claim, its own request and its own way to settle. */
const POOLS = [
  "engine/dispatcher.ts",
  "features/log-drains/drainer.ts",
  "features/outbox-sources/drainer.ts",
  "features/webhook-deliveries/sender.ts",
];

describe("runs, webhooks, log drains and outbox sources", () => {
  const pathsWith = (pattern: RegExp) =>
    sourceFiles()
      .filter(({ path, text }) => !path.startsWith("platform/worker-pool/") && pattern.test(text))
      .map(({ path }) => path)
      .sort();

  it("are claimed, sent, settled and drained by the one worker pool", () => {
    expect(pathsWith(/\bopenWorkerPool[<(]/)).toEqual(POOLS);
  });

  it("are claimed nowhere else, but by the poll of a worker", () => {
    expect(pathsWith(CLAIMS)).toEqual([...POOLS, "flow/runs/pull/claim-rounds.ts"]);
  });
});
