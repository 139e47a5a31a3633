import { availableParallelism } from "node:os";
import { perItem } from "./read-work.mjs";

const MAX_STATEMENTS = 25;
/** Statements of the hot path add changes to the inbox; everything else that names these tables consumes them. */
const CONSUMES =
  /changelog|log_cursors|rollups|error_groups|usage_periods|job_costs|unindexed_runs|run_blocks|wanted\(id\)/;
const APPENDS = /insert into changelog_inbox/;

export function printCensus(title, n, { ended, read, before, after }) {
  const [wal] = perItem([before.wal], [after.wal], n);
  const [database] = perItem([before.database], [after.database], n);
  const statements = perItem(before.statements, after.statements, n).sort((a, b) => total(b) - total(a));
  const consumers = statements.filter(({ text }) => CONSUMES.test(text) && !APPENDS.test(text));
  const sum = (list, of) => list.reduce((all, each) => all + of(each), 0);
  const lines = [
    `\n## ${title}: per item of ${n}, Node ${process.version}, ${availableParallelism()} cores, ${process.arch}`,
    `CPU µs until the last has ended: ${cpu(ended)}; until the changelog is consumed: ${cpu(read)}`,
    `${ended.rate} per second; other processes used ${ended.others_cores} cores`,
    `statements ${short(sum(statements, ({ calls }) => calls))}, commits ${short(database.commits)}, WAL ${short(wal.records)} records, ${short(wal.bytes)} bytes`,
    `PostgreSQL in statements: ${short(sum(statements, total))} µs, of which planning ${short(sum(statements, ({ plan_us }) => plan_us))}, consumers of the changelog ${short(sum(consumers, total))}`,
    "",
    "| table | inserted | updated | of them HOT | deleted | index look-ups |",
    "|---|---|---|---|---|---|",
    ...perItem(before.tables, after.tables, n)
      .filter(({ inserted, updated, deleted, lookups }) => inserted + updated + deleted > 0.001 || lookups > 0.01)
      .sort((a, b) => b.inserted + b.updated + b.deleted - a.inserted - a.updated - a.deleted)
      .map(
        (row) =>
          `| ${row.name} | ${["inserted", "updated", "hot", "deleted", "lookups"].map((name) => short(row[name])).join(" | ")} |`,
      ),
    "",
    "| µs | planning | calls | rows | WAL bytes | consumer | statement |",
    "|---|---|---|---|---|---|---|",
    ...statements
      .slice(0, MAX_STATEMENTS)
      .map(
        (each) =>
          `| ${short(total(each))} | ${short(each.plan_us)} | ${short(each.calls)} | ${short(each.rows)} | ${short(each.wal_bytes)} | ${consumers.includes(each) ? "yes" : ""} | \`${each.text.replace("/* prepared */ ", "").replaceAll("|", "¦").trim().slice(0, 140)}\` |`,
      ),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

const total = ({ exec_us, plan_us }) => exec_us + plan_us;
const cpu = ({ cpu_us_per_item }) =>
  Object.entries(cpu_us_per_item)
    .map(([name, us]) => `${name} ${Math.round(us)}`)
    .join(", ");
const short = (value) => (Math.abs(value) < 100 ? String(Number(value.toPrecision(2))) : String(Math.round(value)));
