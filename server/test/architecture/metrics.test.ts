import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { makeMetrics } from "../../src/platform/metrics/metrics.ts";
import { labelsOf } from "../requests/metric-labels.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const page = readFileSync(join(ROOT, "docs/operate/metrics.md"), "utf8");

it("docs/operate/metrics.md describes every metric with its type and labels, and no others", async () => {
  const { registry } = makeMetrics();
  const described = [...page.matchAll(/^\| `([a-z_]+)` \| (\w+) \| ([^|]*)\| \S.*\|$/gm)].map(
    ([, name, type, labels = ""]) => ({
      name,
      type,
      labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
    }),
  );
  const all = (await registry.getMetricsAsJSON()).map(({ name, type }) => ({
    ...{ name, type },
    labels: labelsOf(registry, name),
  }));
  const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }) =>
    (a.name ?? "").localeCompare(b.name ?? "");
  expect(described.toSorted(byName)).toEqual(all.toSorted(byName));
});

it("names of metrics are specified ones or begin with millrace_", async () => {
  const names = (await makeMetrics().registry.getMetricsAsJSON()).map(({ name }) => name);
  expect(names.filter((name) => !/^(svc|event_triggers|millrace)_/.test(name))).toEqual([]);
});

it("docs/operate/metrics.md lists every alert with its runbook", () => {
  const { groups } = parse(readFileSync(join(ROOT, "deploy/prometheus/alerts.yaml"), "utf8"));
  type Rule = { alert: string; annotations: { runbook_url: string } };
  const rows = page.split("\n").filter((line) => line.startsWith("| `Millrace"));
  for (const { alert, annotations } of groups.flatMap(({ rules }: { rules: Rule[] }) => rules) as Rule[]) {
    const anchor = annotations.runbook_url.split("#")[1];
    expect(rows.filter((row) => row.includes(`\`${alert}\``)).map((row) => /#([\w-]+)/.exec(row)?.[1])).toEqual([
      anchor,
    ]);
  }
});
