import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { nextSteps } from "../../../tools/release/next-steps.mjs";
import { VERSION } from "../../src/platform/version.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(ROOT, "deploy", path), "utf8");
const readYaml = (path: string) => parse(read(path));

const COMPOSE = ["compose/minimal.yaml", "compose/postgres.yaml", "compose/full.yaml"];
const CHART = "helm/millrace";

/** Variables of the image and of commands, which are not settings of the service. */
const OTHERS = new Set(["NODE_ENV", "HOME", "XDG_CACHE_HOME", "PATH"]);

function settings(): Set<string> {
  const table = readFileSync(join(ROOT, "docs", "operate", "settings.md"), "utf8");
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  return new Set(
    rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name ?? "")),
  );
}

describe("deploy/", () => {
  it("every variable that it gives the service is a setting", () => {
    const compose = COMPOSE.flatMap((path) => Object.keys(readYaml(path).services.millrace?.environment ?? {}));
    const unit = [...read("systemd/millrace.service").matchAll(/^Environment=([A-Z_]+)=/gm)].map(
      ([, name]) => name ?? "",
    );
    const image = [...read("Dockerfile").matchAll(/^(?:ENV| {3}) ([A-Z_]+)=/gm)].map(([, name]) => name ?? "");
    const pods = [...read(`${CHART}/templates/deployments.yaml`).matchAll(/- name: ([A-Z_]+)$/gm)].map(
      ([, name]) => name ?? "",
    );
    const known = settings();
    const named = [...compose, ...unit, ...image, ...pods];
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !known.has(name) && !OTHERS.has(name))).toEqual([]);
  });

  it("every version is that of the service", () => {
    const { version, appVersion } = readYaml(`${CHART}/Chart.yaml`);
    expect([version, appVersion]).toEqual([VERSION, VERSION]);
    const texts = ["Dockerfile", "README.md", ...COMPOSE].map(read).join("\n");
    const tags = [...texts.matchAll(/\bmillrace:(\d+\.\d+\.\d+)/g)].map(([, tag]) => tag);
    expect(tags.length).toBeGreaterThan(3);
    expect(new Set(tags)).toEqual(new Set([VERSION]));
  });

  it("the image has one name everywhere, with a registry and a namespace to which it can be pushed", () => {
    const compose = COMPOSE.flatMap((path) => readYaml(path).services.millrace.image ?? []).map((image: string) =>
      image.replace(/^\$\{MILLRACE_IMAGE:-(.*):.*\}$/, "$1"),
    );
    const release = nextSteps(VERSION, []).flatMap((command) => / -t ([^ ]+):\d/.exec(command)?.[1] ?? [])[0];
    const chart = readYaml(`${CHART}/values.yaml`).image.repository;
    expect(new Set([...compose, release, chart])).toEqual(new Set(["ghcr.io/millrace/millrace"]));
  });

  it("the image runs as a user without privileges, and has a health check", () => {
    expect(read("Dockerfile").match(/^USER .*$/gm)).toEqual(["USER 10001:10001"]);
    expect(read("Dockerfile")).toMatch(/^HEALTHCHECK .*\n +CMD \["node", /m);
  });

  it.each(COMPOSE.slice(0, 2))("%s runs the service read-only and without privileges", (path) => {
    expect(readYaml(path).services.millrace).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
  });
});

describe("the values of the chart", () => {
  const defaults = readYaml(`${CHART}/values.yaml`);
  const validate = new Ajv({ strict: false }).compile(JSON.parse(read(`${CHART}/values.schema.json`)));

  it("are complete with the name of a Secret", () => {
    expect(validate({ ...defaults, existingSecret: "millrace" })).toBe(true);
  });

  it.each([
    ["no Secret", {}],
    ["an unknown value", { existingSecret: "a", replicas: 3 }],
    ["a secret among the settings", { existingSecret: "a", settings: { INTERNAL_SECRET: "x" } }],
    ["a port that the probes do not use", { existingSecret: "a", settings: { PORT: 9_000 } }],
    ["an ingress without a host", { existingSecret: "a", ingress: { enabled: true, host: "" } }],
  ])("are rejected with %s", (_, values) => {
    expect(validate({ ...defaults, ...values })).toBe(false);
  });

  it("give the migration the settings of the service, such as its schema", () => {
    for (const name of ["deployments", "migrate"]) {
      expect(read(`${CHART}/templates/${name}.yaml`)).toMatch(/include "millrace\.settings"[\s\S]*envFrom:/);
    }
  });

  it("that the templates use exist", () => {
    const names = readdirSync(join(ROOT, "deploy", CHART, "templates"), { recursive: true }) as string[];
    const texts = names
      .filter((name) => /\.(yaml|tpl|txt)$/.test(name))
      .map((name) => read(`${CHART}/templates/${name}`));
    const used = [...texts.join("\n").matchAll(/\.Values((?:\.\w+)+)/g)].map(
      ([, path]) => path?.slice(1).split(".") ?? [],
    );
    const missing = used.filter((path) => path.reduce((value, key) => value?.[key], defaults) === undefined);
    expect([used.length > 20, missing]).toEqual([true, []]);
  });
});

/** The runners of CI have Helm. */
describe.skipIf(spawnSync("helm", ["version"]).error !== undefined)("the templates of the chart", () => {
  const render = (values: string) => {
    const path = join(import.meta.dirname, values);
    const chart = join(ROOT, "deploy", CHART);
    execFileSync("helm", ["lint", "--strict", chart, "--values", path]);
    const text = execFileSync("helm", ["template", "jobs", chart, "--values", path], { encoding: "utf8" });
    const documents = parseAllDocuments(text).flatMap((document) => document.toJS() ?? []);
    return { text, documents, kinds: documents.map(({ kind }: { kind: string }) => kind) };
  };

  it("make two deployments and a migration with nothing but the name of a Secret", () => {
    const { kinds } = render("values-least.yaml");
    expect(new Set(kinds)).toEqual(
      new Set(["Deployment", "Job", "PodDisruptionBudget", "Service", "ServiceAccount", "Pod"]),
    );
  });

  it("make everything that production values ask for, with numbers as they are written", () => {
    const { text, documents, kinds } = render("values-production.yaml");
    expect(kinds).toEqual(
      expect.arrayContaining(["HorizontalPodAutoscaler", "Ingress", "NetworkPolicy", "ServiceMonitor"]),
    );
    expect(kinds).toEqual(expect.arrayContaining(["PrometheusRule", "ConfigMap"]));
    expect(/name: RATE_LIMIT_API_PER_MINUTE\n +value: (.+)/.exec(text)?.[1]).toBe('"1000000"');
    const migration = documents.find(({ kind }) => kind === "Job").spec.template.spec.containers[0];
    expect(migration.env).toContainEqual({ name: "DATABASE_SCHEMA", value: "jobs" });
  });
});
