import type { ChartKind } from "./explore-chart.tsx";
import { lookOfPart } from "./look-of-part.ts";
import type { Line } from "./use-explored.ts";

type Drawn = {
  title: string;
  kind: ChartKind;
  times: number[];
  lines: readonly Line[];
  format: (value: number) => string;
};
type Area = { left: number; top: number; width: number; height: number };

const [WIDTH, HEIGHT, SCALE, LEGEND] = [1_200, 560, 2, 22];
const TOKENS = ["running", "waiting", "retrying", "success", "queued"];
const PALE = 0.45;

/** The chart as a PNG in the colors of the page. A table is drawn as lines. */
export async function drawChart({ title, kind, times, lines, format }: Drawn): Promise<Blob> {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [WIDTH * SCALE, HEIGHT * SCALE];
  const ink = canvas.getContext("2d") as CanvasRenderingContext2D;
  const color = colorsOf();
  ink.scale(SCALE, SCALE);
  ink.fillStyle = color("bg");
  ink.fillRect(0, 0, WIDTH, HEIGHT);
  ink.fillStyle = color("ink");
  ink.font = "600 18px sans-serif";
  ink.fillText(title, 32, 38);
  const rows = Math.ceil(lines.length / 4);
  const left = kind === "heat" ? 220 : 92; // names need more room than values
  const area = { left, top: 60, width: WIDTH - left - 32, height: HEIGHT - 60 - 48 - rows * LEGEND };
  const max = Math.max(1e-9, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  if (kind === "heat") drawHeat(ink, area, lines, max, color);
  else if (kind === "bar") drawBars(ink, area, lines, color, format);
  else drawLines(ink, area, lines, max, color, format);
  drawTimes(ink, area, times, color);
  if (kind !== "heat") drawLegend(ink, lines, HEIGHT - rows * LEGEND, color);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The image could not be created.")))),
  );
}

type Color = (token: string) => string;

/** Computed colors: a canvas knows neither variables nor light-dark(). */
function colorsOf(): Color {
  const probe = document.body.appendChild(document.createElement("span"));
  const colors = new Map(
    ["bg", "ink", "ink-2", "border", "accent", "surface", ...TOKENS].map((token) => {
      probe.style.color = `var(--color-${token})`;
      return [token, getComputedStyle(probe).color] as const;
    }),
  );
  probe.remove();
  return (token) => colors.get(token) ?? "gray";
}

const colorOf = (nth: number, color: Color, count: number) => color(count === 1 ? "accent" : lookOfPart(nth).family);

const isDashed = (nth: number) => lookOfPart(nth).stroke === "dashed";

function drawGrid(
  ink: CanvasRenderingContext2D,
  { left, top, width, height }: Area,
  max: number,
  color: Color,
  format: Drawn["format"],
) {
  ink.font = "12px sans-serif";
  ink.textAlign = "right";
  for (const share of [0, 0.5, 1]) {
    const y = top + height * (1 - share);
    ink.fillStyle = color("border");
    ink.fillRect(left, y, width, 1);
    ink.fillStyle = color("ink-2");
    ink.fillText(format(max * share), left - 8, y + 4);
  }
  ink.textAlign = "left";
}

function drawLines(
  ink: CanvasRenderingContext2D,
  area: Area,
  lines: readonly Line[],
  max: number,
  color: Color,
  format: Drawn["format"],
) {
  drawGrid(ink, area, max, color, format);
  lines.forEach(({ values }, nth) => {
    ink.strokeStyle = colorOf(nth, color, lines.length);
    ink.lineWidth = 2;
    ink.setLineDash(isDashed(nth) ? [6, 4] : []);
    ink.beginPath();
    let isDown = false;
    values.forEach((value, place) => {
      if (value === null) isDown = false;
      else {
        const x = area.left + (place / Math.max(1, values.length - 1)) * area.width;
        const y = area.top + area.height * (1 - value / max);
        if (isDown) ink.lineTo(x, y);
        else ink.moveTo(x, y);
        isDown = true;
      }
    });
    ink.stroke();
  });
  ink.setLineDash([]);
}

function drawBars(
  ink: CanvasRenderingContext2D,
  area: Area,
  lines: readonly Line[],
  color: Color,
  format: Drawn["format"],
) {
  const count = lines[0]?.values.length ?? 0;
  const sums = Array.from({ length: count }, (_, place) =>
    lines.reduce((sum, { values }) => sum + (values[place] ?? 0), 0),
  );
  const max = Math.max(1e-9, ...sums);
  drawGrid(ink, area, max, color, format);
  const wide = area.width / Math.max(1, count);
  for (let place = 0; place < count; place++) {
    let y = area.top + area.height;
    lines.forEach(({ values }, nth) => {
      const tall = ((values[place] ?? 0) / max) * area.height;
      y -= tall;
      ink.fillStyle = colorOf(nth, color, lines.length);
      ink.globalAlpha = isDashed(nth) ? PALE : 1;
      ink.fillRect(area.left + place * wide + 1, y, Math.max(1, wide - 2), tall);
      ink.globalAlpha = 1;
    });
  }
}

function drawHeat(ink: CanvasRenderingContext2D, area: Area, lines: readonly Line[], max: number, color: Color) {
  const tall = Math.min(48, area.height / Math.max(1, lines.length));
  ink.font = "12px sans-serif";
  lines.forEach(({ label, values }, nth) => {
    const y = area.top + nth * tall;
    ink.fillStyle = color("ink-2");
    ink.fillText(label.slice(0, 28), 32, y + tall / 2 + 4);
    const wide = area.width / Math.max(1, values.length);
    values.forEach((value, place) => {
      ink.globalAlpha = value === null ? 0.04 : 0.08 + 0.92 * (value / max);
      ink.fillStyle = color("accent");
      ink.fillRect(area.left + place * wide, y + 1, Math.max(1, wide - 1), tall - 2);
    });
    ink.globalAlpha = 1;
  });
}

function drawTimes(
  ink: CanvasRenderingContext2D,
  { left, top, width, height }: Area,
  times: readonly number[],
  color: Color,
) {
  ink.fillStyle = color("ink-2");
  ink.font = "12px sans-serif";
  const text = (at: number | undefined) =>
    at === undefined ? "" : `${new Date(at * 1_000).toISOString().slice(0, 16)}Z`;
  ink.fillText(text(times[0]), left, top + height + 20);
  ink.textAlign = "right";
  ink.fillText(text(times.at(-1)), left + width, top + height + 20);
  ink.textAlign = "left";
}

function drawLegend(ink: CanvasRenderingContext2D, lines: readonly Line[], top: number, color: Color) {
  ink.font = "13px sans-serif";
  lines.forEach(({ label }, nth) => {
    const [x, y] = [32 + (nth % 4) * 285, top + Math.floor(nth / 4) * LEGEND];
    ink.fillStyle = colorOf(nth, color, lines.length);
    ink.globalAlpha = isDashed(nth) ? PALE : 1;
    ink.fillRect(x, y - 9, 10, 10);
    ink.globalAlpha = 1;
    ink.fillStyle = color("ink");
    ink.fillText(label.slice(0, 34), x + 16, y);
  });
}
