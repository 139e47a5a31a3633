import { expect, it } from "vitest";
import { isWholeSize } from "../../test/world/size.ts";
import { makeWorld } from "../../test/world/world.ts";
import type { Route } from "../platform/route.ts";
import { allRoutes } from "./all-routes.ts";

it("O9 all features are always active: every route works with minimal settings", async () => {
  const world = await makeWorld();
  const { body } = await world.anonymous.get("/openapi.json");
  const described = Object.values(body.paths as Record<string, object>).flatMap((methods) => Object.keys(methods));
  const all = allRoutes.filter(({ auth, path }) => auth.kind !== "none" && /^\/(sdk\/)?v1\//.test(path));
  expect(described.length).toBeGreaterThanOrEqual(all.length);
  // A feature is a segment of the path, and a method of it; the soak suite tests every route.
  const featureOf = ({ method, path }: Route) => [method, ...path.split("/").slice(1, 3)].join(" ");
  const routes = isWholeSize() ? all : [...new Map(all.map((route) => [featureOf(route), route])).values()];
  expect(routes.length).toBeGreaterThanOrEqual(60);
  const missing: string[] = [];
  for (const { method, path } of routes) {
    const filled = path.replaceAll(/\{\w+\}/g, "x");
    const response = await fetch(`${world.url}${filled}`, { method });
    const { code } = (await response.json()) as { code?: string };
    // No caller is admitted without a credential; a disabled route would be 404 instead.
    if (code !== "unauthorized") missing.push(`${method} ${path}: ${response.status} ${code}`);
  }
  expect(missing).toEqual([]);
});
