import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { labelsOf } from "../requests/metric-labels.ts";
import { makeWorld } from "../world/world.ts";

const DEPLOY = resolve(import.meta.dirname, "../../../deploy");
const read = (path: string) => readFileSync(join(DEPLOY, path), "utf8");
const readYaml = (path: string) => parse(read(path));

type Panel = { id: number; type: string; title: string; targets?: { expr: string }[] };
type Dashboard = { uid: string; title: string; panels: Panel[] };
type Rule = { alert: string; expr: string; labels: Record<string, string>; annotations: Record<string, string> };

const DASHBOARDS = ["database", "overview", "queues", "webhooks", "workflows"];
const SUFFIX = /_(bucket|count|sum)$/;
const RUNBOOKS = [
  ...[
    "runs-not-starting",
    "webhooks-late",
    "database-down",
    "high-failure-rate",
    "changelog-lag",
    "invariant-violated",
    "high-cpu",
  ],
];

const dashboards = DASHBOARDS.map((name) => JSON.parse(read(`grafana/dashboards/${name}.json`)) as Dashboard);
const rules: Rule[] = readYaml("prometheus/alerts.yaml").groups.flatMap(({ rules }: { rules: Rule[] }) => rules);

/** The types of all metrics by name, with the names of their series, and their labels. */
let series: Map<string, string>;
let labels: Map<string, readonly string[]>;
beforeAll(async () => {
  const world = await makeWorld();
  const { text } = await world.admin.get("/metrics");
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type] as const);
  series = new Map(types.flatMap(([name, type]) => (type === "histogram" ? seriesOf(name) : [[name, type]])));
  labels = new Map(types.map(([name]) => [name, labelsOf(world.ctx.metrics.registry, name)]));
});

function seriesOf(name: string): [string, string][] {
  return ["_bucket", "_count", "_sum"].map((suffix) => [`${name}${suffix}`, "histogram"]);
}

function metricsIn(expr: string): string[] {
  return expr.match(/\b(?:svc|millrace|event_triggers)_[a-z_]+/g) ?? [];
}

/** The labels by which a query selects or groups. `instance` and `job` of a scrape are Prometheus's own. */
function labelsIn(expr: string): string[] {
  const selected = [...expr.matchAll(/([a-z_]+)(?:=|=~|!=|!~)"/g)].map(([, name = ""]) => name);
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(/, */));
  return [...selected, ...grouped].filter((name) => name !== "instance" && name !== "le");
}

/** Unknown metrics and labels, and counters whose total is shown instead of their rate. */
function problemsOf(expr: string): string[] {
  const names = metricsIn(expr);
  const own = new Set(names.flatMap((name) => labels.get(name) ?? labels.get(name.replace(SUFFIX, "")) ?? []));
  return [
    ...names.filter((name) => !series.has(name)),
    ...labelsIn(expr).filter((name) => !own.has(name)),
    ...names.filter((name) => series.get(name) === "counter" && !/(rate|increase)\(/.test(expr)),
  ];
}

it("the check of a query finds unknown metrics and labels, and counters without a rate", () => {
  expect(problemsOf("sum by (job) (millrace_backlog_runs)")).toEqual([]);
  expect(problemsOf("rate(millrace_run_duration_seconds[5m])")).toEqual(["millrace_run_duration_seconds"]);
  expect(problemsOf('max by (host) (millrace_backlog_runs{shard="1"})')).toEqual(["shard", "host"]);
  expect(problemsOf("sum(svc_bulk_operations_total)")).toEqual(["svc_bulk_operations_total"]);
});

describe("the dashboards", () => {
  it("are all provisioned, each with a uid of its own", () => {
    expect(readdirSync(join(DEPLOY, "grafana/dashboards")).toSorted()).toEqual(
      DASHBOARDS.map((name) => `${name}.json`),
    );
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(5);
    const { options } = readYaml("grafana/provisioning/dashboards.yaml").providers[0];
    const { volumes } = readYaml("compose/full.yaml").services.grafana;
    expect(volumes).toContain(`../grafana/dashboards:${options.path}:ro`);
    expect(readYaml("grafana/provisioning/datasources.yaml").datasources[0].type).toBe("prometheus");
  });

  it.each(dashboards)("$title queries only metrics and labels that GET /metrics has", ({ panels }) => {
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(7);
    expect(queries.filter((expr) => metricsIn(expr).length === 0)).toEqual([]);
    expect(queries.filter((expr) => problemsOf(expr).length > 0)).toEqual([]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  it("show every metric of the service's state", () => {
    const shown = new Set(
      dashboards
        .flatMap(({ panels }) => panels.flatMap(({ targets }) => targets ?? []))
        .flatMap(({ expr }) => metricsIn(expr)),
    );
    const state = [...series].filter(([name, type]) => type === "gauge" && name.startsWith("millrace_"));
    expect(state.map(([name]) => name).filter((name) => !shown.has(name))).toEqual([]);
  });
});

describe("the alert rules", () => {
  it.each(rules)("$alert queries only metrics and labels that GET /metrics has", ({ expr }) => {
    expect(metricsIn(expr).length).toBeGreaterThan(0);
    expect(problemsOf(expr)).toEqual([]);
  });

  it("each have a severity, a summary and a runbook, and every runbook is linked", () => {
    const base = "{{ $externalLabels.millrace_url }}/docs/operate/runbooks#";
    for (const { alert, labels, annotations } of rules) {
      expect(["warning", "critical"], alert).toContain(labels.severity);
      expect(annotations.summary, alert).toBeTruthy();
      expect(annotations.runbook_url?.startsWith(base), alert).toBe(true);
    }
    const anchors = new Set(rules.map(({ annotations }) => annotations.runbook_url?.slice(base.length)));
    expect([...anchors].toSorted()).toEqual(RUNBOOKS.toSorted());
  });

  it("each have a test that expects it to fire", () => {
    const { tests, rule_files } = readYaml("prometheus/alerts.test.yaml");
    type RuleTest = { alertname: string; exp_alerts: unknown[] };
    const fired = tests.flatMap((test: { alert_rule_test: RuleTest[] }) =>
      test.alert_rule_test.flatMap(({ alertname, exp_alerts }) => (exp_alerts.length > 0 ? [alertname] : [])),
    );
    expect(rule_files).toEqual(readYaml("prometheus/prometheus.yaml").rule_files);
    expect([...new Set(fired)].toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });
});

describe("compose and the chart", () => {
  it("use the files themselves, not copies", () => {
    const { volumes } = readYaml("compose/full.yaml").services.prometheus;
    expect(volumes).toContain("../prometheus/alerts.yaml:/etc/prometheus/alerts.yaml:ro");
    const linked = (path: string) => realpathSync(join(DEPLOY, "helm/millrace/files", path));
    expect(linked("alerts.yaml")).toBe(join(DEPLOY, "prometheus/alerts.yaml"));
    for (const name of DASHBOARDS) {
      expect(linked(`dashboards/${name}.json`)).toBe(join(DEPLOY, `grafana/dashboards/${name}.json`));
    }
  });
});
