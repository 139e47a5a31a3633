import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Image } from "./build-image.ts";

/** The command in the root, which is read-only but for its volume and /tmp, as an unprivileged user. */
const IN_CONTAINER = `
root="$1" user="$2" workdir="$3" volume="$4" place="$5"
shift 5
mount --bind "$root" "$root"
mount --bind "$volume" "$root$place"
mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/tmp"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -o remount,ro,bind "$root"
exec chroot "$root" setpriv --reuid="\${user%:*}" --regid="\${user#*:}" --clear-groups --no-new-privs --bounding-set=-all \\
  --inh-caps=-all env --ignore-environment --chdir="$workdir" "$@"`;

export type Container = { process: ChildProcess; output: () => string; stop: () => Promise<number | null> };

function argumentsOf(image: Image, volume: string, settings: object, command: readonly string[]): string[] {
  const place = image.volumes[0] ?? "";
  const shell = ["/bin/sh", "-ec", IN_CONTAINER, "sh", image.root, image.user, image.workdir, volume, place];
  return ["--mount", "--pid", "--fork", "--kill-child", ...shell, ...assignments(image, settings), ...command];
}

/** `docker run` with these arguments, or those of CMD. */
export function startContainer(image: Image, volume: string, settings: object, args = image.cmd): Container {
  const child = spawn("unshare", argumentsOf(image, volume, settings, [...image.entrypoint, ...args]));
  const closed = once(child, "close");
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
  }
  const stop = async () => {
    process.kill(firstProcessOf(child), "SIGTERM"); // as `docker stop` does
    const [code] = await closed;
    return code;
  };
  return { process: child, output: () => text, stop };
}

/** The id of the container's process 1 outside of it. */
export function firstProcessOf({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0]);
}

/** A command in a container that runs, such as that of the health check. */
export function runBeside(image: Image, settings: object, command: readonly string[]) {
  const env = ["env", "--ignore-environment", ...assignments(image, settings)];
  return spawnSync("chroot", [`--userspec=${image.user}`, image.root, ...env, ...command], { encoding: "utf8" });
}

/** Arguments of `env`. */
function assignments({ env }: Image, settings: object): string[] {
  return Object.entries({ ...env, ...settings }).map(([key, value]) => `${key}=${value}`);
}

/** A volume with what the image has at its place. */
export function newVolume(image: Image, folder: string): string {
  const volume = join(folder, "volume");
  spawnSync("cp", ["--archive", join(image.root, image.volumes[0] ?? ""), volume]);
  return volume;
}
