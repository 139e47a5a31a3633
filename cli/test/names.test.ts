import { beforeAll, expect, it, vi } from "vitest";
import { seedRun } from "../../server/test/seed/seed-run.ts";
import { allCommands } from "../src/all-commands.ts";
import { RICH, workIn } from "./config-work.ts";
import { millrace } from "./millrace.ts";
import { quietService, type Tried } from "./service-env.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let tried: Tried;
beforeAll(async () => {
  tried = await quietService();
  const { world, project } = tried;
  expect((await workIn(tried, project, RICH).run("apply", "--yes")).stderr).toContain("0 failed");
  const { id: job_id, version_id } = (await project.api.get("/v1/jobs/c-report")).body;
  await seedRun(world.connection, project.id, { job_id, job_version_id: version_id, status: "failed" });
  await project.api.post("/v1/workflows/a-child/trigger", {});
  await project.api.post("/v1/members", { subject: "auth0|7", role_id: "support" });
});

const LISTS = new Set(["list", "versions", "deliveries", "tail", "history", "events"]);
const isList = (name: string) => LISTS.has(name.split(" ").at(-1) ?? "") && name !== "runs tail";
const ARGUMENTS: Readonly<Record<string, string[]>> = {
  "workflows versions": ["order"],
  "jobs versions": ["a-mail"],
  "sources events": ["stripe"],
};

/** Objects without a name, which people and commands refer to by id. */
const WITHOUT_NAME: Readonly<Record<string, number>> = {
  ...{ "runs list": 0, "workflow-runs list": 0, "webhooks deliveries": 0, "errors list": 0, "sources events": 0 },
  // The run that waits.
  "events list": 3,
};
/** Alone or after a noun, of something that has a name; URLs and the keys of sleeps contain ids too. */
const ID =
  /^(?!event_subscription|resource_policy|tag_policy)(\w+ )?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

it.each(allCommands.filter(({ name, callsService }) => callsService && isList(name)).map(({ name }) => ({ name })))(
  "$name shows names, and no id of anything that has one",
  async ({ name }) => {
    const { code, stdout } = await millrace([...name.split(" "), ...(ARGUMENTS[name] ?? [])], { env: tried.env });
    expect(code).toBe(0);
    for (const line of stdout.trimEnd().split("\n")) {
      const shown = line.split("\t").filter((_, nth) => nth !== WITHOUT_NAME[name]);
      expect(shown.filter((cell) => ID.test(cell))).toEqual([]);
    }
  },
);
