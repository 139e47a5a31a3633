/** Prints both services side by side, with the targets. */
export function printWaits({ waiting, expiring }, none, many, machine) {
  const both = (name, read, target) => [name, read(none), read(many), target];
  const ofMany = (name, text, target) => [name, "–", text, target];
  const rows = [
    both("exact send, p50 / p99 ms", ({ exact_ms }) => pair(exact_ms), "p99 ≤ 25"),
    ofMany("exact send to one of them, p50 / p99 ms", pair(many.seeded_ms), "p99 ≤ 25"),
    ofMany("prefix send of 500, p50 / max ms", `${many.prefix_ms.p50} / ${many.prefix_ms.max}`, "≤ 200"),
    both("query for due waits, p50 / p99 ms", ({ scan_ms }) => pair(scan_ms), "flat"),
    both("idle, cores: service", ({ idle_cores }) => idle_cores.service.toFixed(3), "flat"),
    both("idle, cores: PostgreSQL", ({ idle_cores }) => idle_cores.postgres.toFixed(3), "flat"),
    both("memory in use by the service, MB", ({ memory_mb }) => memory_mb.toFixed(1), "± 5 %"),
    ofMany(`${count(expiring)} expire in one second: last timed out after, s`, many.expired_secs.toFixed(1), "≤ 10"),
    ofMany("… and the last workflow ended after, s", many.ended_secs.toFixed(1), "–"),
  ];
  const lines = [
    ["measure", "none waiting", `${count(waiting)} waiting`, "target"],
    ["---", "---", "---", "---"],
    ...rows,
  ];
  const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const change = (many.memory_mb / none.memory_mb - 1) * 100;
  process.stdout.write(`\n## waits\n\n${table}\n\nMemory against none waiting: ${change.toFixed(1)} %. ${machine}\n`);
}

const pair = ({ p50, p99 }) => `${p50} / ${p99}`;

const count = (value) => value.toLocaleString("en");
