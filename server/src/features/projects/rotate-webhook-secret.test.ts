import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

type Kept = { webhook_secret: Buffer; previous_webhook_secret: Buffer | null; until: Date | null };

async function keptOf(id: string) {
  const [row] = await runSql<Kept>(
    world.connection,
    "select webhook_secret, previous_webhook_secret, previous_webhook_secret_until as until from projects where id = $1",
    [id],
  );
  if (!row) throw new Error("no project");
  const open = (encrypted: Buffer | null) =>
    encrypted && world.ctx.encryption.decryptText(world.ctx.db, id, `${id}/webhook_secret`, encrypted);
  return {
    row,
    secret: await open(row.webhook_secret),
    previous: await open(row.previous_webhook_secret),
    until: row.until?.toISOString() ?? null,
  };
}

const rotate = ({ api, id }: TestProject, body?: object) => api.post(`/v1/projects/${id}/webhook-secret/rotate`, body);

describe("POST /v1/projects/{projectID}/webhook-secret/rotate", () => {
  it("returns a new secret once, and stores it encrypted", async () => {
    const project = await world.project();
    const response = await rotate(project);
    expect(response.status).toBe(200);
    expect(response.body.webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(response.body.webhook_secret).not.toBe(project.webhook_secret);
    const kept = await keptOf(project.id);
    expect(kept.secret).toBe(response.body.webhook_secret);
    expect(kept.row.webhook_secret.includes("whsec_")).toBe(false);
  });

  it("keeps the old secret valid for the grace period", async () => {
    const project = await world.project();
    await world.clock.set("2030-01-01T00:00:00.000Z");
    const response = await rotate(project, { grace_period_minutes: 90 });
    expect(response.body.previous_secret_expires_at).toBe("2030-01-01T01:30:00.000Z");
    expect(await keptOf(project.id)).toMatchObject({
      secret: response.body.webhook_secret,
      previous: project.webhook_secret,
      until: "2030-01-01T01:30:00.000Z",
    });
  });

  it("without grace, removes the old secret, including one still in grace", async () => {
    const project = await world.project();
    await rotate(project, { grace_period_minutes: 60 });
    const response = await rotate(project);
    expect(response.body.previous_secret_expires_at).toBeNull();
    expect(await keptOf(project.id)).toMatchObject({ previous: null, until: null });
  });

  it.each([
    [-1, 422],
    [0, 200],
    [10_080, 200],
    [10_081, 422],
    [1.5, 422],
  ])("grace_period_minutes %s is %s", async (grace_period_minutes, status) => {
    const project = await world.project();
    expect((await rotate(project, { grace_period_minutes })).status).toBe(status);
  });

  it("is audited without the secret", async () => {
    const project = await world.project();
    const { body } = await rotate(project, { grace_period_minutes: 1 });
    const events = await runSql(
      world.connection,
      "select action, after from audit_events where project_id = $1 and action = 'project.webhook_secret_rotated'",
      [project.id],
    );
    expect(events).toEqual([{ action: expect.any(String), after: { previous_secret_expires_at: expect.any(String) } }]);
    expect(JSON.stringify(events)).not.toContain(body.webhook_secret);
  });

  it("A11 403 without projects:write, 404 for another project", async () => {
    const [project, other] = [await world.project(), await world.project()];
    const { api } = await project.newKey({ scopes: ["projects:read"] });
    expect((await rotate({ ...project, api })).status).toBe(403);
    expect((await rotate({ ...other, api: project.api })).status).toBe(404);
  });
});
