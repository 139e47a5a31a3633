import { spawn } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../test/world/database.ts";
import { ENCRYPTION_KEY } from "../../test/world/encryption-key.ts";
import { untilUp } from "../../test/world/until-up.ts";
import { INTERNAL_SECRET, makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import { holdsEncryptionKey } from "../features/projects/encryption-check.ts";
import { openEncryption } from "../platform/secrets/encryption.ts";
import { rewrapEverything } from "./rewrap-everything.ts";

const OLD = ENCRYPTION_KEY;
const NEXT = "the-next-encryption-key-0123456789abcdef";
const LOST = "an-encryption-key-that-was-lost-0123456789";

let world: World;
let project: TestProject;
let environment: string;
beforeAll(async () => {
  world = await makeWorld({ config: { encryption_keys: [OLD] } });
  project = await world.project();
  const { body } = await project.api.post("/v1/environments", { name: "Kept", variables: { A: "kept" } });
  environment = body.id;
});

const foreignTo = (secret: string) =>
  runSql<{ id: string }>(
    world.connection,
    "select id from projects where not starts_with(encode(wrapped_data_key, 'hex'), $1)",
    [openEncryption([secret]).wrappingKeyId.toString("hex")],
  );
const nobody = () => {};
const variables = async (url: string) => {
  const response = await fetch(`${url}/v1/environments/${environment}`, {
    headers: { authorization: `Bearer ${project.key}` },
  });
  return ((await response.json()) as { variables: unknown }).variables;
};

/** Projects whose data key is wrapped like that of the first. */
async function manyProjects(count: number): Promise<void> {
  await runSql(
    world.connection,
    `insert into projects (id, slug, name, wrapped_data_key, webhook_secret, created_at, updated_at)
     select gen_random_uuid(), 'many-' || gen_random_uuid(), 'Many', wrapped_data_key, webhook_secret, clock(), clock()
     from projects, generate_series(1, $2::int) where id = $1`,
    [project.id, count],
  );
}

describe("the rotation of ENCRYPTION_KEY by command", () => {
  it("wraps everything with the first value, in pages, while an instance with both values keeps working", async () => {
    await manyProjects(510); // a page has 500
    expect(await holdsEncryptionKey(world.ctx)).toBe(true);
    const running = await world.anotherInstance({ encryption_keys: [NEXT, OLD] });
    await untilUp([world, running]);
    const lines: string[] = [];
    const reads: Promise<unknown>[] = [];
    const { moved, unopened } = await rewrapEverything(running.ctx, (line) => {
      lines.push(line);
      reads.push(variables(running.url), variables(world.url));
    });
    expect([moved, unopened, await foreignTo(NEXT)]).toEqual([511, [], []]);
    const [next, old] = [await world.anotherInstance({ encryption_keys: [NEXT] }), world];
    expect([await holdsEncryptionKey(next.ctx), await holdsEncryptionKey(old.ctx)]).toEqual([true, false]);
    expect(lines.length).toBeGreaterThanOrEqual(3);
    for (const each of await Promise.all(reads)) expect(each).toEqual({ A: "kept" });
    const after = await world.anotherInstance({ encryption_keys: [NEXT] });
    await untilUp([after]);
    expect(await variables(after.url)).toEqual({ A: "kept" });
    await runSql(world.connection, "delete from projects where slug like 'many-%'");
  });

  it("changes nothing the second time, and can be reversed the same way", async () => {
    const back = await world.anotherInstance({ encryption_keys: [OLD, NEXT] });
    expect((await rewrapEverything(back.ctx, nobody)).moved).toBeGreaterThan(0);
    expect(await rewrapEverything(back.ctx, nobody)).toEqual({ moved: 0, unopened: [] });
    expect(await foreignTo(OLD)).toEqual([]);
  });

  it("moves every key when two run at once", async () => {
    await manyProjects(50);
    const one = await world.anotherInstance({ encryption_keys: [NEXT, OLD] });
    const both = await Promise.all([rewrapEverything(one.ctx, nobody), rewrapEverything(one.ctx, nobody)]);
    expect(both.map(({ unopened }) => unopened)).toEqual([[], []]);
    expect(await foreignTo(NEXT)).toEqual([]);
    expect(await variables(one.url)).toEqual({ A: "kept" });
  });

  it("names the projects that no value decrypts, moves all others, and exits with an error", async () => {
    const sick = await world.project();
    const wrapped = openEncryption([LOST]).newDataKey().wrapped;
    await runSql(world.connection, "update projects set wrapped_data_key = $2 where id = $1", [sick.id, wrapped]);
    const first = await rotateAsProcess([OLD, NEXT].join(","));
    expect([first.code, first.errors]).toEqual([1, expect.stringContaining(sick.id)]);
    expect(await foreignTo(OLD)).toEqual([{ id: sick.id }]);
    for (const secret of [OLD, NEXT, LOST]) expect(`${first.output}${first.errors}`).not.toContain(secret);
    const found = await world.anotherInstance({ encryption_keys: [OLD, LOST] });
    expect((await rewrapEverything(found.ctx, nobody)).unopened).toEqual([]);
    expect(await foreignTo(OLD)).toEqual([]);
  });
});

type Ended = { code: number | null; output: string; errors: string };

function rotateAsProcess(ENCRYPTION_KEY: string): Promise<Ended> {
  const { host, port, user, database } = world.connection;
  const at = `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
  const env = {
    ...process.env,
    ...{
      DATABASE_URL: at,
      ENCRYPTION_KEY,
      INTERNAL_SECRET,
      JWT_SIGNING_KEY: "jwt-signing-key-of-the-tests-0123456789",
    },
  };
  const tool = join(import.meta.dirname, "../../../tools/rotate-encryption-key.mjs");
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [tool], { env });
    const ended: Ended = { code: null, output: "", errors: "" };
    child.stdout.on("data", (chunk) => (ended.output += chunk));
    child.stderr.on("data", (chunk) => (ended.errors += chunk));
    child.on("close", (code) => resolve({ ...ended, code }));
  });
}
