import { type } from "arktype";
import * as v from "valibot";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { defineJob } from "../src/define-job.ts";
import { manifestOf } from "../src/serve/manifest.ts";
import { SchemaError } from "../src/standard-schema.ts";
import { makeSdkWorld, type SdkWorld } from "./sdk-world.ts";

const zod = defineJob({ id: "with-zod", schema: z.object({ n: z.number() }), run: ({ n }) => n + 1 });
const valibot = defineJob({ id: "with-valibot", schema: v.object({ n: v.number() }), run: ({ n }) => n + 1 });
const arktype = defineJob({ id: "with-arktype", schema: type({ n: "number" }), run: ({ n }) => n + 1 });
const all = { zod, valibot, arktype };
let sdk: SdkWorld;

beforeAll(async () => {
  sdk = await makeSdkWorld();
  await sdk.host({ jobs: Object.values(all) });
});

describe.each(Object.entries(all))("a %s schema", (_, job) => {
  it("validates a payload before it is sent and again in the endpoint", async () => {
    const error = await sdk.client.jobs.trigger(job, { n: "1" as never }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SchemaError);
    expect(error.issues[0].location).toBe("payload.n");
    const run = await sdk.client.jobs.trigger(job, { n: 1 });
    await sdk.world.runUntilIdle();
    expect(await run.unwrap({ timeout: "20s" })).toBe(2);
    await sdk.client.jobs.update(job.id, { payload_schema: null });
    const other = await sdk.client.jobs.trigger(job.id, { n: "1" });
    await sdk.world.runUntilIdle();
    expect((await other.get()).error).toMatchObject({ code: "payload_invalid" });
  });
});

describe("the schema in the manifest", () => {
  it("is included if the library can generate it, and the service validates it", async () => {
    const schemas = manifestOf({ jobs: Object.values(all) }).jobs.map(({ payload_schema }) => payload_schema);
    expect(schemas[0]).toMatchObject({ type: "object", required: ["n"] });
    expect(schemas[1]).toBeUndefined();
    expect(schemas[2]).toMatchObject({ type: "object", required: ["n"] });
    const own = defineJob({ id: "own", payloadSchema: { type: "string" }, schema: z.object({}), run: () => 1 });
    expect(manifestOf({ jobs: [own] }).jobs[0]?.payload_schema).toEqual({ type: "string" });
    const unprintable = defineJob({
      id: "u",
      schema: z.object({ d: z.custom<Date>() }).transform((x) => x),
      run: () => 1,
    });
    expect(() => manifestOf({ jobs: [unprintable] })).not.toThrow();
  });

  it("types payloads and outputs", () => {
    const typed = async () => {
      // @ts-expect-error n is a number
      await sdk.client.jobs.trigger(zod, { n: "1" });
      // @ts-expect-error a payload is required
      await sdk.client.jobs.trigger(valibot);
      const run = await sdk.client.jobs.trigger(arktype, { n: 1 });
      const output: number = await run.unwrap();
      // @ts-expect-error the output is a number
      const text: string = await run.unwrap();
      const byName = await sdk.client.jobs.trigger<typeof zod>("with-zod", { n: 1 });
      const same: number = await byName.unwrap();
      return [output, text, same];
    };
    expect(typed).toBeTypeOf("function");
  });
});
