import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../../test/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const NOT_SERVED = [
  "..%2fpackage.json",
  "..%2f..%2fetc%2fpasswd",
  "index.html",
  "constructor",
  "__proto__",
  "home.js%00",
];

async function served(path: string) {
  const { status, headers, text } = await world.anonymous.get(path);
  return { status, type: headers.get("content-type"), policy: headers.get("content-security-policy"), text };
}

async function partsOfPage(): Promise<string[]> {
  const { text } = await served("/");
  return [...text.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "");
}

describe("GET /", () => {
  it("is a page without scripts of its own that loads its parts from here and nowhere else", async () => {
    const { status, type, policy, text } = await served("/");
    expect([status, type]).toEqual([200, "text/html; charset=utf-8"]);
    expect(policy).toMatch(/default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/);
    expect(text).not.toMatch(/<script(?![^>]+src=)|<[^>]+\son\w+=/);
    const parts = await partsOfPage();
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect([part, (await served(part)).status]).toEqual([part, 200]);
  });

  it("takes a sign-in code, does not print it, and refuses other parameters", async () => {
    expect((await served("/?code=7F3K9-00000")).text).not.toContain("7F3K9-00000");
    expect((await world.anonymous.get("/?cod=x")).status).toBe(422);
  });
});

describe("GET /home/js/{file}", () => {
  it("serves the page's scripts, and every script they import", async () => {
    const seen = new Set<string>();
    const waiting = (await partsOfPage()).filter((part) => part.endsWith(".js"));
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const { status, type, text } = await served(path);
      expect([path, status, type]).toEqual([path, 200, "text/javascript; charset=utf-8"]);
      const imports = [...text.matchAll(/(?:from|import)\s*\(?"(\.[^"]+)"/g)].map((match) => match[1] ?? "");
      waiting.push(...imports.map((each) => new URL(each, `${world.url}${path}`).pathname));
    }
    expect(seen.size).toBeGreaterThan(3);
  });

  it("serves nothing else of the folder, or beyond it", async () => {
    for (const file of NOT_SERVED) {
      const { status, text } = await served(`/home/js/${file}`);
      expect([file, [400, 404].includes(status)]).toEqual([file, true]);
      expect(text).not.toMatch(/root:|dependencies|ENOENT/);
    }
  });
});

describe("GET /home/css/{file}", () => {
  it("serves the page's styles, and nothing else", async () => {
    const styles = (await partsOfPage()).filter((part) => part.endsWith(".css"));
    expect(styles.length).toBeGreaterThan(0);
    for (const path of styles) expect((await served(path)).type).toBe("text/css; charset=utf-8");
    for (const file of [...NOT_SERVED, "home.js"]) {
      expect([file, [400, 404].includes((await served(`/home/css/${file}`)).status)]).toEqual([file, true]);
    }
  });
});

describe("GET /favicon.svg", () => {
  it("is a picture", async () => {
    const { status, type, text } = await served("/favicon.svg");
    expect([status, type]).toEqual([200, "image/svg+xml"]);
    expect(text).toContain("<svg");
  });
});

describe("GET /favicon.ico", () => {
  it("is the same picture", async () => {
    expect((await served("/favicon.ico")).text).toBe((await served("/favicon.svg")).text);
  });
});
