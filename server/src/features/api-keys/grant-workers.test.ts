import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const GRANTING = { scopes: ["api-keys:read", "api-keys:write", "runs:work"] };

async function makeBench() {
  const project = await world.project();
  const { data } = (await project.api.get("/v1/environments")).body;
  const idOf = (wanted: string): string => data.find(({ slug }: { slug: string }) => slug === wanted).id;
  return { ...project, idOf };
}

describe("what workers with a key may serve", () => {
  it("A2 are environments by id or slug, stored as ids", async () => {
    const { api, idOf } = await makeBench();
    const worker_environment_ids = ["staging", idOf("production"), idOf("staging")];
    const { status, body } = await api.post("/v1/api-keys", { name: "both", worker_environment_ids });
    expect([status, body.worker_environment_ids]).toEqual([201, [idOf("staging"), idOf("production")]]);
  });

  it("A2 refuses an environment that does not exist or is of another project, and one besides environment_id", async () => {
    const [{ api, idOf }, other] = [await makeBench(), await makeBench()];
    const worker_environment_ids = ["staging", "nowhere", other.idOf("staging")];
    const unknown = await api.post("/v1/api-keys", { name: "x", worker_environment_ids });
    expect([unknown.status, unknown.body.errors.map(({ location }: { location: string }) => location)]).toEqual([
      422,
      ["body.worker_environment_ids[1]", "body.worker_environment_ids[2]"],
    ]);
    const both = { name: "x", environment_id: "staging", worker_environment_ids: [idOf("staging")] };
    const refused = await api.post("/v1/api-keys", both);
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.worker_environment_ids"]);
  });

  it("A11 is at most what those of the granting key may, and the same by default", async () => {
    const { newKey, idOf } = await makeBench();
    const held = { queues: ["mail"], worker_environment_ids: [idOf("staging"), idOf("production")] };
    const { api, id } = await newKey({ ...GRANTING, ...held });
    expect((await api.post("/v1/api-keys", { name: "same" })).body).toMatchObject(held);
    const less = { name: "less", worker_environment_ids: ["staging"] };
    expect((await api.post("/v1/api-keys", less)).body.worker_environment_ids).toEqual([idOf("staging")]);
    const bound = await api.post("/v1/api-keys", { name: "bound", environment_id: "staging" });
    expect(bound.body).toMatchObject({ environment_id: idOf("staging"), worker_environment_ids: null });
    const wider = [
      { queues: ["other"] },
      { worker_environment_ids: ["development"] },
      { environment_id: "development" },
    ];
    for (const fields of wider) {
      const { status, body } = await api.post("/v1/api-keys", { name: "more", ...fields });
      expect([status, body.code]).toEqual([403, "grant_too_wide"]);
    }
    const all = await newKey(GRANTING);
    expect((await api.post(`/v1/api-keys/${all.id}/rotate`)).body.code).toBe("grant_too_wide");
    expect((await all.api.post(`/v1/api-keys/${id}/rotate`)).status).toBe(200);
  });

  it("P3 keeps an environment from being deleted", async () => {
    const { api } = await makeBench();
    const { id } = (await api.post("/v1/environments", { name: "Preview" })).body;
    const key = await api.post("/v1/api-keys", { name: "Serves it", worker_environment_ids: [id] });
    const { status, body } = await api.delete(`/v1/environments/${id}`);
    expect([status, body.errors[0].message]).toEqual([409, 'the API key "Serves it" depends on it']);
    await api.delete(`/v1/api-keys/${key.body.id}`);
    expect((await api.delete(`/v1/environments/${id}`)).status).toBe(204);
  });
});
