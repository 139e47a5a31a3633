import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SEC = 100; // the value that Linux reports on every architecture

/**
 * Measures elapsed time, and the CPU time of this process and of the given processes with their children (Linux
 * only). `others_cores` is the usage of the rest of the machine; unless it is near 0, the figures mean little.
 */
export function startMeter(pids) {
  const before = readCpu(pids);
  const startedAt = performance.now();
  return {
    stop: (items) => {
      const secs = (performance.now() - startedAt) / 1000;
      const { machine, ...used } = subtract(readCpu(pids), before);
      const perItem = Object.entries(used).map(([name, cpu]) => [name, round((cpu * 1e6) / items, 1)]);
      const others = machine - Object.values(used).reduce((sum, cpu) => sum + cpu, 0);
      return {
        secs: round(secs, 3),
        rate: Math.round(items / secs),
        cpu_us_per_item: Object.fromEntries(perItem),
        others_cores: machine === undefined ? undefined : round(Math.max(0, others / secs), 2),
      };
    },
  };
}

/** CPU seconds by name; `machine` is the total of the machine. */
function readCpu(pids) {
  const { user, system } = process.cpuUsage();
  const cpu = { driver: (user + system) / 1e6 };
  if (process.platform !== "linux") return cpu;
  const stats = readdirSync("/proc").filter(isPid).map(readStat);
  for (const [name, pid] of Object.entries(pids)) cpu[name] = cpuOfTree(stats, pid);
  const [, ...ticks] = readFileSync("/proc/stat", "utf8").split("\n", 1)[0].split(/ +/);
  const [busyUser, nice, busySystem, , , irq, softirq] = ticks.map(Number);
  return { ...cpu, machine: (busyUser + nice + busySystem + irq + softirq) / TICKS_PER_SEC };
}

function subtract(after, before) {
  return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - before[name]]));
}

const round = (value, digits) => Number(value.toFixed(digits));

const isPid = (name) => /^\d+$/.test(name);

/** Undefined if the process has just exited. */
function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [, parent] = fields;
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15);
    return { pid: Number(pid), parent, own: user + system, ended: endedUser + endedSystem };
  } catch {
    return undefined;
  }
}

/** For a forking server such as PostgreSQL: its own time, plus that of its exited and its living children. */
function cpuOfTree(stats, pid) {
  let ticks = 0;
  for (const stat of stats) {
    if (stat?.pid === pid) ticks += stat.own + stat.ended;
    if (stat?.parent === pid) ticks += stat.own;
  }
  return ticks / TICKS_PER_SEC;
}
