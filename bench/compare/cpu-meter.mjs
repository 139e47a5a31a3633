import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SEC = 100; // what Linux reports to programs, on every architecture

/**
 * Measures time, and the processor time of this process and of the named ones with their children (Linux only).
 * `others_cores` is what the rest of the machine used meanwhile: where it is not near 0, the figures say little.
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

/** Processor seconds by name; `machine` is all that the machine has spent. */
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

/** Undefined when the process has just ended. */
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

/** A server that forks, as PostgreSQL does: its own time, that of the children it has seen end, and that of the living. */
function cpuOfTree(stats, pid) {
  let ticks = 0;
  for (const stat of stats) {
    if (stat?.pid === pid) ticks += stat.own + stat.ended;
    if (stat?.parent === pid) ticks += stat.own;
  }
  return ticks / TICKS_PER_SEC;
}
