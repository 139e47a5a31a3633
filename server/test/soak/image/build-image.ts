import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CERTIFICATES, makeCleanRoot } from "./clean-root.ts";
import { type Instruction, pairsOf, readDockerfile, type Stage } from "./read-dockerfile.ts";

export type Image = {
  root: string;
  env: Record<string, string>;
  user: string;
  workdir: string;
  volumes: string[];
  entrypoint: string[];
  cmd: string[];
  healthcheck: string[];
};

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Does what `docker build` would with this Dockerfile and context, each stage in a root of its own. */
export function buildImage(dockerfile: string, { context, folder }: { context: string; folder: string }): Image {
  const stages = readDockerfile(dockerfile);
  const base = makeCleanRoot(folder, stages[0]?.from ?? "");
  const built = new Map<string, Image>();
  for (const stage of stages) {
    if (stage.from !== stages[0]?.from) throw new Error(`two base images: ${stage.from}`);
    const root = join(folder, `stage-${stage.name}`);
    execFileSync("cp", ["--archive", base, root]);
    built.set(stage.name, buildStage(stage, { root, context, built }));
  }
  const last = built.get(stages.at(-1)?.name ?? "");
  if (!last) throw new Error("the Dockerfile has no stage");
  return last;
}

type Building = { root: string; context: string; built: Map<string, Image> };

function buildStage({ instructions }: Stage, { root, context, built }: Building): Image {
  const image: Image = {
    ...{ root, env: { PATH }, user: "0:0", workdir: "/", volumes: [], entrypoint: [], cmd: [], healthcheck: [] },
  };
  for (const each of instructions) apply(each, image, { root, context, built });
  return image;
}

function apply({ name, flags, text }: Instruction, image: Image, { root, context, built }: Building): void {
  const list = () => JSON.parse(text.replace(/^CMD\s+/, "")) as string[];
  switch (name) {
    case "RUN":
      runInRoot(image, text);
      break;
    case "COPY":
      copy(text, image, flags.from === undefined ? context : (built.get(flags.from)?.root ?? ""));
      break;
    case "WORKDIR":
      image.workdir = text;
      mkdirSync(join(root, text), { recursive: true });
      break;
    case "ENV":
      Object.assign(image.env, pairsOf(text));
      break;
    case "USER":
      image.user = text;
      break;
    case "VOLUME":
      image.volumes.push(text);
      break;
    case "ENTRYPOINT":
      image.entrypoint = list();
      break;
    case "CMD":
      image.cmd = list();
      break;
    case "HEALTHCHECK":
      image.healthcheck = list();
  }
}

const IN_ROOT = `
root="$1" workdir="$2" command="$3"
shift 3
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
exec chroot "$root" env --ignore-environment --chdir="$workdir" "$@" /bin/sh -c "$command"`;

/** As `/bin/sh -c` in the root, with its devices and processes, and with the npm registry of this machine. */
function runInRoot({ root, env, workdir }: Image, command: string): void {
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const settings = { ...env, HOME: "/root", npm_config_registry: registry, NODE_EXTRA_CA_CERTS: CERTIFICATES };
  const pairs = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  const shell = ["/bin/sh", "-ec", IN_ROOT, "sh", root, workdir, command, ...pairs];
  execFileSync("unshare", ["--mount", "--pid", "--fork", ...shell], { stdio: "inherit", env: { PATH } });
}

function copy(text: string, { root, workdir }: Image, from: string): void {
  const paths = text.split(/\s+/);
  const target = paths.pop() ?? "";
  const to = target.startsWith("/") ? join(root, target) : join(root, workdir, target);
  for (const path of paths.flatMap((pattern) => matching(from, pattern))) {
    const place = statSync(path).isDirectory() ? to : join(to, basename(path));
    cpSync(path, place, { recursive: true, verbatimSymlinks: true });
  }
}

/** `*` and `[0-9]` in the last part of a path, as the Dockerfile uses them. */
function matching(from: string, pattern: string): string[] {
  const folder = join(from, dirname(pattern));
  const expression = basename(pattern).replaceAll(".", "\\.").replaceAll("*", ".*");
  const names = readdirSync(folder).filter((name) => new RegExp(`^${expression}$`).test(name));
  if (names.length === 0) throw new Error(`COPY: nothing matches ${pattern}`);
  return names.map((name) => join(folder, name));
}
