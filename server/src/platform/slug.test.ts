import { describe, expect, it } from "vitest";
import { insertWithSlug, refuseIdAsSlug } from "./slug.ts";

/** Takes every slug except these. */
function shelf(...taken: string[]) {
  const tried: string[] = [];
  return {
    tried,
    insert: async (slug: string) => {
      tried.push(slug);
      return taken.includes(slug) ? undefined : slug;
    },
  };
}

describe("a slug from a name", () => {
  it.each([
    ["Simple", "simple"],
    ["Two  Words", "two-words"],
    ["Été à la plage!", "ete-a-la-plage"],
    ["  --Hyphens--  ", "hyphens"],
    ["under_score.dot/slash", "under-score-dot-slash"],
    ["ﬁne ½", "fine-1-2"],
    ["ＦＵＬＬ width", "full-width"],
    ["İstanbul", "istanbul"],
    ["a".repeat(80), "a".repeat(50)],
    [`${"a".repeat(49)} tail`, "a".repeat(49)],
  ])("%j is %j", async (name, slug) => {
    expect(await insertWithSlug({ name }, shelf().insert)).toBe(slug);
  });

  it.each(["日本", "🦊", "---", "0190a1b2-0000-7000-8000-000000000000"])("%j gets an unnamed one", async (name) => {
    expect(await insertWithSlug({ name }, shelf().insert)).toMatch(/^unnamed-[0-9a-f]{6}$/);
  });

  it("gets a suffix once when it is taken", async () => {
    const { insert, tried } = shelf("taken");
    expect(await insertWithSlug({ name: "Taken" }, insert)).toMatch(/^taken-[0-9a-f]{6}$/);
    expect(tried).toHaveLength(2);
    const none = async () => undefined;
    await expect(insertWithSlug({ name: "Taken" }, none)).rejects.toMatchObject({ code: "slug_taken" });
  });
});

describe("an explicit slug", () => {
  it("is used unchanged or rejected", async () => {
    expect(await insertWithSlug({ name: "x", slug: "mine" }, shelf().insert)).toBe("mine");
    const { insert, tried } = shelf("mine");
    await expect(insertWithSlug({ name: "x", slug: "mine" }, insert)).rejects.toMatchObject({ code: "slug_taken" });
    expect(tried).toEqual(["mine"]);
  });

  it("must not look like an id, since it works wherever the id does", async () => {
    const slug = "0190a1b2-0000-7000-8000-000000000000";
    const { insert, tried } = shelf();
    await expect(insertWithSlug({ name: "x", slug }, insert)).rejects.toMatchObject({ code: "validation_failed" });
    expect(tried).toEqual([]);
    expect(() => refuseIdAsSlug(slug)).toThrow("must not look like an id");
    for (const fine of [undefined, "fine", slug.slice(1)]) expect(() => refuseIdAsSlug(fine)).not.toThrow();
  });
});
