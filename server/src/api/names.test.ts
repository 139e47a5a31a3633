import { NAME_PATTERN } from "@millrace/contract/schema/fields";
import { namedSchemas } from "@millrace/contract/schema/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { type JsonSchema, resolve } from "../../test/requests/sample-body.ts";
import { makeWorld, type TestProject } from "../../test/world/world.ts";
import { allRoutes } from "./all-routes.ts";

let project: TestProject;
beforeAll(async () => {
  project = await (await makeWorld()).project();
});

/**
 * Fields with other rules: the name of a queue, which is a slug, the name of a header, that of a limit, a name in a
 * capsule, which stays as exported, and members in bulk, which are validated one by one.
 */
const OTHERS = [
  "CreateQueue.name",
  "LogDrain.auth.name",
  "rate_limit_keys[].name",
  "workflow.name",
  "AssignMembers.members[].name",
];

function namesIn(place: string, given: JsonSchema, found: [string, JsonSchema][] = []): [string, JsonSchema][] {
  const schema = resolve(given);
  for (const branch of schema.anyOf ?? []) namesIn(place, branch, found);
  if (schema.items) namesIn(`${place}[]`, schema.items, found);
  for (const [field, inner] of Object.entries(schema.properties ?? {})) {
    if (/^(name|title|label)$/.test(field)) found.push([`${place}.${field}`, resolve(inner)]);
    else namesIn(`${place}.${field}`, inner, found);
  }
  return found;
}

const bodies = new Set(allRoutes.flatMap(({ body }) => (body ? [(body as unknown as { $id: string }).$id] : [])));

describe("names", () => {
  it("follow the same rule in every request body", () => {
    const found = [...bodies].flatMap((id) => namesIn(id, namedSchemas.get(id) as unknown as JsonSchema));
    expect(found.length).toBeGreaterThanOrEqual(20);
    const others = found.filter(([, { pattern }]) => pattern !== NAME_PATTERN).map(([place]) => place);
    expect(others.filter((place) => !OTHERS.some((other) => place.endsWith(other)))).toEqual([]);
  });

  it.each([
    ["a line break", "a\nb"],
    ["a carriage return", "a\rb"],
    ["a tab", "a\tb"],
    ["an escape", "a\u001b[31mb"],
    ["a line separator", "a\u2028b"],
    ["a direction override", "a\u202eb"],
    ["an isolate", "a\u2066b"],
    ["a zero width space alone", "\u200b"],
    ["a zero width space within", "a\u200bb"],
    ["a byte order mark", "\ufeffa"],
    ["a Hangul filler", "\u3164"],
    ["a tag character", "a\u{e0041}"],
    ["a blank", " "],
    ["an ideographic space", "\u3000"],
  ])("refuse %s with its location", async (_what, name) => {
    const message =
      "must be one line with at least one visible character, and no control, invisible or text-direction characters";
    const one = await project.api.post("/v1/environments", { name });
    expect([one.status, one.body.errors]).toEqual([422, [{ location: "body.name", message, value: name }]]);
    const members = [{ subject: "s", role_id: "viewer", name }];
    const many = await project.api.post("/v1/members/bulk", { members });
    expect(many.body.results[0].error).toBe(`body.members[0].name: ${message}`);
  });

  it.each(["Ölförderung", "日本語 の 名前", "مرحبا", "❤\ufe0f 2 go", "a\u00a0b", "🏭", " led by a blank", "𝒳"])(
    "take %s",
    async (name) => {
      const made = await project.api.post("/v1/event-sources", {
        name,
        slug: `s-${Buffer.from(name).toString("hex").slice(-20)}`,
      });
      expect([made.status, made.body.name]).toEqual([201, name]);
      const members = [{ subject: `s-${Buffer.from(name).toString("hex")}`, role_id: "viewer", name }];
      expect((await project.api.post("/v1/members/bulk", { members })).body.results[0].error).toBeNull();
    },
  );

  it("are validated in time linear in their length", async () => {
    const { status } = await project.api.post("/v1/environments", { name: `${" ".repeat(900_000)}\u0007` });
    expect(status).toBe(422);
  });
});
