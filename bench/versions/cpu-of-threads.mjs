import { readdirSync, readFileSync } from "node:fs";

/**
 * CPU time in microseconds by the scheduler's count, which is exact where ticks of 10 ms are not: of the main thread, of
 * all threads of the service, and of PostgreSQL with its sessions (Linux only).
 */
export function readThreads({ service, postgres }) {
  const sessions = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === postgres);
  return {
    main: usOf(`/proc/${service}/task/${service}`),
    service: sum(threadsOf(service)),
    postgres: sum([postgres, ...sessions].flatMap(threadsOf)),
  };
}

function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  } catch {
    return []; // exited
  }
}

const sum = (folders) => folders.reduce((all, folder) => all + usOf(folder), 0);

function usOf(folder) {
  return Number(read(`${folder}/schedstat`).split(" ")[0]) / 1_000;
}

function parentOf(pid) {
  const text = read(`/proc/${pid}/stat`);
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
