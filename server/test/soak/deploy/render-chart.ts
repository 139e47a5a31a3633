import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { parseAllDocuments } from "yaml";
import { programIn, type Unpacked, unpackPackages } from "./debian-packages.ts";

const PACKAGES = ["golang-go", "golang-github-masterminds-sprig-dev", "golang-github-ghodss-yaml-dev"];
const CHART = resolve(import.meta.dirname, "../../../../deploy/helm/millrace");

export type Release = { release: string; revision: number; values: object };
export type Manifest = { apiVersion: string; kind: string; metadata: { name: string; labels: object } } & Record<
  string,
  // biome-ignore lint/suspicious/noExplicitAny: a resource of any kind
  any
>;

/** Go and the libraries of Helm's templates. */
export function findGo(): Unpacked {
  return unpackPackages(PACKAGES);
}

/** The manifests of each release, rendered in one process. */
export function renderChart(root: string, releases: Release[]): Manifest[][] {
  const env = {
    PATH: process.env.PATH,
    GOPATH: [join(root, "usr/share/gocode"), "/usr/share/gocode"].join(":"),
    GOCACHE: join(root, "cache"),
    GO111MODULE: "off",
  };
  const program = join(root, "render-chart");
  const sources = join(import.meta.dirname, "render-chart");
  execFileSync(programIn(root, "go"), ["build", "-o", program, join(sources, "main.go")], { env });
  const options = { input: JSON.stringify(releases), encoding: "utf8", maxBuffer: 2 ** 30 } as const;
  const rendered: Record<string, string>[] = JSON.parse(execFileSync(program, [CHART], options));
  return rendered.map((templates) =>
    Object.entries(templates).flatMap(([name, text]) => (name.endsWith(".yaml") ? manifestsOf(text) : [])),
  );
}

function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(`${document.errors[0]?.message}\n${text}`);
    return document.toJS() ?? [];
  });
}
