import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ClusterLocation } from "./cluster/locate-cluster.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { executable } from "./install-binaries.ts";
import { openLog } from "./log-file.ts";
import { isRunning, wasStartedWith } from "./running-process.ts";
import { asArguments, type ServerSettings, serverEnvironment } from "./server-settings.ts";
import { WINDOWS_SUPERVISOR } from "./windows-supervisor.ts";

/** The process that outlives a killed service just long enough to stop its database. */
export interface Supervisor {
  postmasterPid: number;
  isGone: () => boolean;
  onGone: (notify: () => void) => void;
  /** Makes the supervisor stop the database, as it would if we died. */
  release: () => void;
  kill: () => void;
}

export interface SupervisorPlan extends ClusterLocation {
  binariesDir: string;
  logFile: string;
}

/** Starts a supervisor that starts the server: the server never runs unsupervised. */
export function startServer(plan: SupervisorPlan, settings: ServerSettings): Promise<Supervisor> {
  const postgres = join(plan.binariesDir, "bin", executable("postgres"));
  return spawnSupervisor(plan, ["start", postgres, "-D", plan.clusterDir, ...asArguments(settings)]);
}

/** Starts a supervisor for a running server. */
export function attachSupervisor(plan: SupervisorPlan, postmasterPid: number): Promise<Supervisor> {
  return spawnSupervisor(plan, [String(postmasterPid)]);
}

/** Whether a supervisor watches this cluster; it stops the server as soon as its service is gone. */
export function isSupervised(clusterDir: string): boolean {
  const pid = readSupervisorPid(clusterDir);
  return pid > 0 && isRunning(pid) && wasStartedWith(pid, SUPERVISOR_NAME) && wasStartedWith(pid, clusterDir);
}

const SUPERVISOR_NAME = "millrace-supervisor";
const PID_FILE = "supervisor.pid";

/**
 * Arguments: cluster, then the pid of a running server or `start` and the command. Prints the server's pid. A shell,
 * because it idles in 1 MB where Node takes 40. Its standard input is the pipe to the service: end of file means that
 * the service is gone. SIGINT is a fast shutdown, SIGQUIT (after 8 s) an immediate one. They are sent repeatedly,
 * because a starting server does not handle them yet, and its pid file is then empty or still names a killed one; a
 * file that names a living one means that another server has taken over. Waiting for `sleep`, a shell also reaps the
 * server. SIGPIPE is ignored because the service may be killed before it has read the pid; PostgreSQL resets all four
 * signals.
 */
const POSIX_SUPERVISOR = `
trap '' HUP INT TERM PIPE
cluster=$1 pid=$2
shift 2
echo $$ >"$cluster/${PID_FILE}"
if [ "$pid" = start ]; then
  "$@" </dev/null >/dev/null &
  pid=$!
fi
echo "$pid"
exec >/dev/null 2>&1
while read -r _; do :; done
signal() {
  first=
  [ ! -e "$cluster/postmaster.pid" ] || read -r first <"$cluster/postmaster.pid"
  case $first in '' | "$pid") ;; *) ! kill -0 "$first" || return 1 ;; esac
  kill "-$1" "$pid"
}
tries=0
while [ $tries -lt 400 ] && signal INT; do sleep 0.02; tries=$((tries + 1)); done
while [ $tries -lt 900 ] && signal QUIT; do sleep 0.02; tries=$((tries + 1)); done
`;

function readSupervisorPid(clusterDir: string): number {
  try {
    return Number(readFileSync(join(clusterDir, PID_FILE), "utf8"));
  } catch {
    return 0;
  }
}

async function spawnSupervisor(plan: SupervisorPlan, task: string[]): Promise<Supervisor> {
  const log = openLog(plan.logFile);
  const [program, ...script] = supervisorCommand();
  try {
    // Detached: a session of its own, so that Ctrl-C reaches only the service, which then stops the database last.
    const child = spawn(program, [...script, plan.clusterDir, ...task], {
      ...plan.user,
      ...serverEnvironment(),
      cwd: "/",
      detached: true,
      windowsHide: true,
      stdio: ["pipe", "pipe", log],
    });
    return asSupervisor(child, await readPid(child));
  } finally {
    closeSync(log);
  }
}

function supervisorCommand(): [string, ...string[]] {
  if (process.platform === "win32") return [process.execPath, "-e", WINDOWS_SUPERVISOR, SUPERVISOR_NAME];
  return ["/bin/sh", "-c", POSIX_SUPERVISOR, SUPERVISOR_NAME];
}

async function readPid(child: ChildProcess): Promise<number> {
  const failed = once(child, "error").then(([error]) => {
    throw new EmbeddedPostgresError(`PostgreSQL's supervisor could not be started (${error}). Set DATABASE_URL`);
  });
  failed.catch(() => {});
  if (!child.stdout) return failed;

  const lines = createInterface({ input: child.stdout });
  const first = Promise.race([once(lines, "line"), once(lines, "close").then(() => [""])]);
  const [line] = await Promise.race([first, failed]);
  lines.close();
  return Number(line);
}

/** The supervisor does not keep our event loop alive: a service that ends by itself also releases it. */
function asSupervisor(child: ChildProcess, postmasterPid: number): Supervisor {
  child.on("error", () => {});
  child.stdin?.on("error", () => {});
  child.stdout?.destroy();
  child.unref();
  if (child.stdin && "unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  return {
    postmasterPid,
    isGone,
    onGone: (notify) => (isGone() ? notify() : child.once("exit", notify)),
    release: () => child.stdin?.end(),
    kill: () => child.kill("SIGKILL"),
  };
}
