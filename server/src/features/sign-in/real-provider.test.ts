import { beforeAll, expect, it } from "vitest";
import { realProvider } from "../../../test/outside/real-provider.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
let provider: Awaited<ReturnType<typeof realProvider>>;
beforeAll(async () => {
  provider = await realProvider("certified");
  world = await makeWorld({ config: { sign_in: { providers: [provider.settings], rules: [], recheck_secs: 5 } } });
  provider.open(`${world.url}/v1/sign-in/certified/callback`);
  project = await world.project();
  world.ctx.config.sign_in.rules.push({ group: "operators", project: project.id, role: "operator" });
});

async function signIn(login: string): Promise<Response> {
  const begun = await fetch(`${world.url}/v1/sign-in/certified`, { redirect: "manual" });
  const [attempt = ""] = begun.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
  const back = await provider.signIn(begun.headers.get("location") ?? "", login);
  return fetch(back, { redirect: "manual", headers: { cookie: attempt } });
}

it("A13 signs in with a certified provider, refreshes, and ends when the group is removed", async () => {
  const finished = await signIn("ada");
  expect([finished.status, finished.headers.get("location")]).toEqual([302, "/"]);
  const cookie = finished.headers.getSetCookie().at(-1)?.split(";")[0] ?? "";
  const readJobs = () => world.anonymous.get(`/v1/jobs?project_id=${project.id}`, { headers: { cookie } });
  expect((await readJobs()).status).toBe(200);
  for (let refreshes = 0; refreshes < 3; refreshes++) {
    await world.clock.pass("6s");
    expect((await readJobs()).status).toBe(200);
  }
  provider.state.groups = [];
  await world.clock.pass("6s");
  expect((await readJobs()).body).toMatchObject({ status: 401, code: "session_expired" });
});

it("A13 reads the address of a provider that has it at its userinfo endpoint only", async () => {
  provider.state.groups = [];
  expect((await signIn("grace")).status).toBe(403);
  world.ctx.config.sign_in.rules.push({ email_domain: "x.org", project: project.id, role: "viewer" });
  expect((await signIn("grace")).status).toBe(302);
  expect((await project.api.get("/v1/members")).body.data).toMatchObject([
    { subject: "certified:grace", role_name: "viewer" },
  ]);
});
