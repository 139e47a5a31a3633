import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { openHarness } from "../../harness/open-harness.ts";
import { useServices } from "../../service/start-service.ts";
import { scenarioSize } from "../../world/size.ts";
import { checkChangelog } from "./check-changelog.ts";
import { followRuns } from "./follow-runs.ts";
import { makeSubject, startLoad } from "./load.ts";

useServices();

const SIZE = scenarioSize({
  quick: { kills: 2, everyMs: 100 },
  usual: { kills: 6, everyMs: 50 },
  whole: { kills: 40, everyMs: 20 },
});
const BETWEEN_MS = 1_500;

it("three instances that are killed at random, each of them, lose no change and do nothing twice", async () => {
  const harness = await openHarness({ name: "changelog instances" });
  const { instances, random } = harness;
  const subject = await makeSubject(harness);
  const followed = await followRuns(instances.urls, subject.project.project_id);
  const load = startLoad(subject, random, { everyMs: SIZE.everyMs, keys: "load" });
  for (let nth = 0; nth < SIZE.kills; nth++) {
    await pause(BETWEEN_MS * random());
    await instances.crash(nth % 3, BETWEEN_MS * random());
  }
  const triggered = await load.stop();
  const checked = await checkChangelog(harness, subject.project, followed);
  const figures = { triggered, kills: SIZE.kills, ...checked, connections: followed.connections() };
  console.info(`three instances: ${JSON.stringify(figures)}`);
  expect(followed.connections()).toBeGreaterThan(1);
}, 400_000);
