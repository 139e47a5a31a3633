import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { parse, stringify } from "yaml";
import { programIn, unpackPackages } from "./debian-packages.ts";

vi.setConfig({ testTimeout: 300_000 });

const DEPLOY = resolve(import.meta.dirname, "../../../../deploy");
const RULES = join(DEPLOY, "prometheus");

const found = unpackPackages(["prometheus"]);
if ("reason" in found) console.warn(`the rules and queries are not tested: this ${found.reason}`);

describe.skipIf("reason" in found)("promtool", () => {
  const program = "root" in found ? programIn(found.root, "promtool") : "";
  const folder = mkdtempSync(join(tmpdir(), "millrace-rules-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const promtool = (cwd: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
    return { status, text: `${stdout}${stderr}` };
  };

  it("accepts the configuration and the rules, and their tests pass", () => {
    const rules = parse(readFileSync(join(RULES, "alerts.yaml"), "utf8")).groups.flatMap(
      (group: { rules: object[] }) => group.rules,
    );
    expect(promtool(RULES, "check", "config", "--syntax-only", "prometheus.yaml")).toMatchObject({ status: 0 });
    expect(promtool(RULES, "check", "rules", "alerts.yaml").text).toContain(`SUCCESS: ${rules.length} rules found`);
    expect(promtool(RULES, "test", "rules", "alerts.test.yaml")).toMatchObject({ status: 0 });
  });

  it("fails for each rule whose expression is never true", () => {
    const { groups } = parse(readFileSync(join(RULES, "alerts.yaml"), "utf8"));
    writeFileSync(join(folder, "alerts.test.yaml"), readFileSync(join(RULES, "alerts.test.yaml")));
    for (const group of groups) {
      for (const rule of group.rules) {
        const changed = { ...rule, expr: "vector(0) > 1" };
        const rules = group.rules.map((each: object) => (each === rule ? changed : each));
        const all = groups.map((each: object) => (each === group ? { ...group, rules } : each));
        writeFileSync(join(folder, "alerts.yaml"), stringify({ groups: all }));
        const { status, text } = promtool(folder, "test", "rules", "alerts.test.yaml");
        expect([rule.alert, status, text.includes(`alertname: ${rule.alert}`)]).toEqual([rule.alert, 1, true]);
      }
    }
  });

  it("accepts every query of the dashboards", () => {
    type Dashboard = { panels: { targets?: { expr: string }[] }[] };
    const dashboards: Dashboard[] = readdirSync(join(DEPLOY, "grafana/dashboards")).map((name) =>
      JSON.parse(readFileSync(join(DEPLOY, "grafana/dashboards", name), "utf8")),
    );
    const queries = dashboards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets ?? []));
    const recorded = queries.map(({ expr }, nth) => ({
      record: `query_${nth}`,
      expr: expr.replaceAll("$__rate_interval", "5m"),
    }));
    writeFileSync(join(folder, "queries.yaml"), stringify({ groups: [{ name: "queries", rules: recorded }] }));
    expect(promtool(folder, "check", "rules", "queries.yaml").text).toContain(`SUCCESS: ${queries.length} rules found`);
    expect(queries.length).toBeGreaterThan(50);
  });
});
