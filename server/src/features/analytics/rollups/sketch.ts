/**
 * A histogram of whole milliseconds in logarithmic bins (like DDSketch: Masson, Rim, Lee, VLDB 2019). A value is within
 * 0.4 % of the middle of its bin, and so is a percentile; with rounding to whole milliseconds, within 0.8 %. Adding the
 * bins of two histograms gives exactly the histogram of both: minutes become hours and days without loss.
 */
export type Sketch = Map<number, number>;

const ERROR = 0.004;
const GAMMA = (1 + ERROR) / (1 - ERROR);
const LOG_GAMMA = Math.log(GAMMA);

/** Bin 0 holds the zeros. */
function binOf(ms: number): number {
  return ms < 1 ? 0 : 1 + Math.ceil(Math.log(ms) / LOG_GAMMA - 1e-9);
}

/** The middle of a bin: every value in it is within the error. */
export function middleOf(bin: number): number {
  return bin === 0 ? 0 : Math.round((2 * GAMMA ** (bin - 1)) / (GAMMA + 1));
}

/** A sketch that contains one value, `times` times. */
export function sketchOf(ms: number | undefined, times = 1): Sketch {
  return new Map(ms === undefined ? [] : [[binOf(ms), times]]);
}

export function addValue(sketch: Sketch, ms: number): void {
  const bin = binOf(ms);
  sketch.set(bin, (sketch.get(bin) ?? 0) + 1);
}

/** A `factor` of −1 subtracts. */
export function addSketch(to: Sketch, other: Sketch, factor: 1 | -1 = 1): void {
  for (const [bin, count] of other) {
    const sum = (to.get(bin) ?? 0) + factor * count;
    if (sum === 0) to.delete(bin);
    else to.set(bin, sum);
  }
}

/**
 * Pairs of varints (seven bits per byte): the distance from the previous bin, and the count. Encoded sketches may be
 * concatenated with `AGAIN` between them, which restarts the bins at zero.
 */
export function encodeSketch(sketch: Sketch): Buffer {
  const bytes: number[] = [];
  writeSketch(bytes, sketch);
  return Buffer.from(bytes);
}

/** Encodes after the bytes already there. */
export function writeSketch(bytes: number[], sketch: Sketch): void {
  let last = 0;
  for (const bin of sketch.size > 1 ? Int32Array.from(sketch.keys()).sort() : sketch.keys()) {
    const count = sketch.get(bin) ?? 0;
    if (count <= 0) continue;
    push(bytes, bin - last);
    push(bytes, count);
    last = bin;
  }
}

/** A pair that no sketch contains: a count of zero in the same bin. */
export const AGAIN = Buffer.from([0, 0]);

function push(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}

/** Adds to an encoded sketch, possibly concatenated, and packs the result. */
export function mergeEncoded(stored: Buffer, more: Sketch): Buffer {
  const sum = addEncoded(new Map(), stored);
  addSketch(sum, more);
  return encodeSketch(sum);
}

function eachBin(bytes: Buffer, take: (bin: number, count: number) => void): void {
  let [bin, at] = [0, 0];
  const read = () => {
    let [value, unit, byte] = [0, 1, 128];
    for (; byte >= 128; unit *= 128) {
      byte = bytes[at++] ?? 0;
      value += (byte & 127) * unit;
    }
    return value;
  };
  while (at < bytes.length) {
    const step = read();
    const count = read();
    bin = step === 0 && count === 0 ? 0 : bin + step;
    if (count > 0) take(bin, count);
  }
}

/** Adds an encoded sketch to a sketch. */
export function addEncoded(to: Sketch, bytes: Buffer): Sketch {
  eachBin(bytes, (bin, count) => to.set(bin, (to.get(bin) ?? 0) + count));
  return to;
}
