import { createHmac } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { type RunningRun, runningRun } from "../../test/seed/running-run.ts";
import { INTERNAL_SECRET, makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import { signRunToken } from "../platform/access/credentials/run-token.ts";
import { newId } from "../platform/ids.ts";

let world: World;
let project: TestProject;
let run: RunningRun;
let path: string;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  run = await runningRun(world, project);
  path = `/sdk/v1/runs/${run.run_id}/heartbeat`;
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

async function heartbeatWith(headers: Record<string, string>) {
  const { status, body } = await world.anonymous.post(path, {}, { headers });
  return [status, body.code];
}

describe("callers of the SDK routes of a run", () => {
  it("A4 include the run itself", async () => {
    expect((await run.sdk.post("/heartbeat")).status).toBe(200);
  });

  it("A4 include no one else: keys, the internal secret and sessions are 401", async () => {
    const session = await world.admin.post("/v1/session", { api_key: project.key });
    const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
    const others = [
      {},
      { authorization: `Bearer ${project.key}` },
      { authorization: `Bearer ${INTERNAL_SECRET}` },
      { "x-internal-secret": INTERNAL_SECRET },
      { "x-internal-secret": INTERNAL_SECRET, authorization: `Bearer ${run.token}` },
      { cookie },
    ];
    for (const headers of others) expect(await heartbeatWith(headers)).toEqual([401, "unauthorized"]);
  });

  it("A4 with a token of another run get 403 without a lookup, even if that run does not exist or has ended", async () => {
    const other = await runningRun(world, project);
    expect(await heartbeatWith({ authorization: `Bearer ${other.token}` })).toEqual([403, "forbidden"]);
    for (const runID of [newId(), "nothing", run.run_id.toUpperCase()]) {
      const response = await world.as(run.token).post(`/sdk/v1/runs/${runID}/heartbeat`, {});
      expect([response.status, response.body.code], runID).toEqual([403, "forbidden"]);
    }
  });

  it("A4 with an unsigned token, or one of another service, get 401", async () => {
    const [, claims] = run.token.split(".");
    const outsider = { ...world.ctx, config: { ...world.ctx.config, jwt_signing_keys: ["another-key".repeat(4)] } };
    const [secret = ""] = world.ctx.config.jwt_signing_keys;
    const plain = `${encode({ alg: "HS256", typ: "JWT" })}.${claims}`;
    const forged = [
      `${encode({ alg: "none", typ: "run+jwt" })}.${claims}.`,
      signRunToken(outsider, run),
      `${plain}.${createHmac("sha256", secret).update(plain).digest("base64url")}`,
      `${run.token}x`,
    ];
    for (const token of forged) {
      expect(await heartbeatWith({ authorization: `Bearer ${token}` })).toEqual([401, "unauthorized"]);
    }
  });

  it("A4 get 401 for a run token on /v1, reading or writing", async () => {
    const client = world.as(run.token);
    const responses = [
      await client.get(`/v1/runs/${run.run_id}`),
      await client.get("/v1/me"),
      await client.post(`/v1/runs/${run.run_id}/cancel`, {}),
      await world.admin.get("/v1/logs", { headers: { "x-internal-secret": run.token } }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  it("A4 are not counted against their address", async () => {
    const limited = await world.anotherInstance({ rate_limits: { api: 1, trigger: 1, bulk_trigger: 1 } });
    const headers = { authorization: `Bearer ${run.token}` };
    for (let call = 0; call < 5; call++) {
      expect((await limited.anonymous.post(path, {}, { headers })).status).toBe(200);
    }
  });
});
