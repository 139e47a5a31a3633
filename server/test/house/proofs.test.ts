import { describe, expect, it } from "vitest";
import { allRoutes } from "../../src/api/all-routes.ts";
import { allLoops } from "../../src/engine/all-loops.ts";
import { testFiles } from "./source-files.ts";

const tests = testFiles()
  .map((file) => file.text)
  .join("\n");

describe("every part has its test", () => {
  it.each(allRoutes.map(({ method, path }) => `${method} ${path}`))("%s has a describe of its name", (name) => {
    expect(tests.includes(`describe("${name}"`)).toBe(true);
  });

  it.each(allLoops.map((loop) => loop.name))("the duty %s is stepped by a test", (name) => {
    expect(tests.includes(`"${name}"`)).toBe(true);
  });

  it("no test is switched off or alone", () => {
    expect(tests.match(/\b(it|test|describe)\.(only|skip|todo)\b/g)).toBeNull();
  });
});
