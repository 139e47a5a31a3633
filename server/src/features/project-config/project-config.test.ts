import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

const PATH = "/v1/project-config";
const JOB = { owner: "shop", kind: "job", key: "mail" };

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

describe("GET /v1/project-config", () => {
  it("shows an empty list of revision 0 before the first change", async () => {
    expect((await project.api.get(PATH)).body).toMatchObject({ revision: 0, objects: [], applying_by: null });
  });
});

describe("PUT /v1/project-config", () => {
  it("replaces the list of the revision that the writer has read; of two writers, one is refused", async () => {
    const answers = await Promise.all([1, 2].map(() => project.api.put(PATH, { revision: 0, objects: [JOB] })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await project.api.get(PATH)).body).toMatchObject({ revision: 1, objects: [JOB] });
    expect((await project.api.put(PATH, { revision: 1, objects: [JOB] })).body.revision).toBe(1);
  });

  it("shows who applies a configuration until its lock expires", async () => {
    const locked = await project.api.put(PATH, {
      revision: 1,
      objects: [JOB],
      applying_by: "ci",
      applying_secs: 30,
    });
    expect(locked.body).toMatchObject({ revision: 2, applying_by: "ci" });
    expect((await project.api.put(PATH, { revision: 1, objects: [] })).body.detail).toContain("ci is applying");
    await world.clock.pass("31s");
    expect((await project.api.get(PATH)).body).toMatchObject({ revision: 2, applying_by: null, applying_until: null });
  });
});
