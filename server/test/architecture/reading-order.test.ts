import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const SOURCE = resolve(import.meta.dirname, "../../src");

describe("flow/README.md", () => {
  const text = readFileSync(join(SOURCE, "flow/README.md"), "utf8");
  const paths = text.split(/^\*\*(?=\w)/m).slice(1);
  const filesOf = (path: string) => [...path.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = ""]) => file);

  it("names files that exist", () => {
    expect(paths.flatMap(filesOf).filter((file) => !existsSync(join(SOURCE, file)))).toEqual([]);
  });

  it("keeps each path short enough to read", () => {
    const lengths = paths.map((path) => filesOf(path).length);
    expect(lengths).toHaveLength(7);
    for (const [nth, most] of [15, 6, 15, 9, 14, 25, 12].entries()) expect(lengths[nth]).toBeLessThanOrEqual(most);
  });
});
