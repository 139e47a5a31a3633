import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { installModels, kubernetesIssues } from "./kubernetes-issues.ts";
import { findGo, type Manifest, type Release, renderChart } from "./render-chart.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const VALUES = resolve(import.meta.dirname, "../../deploy");
const valuesOf = (name: string): object => parse(readFileSync(join(VALUES, `values-${name}.yaml`), "utf8"));

/** What each switch adds. Of both kinds of pods there is one each. */
const SWITCHES: [values: (on: boolean) => object, kinds: string[]][] = [
  [(enabled) => ({ migrations: { enabled } }), ["Job"]],
  [(enabled) => ({ podDisruptionBudget: { enabled } }), ["PodDisruptionBudget", "PodDisruptionBudget"]],
  [(enabled) => ({ ingress: { enabled, host: "jobs.example.com" } }), ["Ingress"]],
  [(enabled) => ({ networkPolicy: { enabled } }), ["NetworkPolicy"]],
  [(enabled) => ({ serviceMonitor: { enabled } }), ["ServiceMonitor"]],
  [(enabled) => ({ prometheusRule: { enabled } }), ["PrometheusRule"]],
  [(enabled) => ({ grafanaDashboards: { enabled } }), Array(5).fill("ConfigMap")],
  [(enabled) => ({ api: { autoscaling: { enabled } } }), ["HorizontalPodAutoscaler"]],
  [(enabled) => ({ engine: { autoscaling: { enabled } } }), ["HorizontalPodAutoscaler"]],
];
const ALWAYS = ["Deployment", "Deployment", "Service", "Service", "ServiceAccount", "Pod"];
const COMBINATIONS = Array.from({ length: 2 ** SWITCHES.length }, (_, bits) =>
  SWITCHES.map((each, nth) => [each, (bits & (1 << nth)) > 0] as const),
);
const SINGLE = [
  { image: { tag: "1.2.3", pullPolicy: "Always" } },
  { service: { type: "LoadBalancer", port: 443 } },
  { settings: { ALLOW_INSECURE_COOKIES: true, RUN_RETENTION: "720h", RATE_LIMIT_API_PER_MINUTE: 1_000_000 } },
  { api: { replicas: 0, resources: {} }, engine: { resources: { limits: { cpu: 2, memory: "2Gi" } } } },
  { ingress: { enabled: true, host: "jobs.example.com", tlsSecret: "jobs-tls" } },
];

/** Helm's limit of the name of a release is 53 characters; of an object that a label names, 63. */
const LONGEST = "r".repeat(53);

const releases: Release[] = [
  ...COMBINATIONS.map((combination) => {
    const values = Object.assign({ existingSecret: "millrace" }, ...combination.map(([[of], on]) => of(on)));
    return { release: "jobs", revision: 1, values };
  }),
  ...[valuesOf("least"), valuesOf("production"), ...SINGLE.map((own) => ({ existingSecret: "a", ...own }))].map(
    (values) => ({ release: "millrace", revision: 2, values }),
  ),
  { release: LONGEST, revision: 1_000, values: valuesOf("production") },
];

const [go, models] = [findGo(), installModels()];
const reason = "reason" in go ? go.reason : "reason" in models ? models.reason : undefined;
if (reason) console.warn(`the chart is not tested: this ${reason}`);

describe.skipIf(reason !== undefined)("the chart, rendered by the template engine of Helm", () => {
  let rendered: Manifest[][];
  beforeAll(() => {
    rendered = renderChart("root" in go ? go.root : "", releases);
  });

  it("has what its switches ask for, in each of their combinations", () => {
    const kinds = rendered.slice(0, COMBINATIONS.length).map((each) => each.map(({ kind }) => kind).toSorted());
    const expected = COMBINATIONS.map((combination) =>
      [...ALWAYS, ...combination.flatMap(([[, added], on]) => (on ? added : []))].toSorted(),
    );
    expect(kinds).toEqual(expected);
  });

  it("has manifests that Kubernetes and the Prometheus operator accept, without unknown fields", () => {
    const folder = "folder" in models ? models.folder : "";
    const unique = new Map(rendered.flat().map((each) => [JSON.stringify(each), each]));
    console.info(`${releases.length} releases with ${unique.size} different manifests`);
    expect(kubernetesIssues(folder, [...unique.values()])).toEqual([]);
    const [deployment] = rendered[0]?.filter(({ kind }) => kind === "Deployment") ?? [];
    const changes: ((spec: Manifest["spec"]) => unknown)[] = [
      (spec) => (spec.replica = 2),
      (spec) => delete spec.selector,
      (spec) => (spec.template.spec.containers[0].ports[0].containerPort = "http"),
    ];
    const wrong = changes.map((change) => {
      const manifest = structuredClone(deployment) as Manifest;
      change(manifest.spec);
      return manifest;
    });
    const found = kubernetesIssues(folder, wrong).join("\n");
    for (const part of [
      `"replica"' does not exist in type 'IDeploymentSpec'`,
      "required property selector",
      "containerPort must be integer",
    ])
      expect(found).toContain(part);
  });

  it("selects pods, ports and accounts that it has, under names that are short enough and used once", () => {
    for (const manifests of rendered) expect(danglingIn(manifests)).toEqual([]);
    const changed = structuredClone(rendered[0]) as Manifest[];
    for (const each of changed.filter(({ kind }) => kind === "Service")) each.spec.selector.a = "b";
    expect(danglingIn(changed)).toEqual(["Service jobs-millrace", "Service jobs-millrace-engine"]);
  });

  it("passes settings on as texts, to the migration too, and leaves the number of replicas to an autoscaler", () => {
    const production = rendered[COMBINATIONS.length + 1] ?? [];
    for (const { spec } of production.filter(({ kind }) => kind === "Deployment" || kind === "Job")) {
      const [container] = spec.template.spec.containers;
      expect(container.env).toContainEqual({ name: "RATE_LIMIT_API_PER_MINUTE", value: "1000000" });
      expect(container.env).toContainEqual({ name: "DATABASE_SCHEMA", value: "jobs" });
      expect([spec.replicas, container.image]).toEqual([undefined, "registry.example.com/millrace:0.1.0"]);
    }
  });
});

/** Objects that refer to something that is not there. */
function danglingIn(manifests: Manifest[]): string[] {
  const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const templates = manifests.flatMap(({ kind, spec }) =>
    kind === "Deployment" || kind === "Job" ? [{ ...spec.template, isJob: kind === "Job" }] : [],
  );
  const ports = new Set(templates.flatMap(({ spec }) => spec.containers).flatMap(({ ports = [] }) => ports));
  const portNames = new Set([...ports].map(({ name }) => name));
  const selects = (selector: object) =>
    templates.some(({ metadata }) => Object.entries(selector).every(([key, value]) => metadata.labels[key] === value));
  const isDangling = ({ kind, metadata, spec }: Manifest, nth: number): boolean => {
    if (metadata.name.length > 63 || names.indexOf(names[nth] ?? "") !== nth) return true;
    if (kind === "Service") return !selects(spec.selector) || !portNames.has(spec.ports[0].targetPort);
    if (kind === "Deployment" || kind === "PodDisruptionBudget") {
      const account = spec.template?.spec.serviceAccountName;
      return !selects(spec.selector.matchLabels) || (account && !names.includes(`ServiceAccount ${account}`));
    }
    if (kind === "HorizontalPodAutoscaler") return !names.includes(`Deployment ${spec.scaleTargetRef.name}`);
    if (kind === "NetworkPolicy") return !selects(spec.podSelector.matchLabels);
    if (kind === "Ingress") return !names.includes(`Service ${spec.rules[0].http.paths[0].backend.service.name}`);
    if (kind !== "ServiceMonitor") return false;
    const services = manifests.filter((each) => each.kind === "Service" && hasLabels(each, spec.selector.matchLabels));
    return services.length !== 2 || services.some((each) => each.spec.ports[0].name !== spec.endpoints[0].port);
  };
  return names.filter((_, nth) => isDangling(manifests[nth] as Manifest, nth));
}

function hasLabels({ metadata }: Manifest, labels: object): boolean {
  return Object.entries(labels).every(([key, value]) => (metadata.labels as Record<string, unknown>)[key] === value);
}
