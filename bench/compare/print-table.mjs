import { availableParallelism } from "node:os";
import { median } from "./percentiles.mjs";
import { ALL_SYSTEMS } from "./systems.mjs";

/**
 * Prints the medians of the rounds with minimum and maximum as a Markdown table, then the ratios, which are the
 * result.
 */
export function printTable(plan, lines) {
  const groups = groupLines(plan, lines);
  const ratios = plan.ratioTo ? ratiosToCase(plan.ratioTo, groups) : ratiosToBestPeer(plan, groups);
  const parts = [
    `\n## ${plan.bench}: ${plan.title}\n`,
    ...asTable(groups.map((group) => rowOf(plan, group))),
    "",
    ...ratios,
    "Libraries are called in process; Millrace through its HTTP API with authentication, limits off,",
    "by a load generator in its own process (driver). All data is durable before it is acknowledged.",
    `Node ${process.version}, ${availableParallelism()} cores, ${process.platform} ${process.arch}.`,
  ];
  process.stdout.write(`${parts.join("\n")}\n`);
}

/** One group per case and system, in declaration order. */
function groupLines({ cases = [{}], figure = (line) => line.rate }, lines) {
  const pairs = cases.flatMap(({ name }) => ALL_SYSTEMS.map((system) => ({ case: name, system })));
  return pairs
    .map((pair) => {
      const all = lines.filter((line) => line.case === pair.case && line.system === pair.system);
      const good = all.filter((line) => !line.failed);
      return { ...pair, rounds: all.length, lines: good, figures: good.map(figure) };
    })
    .filter(({ rounds }) => rounds > 0);
}

function rowOf({ unit, cases }, { case: name, system, rounds, lines, figures }) {
  const row = { ...(cases ? { case: name } : {}), system };
  if (lines.length < rounds) row.failed = `${rounds - lines.length} of ${rounds}`;
  if (lines.length === 0) return row;
  row[unit] = format(median(figures));
  row.spread = `${format(Math.min(...figures))}–${format(Math.max(...figures))}`;
  for (const field of ["start_ms", "ack_ms"]) {
    if (lines[0][field])
      row[`${field.replace("_", ", ")}: p50 / p99`] = `${mid(lines, field, "p50")} / ${mid(lines, field, "p99")}`;
  }
  row["others, cores"] = mid(lines, "others_cores");
  for (const one of PROCESSES) row[`${one} µs`] = mid(lines, "cpu_us_per_item", one);
  return row;
}

const PROCESSES = ["driver", "service", "postgres", "redis", "restate", "sink"];

function mid(lines, field, name) {
  const values = lines.map((line) => (name ? line[field][name] : line[field])).filter((value) => value !== undefined);
  return values.length > 0 ? format(median(values)) : undefined;
}

function format(value) {
  return value < 100 ? String(Number(value.toPrecision(2))) : Math.round(value).toLocaleString("en");
}

function ratiosToBestPeer({ lowerIsBetter, cases = [{}] }, groups) {
  return cases.flatMap(({ name }) => {
    const measured = groups.filter((group) => group.case === name && group.figures.length > 0);
    const ours = measured.find(({ system }) => system === "millrace");
    const peers = measured.filter((group) => group !== ours).sort((a, b) => median(a.figures) - median(b.figures));
    const best = lowerIsBetter ? peers[0] : peers.at(-1);
    if (!ours || !best) return [];
    const note = lowerIsBetter ? "; lower is better" : "";
    return [`${name ?? "Ratio"}: Millrace / best peer (${best.system}${note}) = **${ratio(ours, best)}**\n`];
  });
}

function ratiosToCase(reference, groups) {
  return groups.flatMap((group) => {
    const empty = groups.find(({ case: name, system }) => name === reference && system === group.system);
    if (group === empty || !empty?.figures.length || group.figures.length === 0) return [];
    return [`${group.system}: ${group.case} / ${reference} = **${ratio(group, empty)}**\n`];
  });
}

function ratio(group, other) {
  return (median(group.figures) / median(other.figures)).toFixed(2);
}

/** Omits columns without values. */
function asTable(rows) {
  const columns = [...new Set(rows.flatMap(Object.keys))].filter((column) => rows.some((row) => row[column]));
  const cells = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? "–"))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index].length)));
  const [head, ...body] = cells.map((row) => `| ${row.map((cell, index) => cell.padEnd(widths[index])).join(" | ")} |`);
  return [head, `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...body];
}
