import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildDashboard } from "../../../../tools/build-dashboard.mjs";
import { makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
let dist: string;
beforeAll(async () => {
  [world, dist] = await Promise.all([makeWorld(), buildDashboard()]);
}, 120_000);

const NOT_SERVED = [
  "..%2findex.html",
  "..%2f..%2fpackage.json",
  "..%2f..%2f..%2fetc%2fpasswd",
  "constructor",
  "__proto__",
  "a.js%00",
];
const PAGE = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };

async function served(path: string, options?: { headers: Record<string, string> }) {
  const { status, headers, text } = await world.anonymous.get(path, options);
  const [type, policy, cache] = ["content-type", "content-security-policy", "cache-control"].map((name) =>
    headers.get(name),
  );
  return { status, type, policy, cache, text };
}

async function expectKind(kind: string, type: string): Promise<void> {
  const names = await readdir(join(dist, "assets", kind));
  expect(names.length).toBeGreaterThan(0);
  const found = await served(`/assets/${kind}/${names[0]}`);
  expect([found.status, found.type]).toEqual([200, type]);
  expect(found.cache).toBe("public, max-age=31536000, immutable");
  for (const file of NOT_SERVED) {
    const { status, text } = await served(`/assets/${kind}/${file}`);
    expect([file, [400, 404].includes(status)]).toEqual([file, true]);
    expect(text).not.toMatch(/root:|dependencies|ENOENT/);
  }
}

describe("GET /", () => {
  it("is a page without inline scripts that loads its assets only from this origin", async () => {
    const { status, type, policy, cache, text } = await served("/");
    expect([status, type, cache]).toEqual([200, "text/html; charset=utf-8", "no-store"]);
    expect(policy).toMatch(/default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/);
    expect(policy).not.toContain("unsafe");
    expect(text).not.toMatch(/<script(?![^>]+src=)|<style|\sstyle=|<[^>]+\son\w+=/);
    const parts = [...text.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect([part, (await served(part)).status]).toEqual([part, 200]);
  });

  it("accepts a sign-in code, does not print it, and rejects other parameters", async () => {
    expect((await served("/?code=7F3K9-00000")).text).not.toContain("7F3K9-00000");
    expect((await world.anonymous.get("/?cod=x")).status).toBe(422);
  });

  it("is returned to a browser for every link into the dashboard, but not to programs for an unknown path", async () => {
    const { text } = await served("/");
    for (const path of ["/p/acme/production/runs?q=status:failed&unknown=1", "/p/acme", "/gallery", "/nothing"]) {
      const page = await served(path, PAGE);
      expect([path, page.status, page.cache, page.text === text]).toEqual([path, 200, "no-store", true]);
      expect((await world.anonymous.get(path)).body).toMatchObject({ code: "not_found" });
    }
    for (const path of ["/v1/nothing", "/sdk/v1/nothing", "/assets/js/nothing.js"]) {
      const response = await world.anonymous.get(path, PAGE);
      expect([path, response.status, response.body.code]).toEqual([path, 404, "not_found"]);
    }
    expect((await world.anonymous.post("/nothing", {}, PAGE)).status).toBe(404);
  });
});

describe("GET /assets/js/{file}", () => {
  it("serves scripts with immutable caching under their hashed names, and nothing else", () =>
    expectKind("js", "text/javascript; charset=utf-8"));
});

describe("GET /assets/css/{file}", () => {
  it("serves styles with immutable caching under their hashed names, and nothing else", () =>
    expectKind("css", "text/css; charset=utf-8"));
});

describe("GET /assets/fonts/{file}", () => {
  it("serves fonts byte for byte, and nothing else", async () => {
    await expectKind("fonts", "font/woff2");
    const [name] = await readdir(join(dist, "assets", "fonts"));
    const response = await fetch(`${world.url}/assets/fonts/${name}`);
    expect(new TextDecoder("latin1").decode((await response.arrayBuffer()).slice(0, 4))).toBe("wOF2");
  });
});

describe("GET /favicon.svg", () => {
  it("is an image", async () => {
    const { status, type, text } = await served("/favicon.svg");
    expect([status, type]).toEqual([200, "image/svg+xml"]);
    expect(text).toContain("<svg");
  });
});

describe("GET /favicon.ico", () => {
  it("is the same image", async () => {
    expect((await served("/favicon.ico")).text).toBe((await served("/favicon.svg")).text);
  });
});
