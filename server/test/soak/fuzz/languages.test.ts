import { describe, expect, it } from "vitest";
import { testSeed } from "../../seed/seed.ts";
import { scenarioSize } from "../../world/size.ts";
import { type Choices, choicesFrom } from "../differential/choices.ts";
import { watchCoverage } from "./coverage.ts";
import { LANGUAGES, type Language } from "./languages.ts";

const INPUTS = scenarioSize({ quick: 2_000, usual: 5_000, whole: 100_000 });
/** CPU of one input: the smallest of a few tries, since the first ones run code that is not compiled. */
const MAX_CPU_MS = 100;
const TRIES = 3;

const seed = testSeed("fuzz-languages");

describe("texts that users write, mutated for coverage", { timeout: 4 * 3_600_000 }, () => {
  it.each(Object.entries(LANGUAGES))("%s: read without an exception, within 100 ms of CPU", async (name, language) => {
    const choices = choicesFrom(seed);
    const coverage = await watchCoverage(language.source);
    const corpus = [...language.corpus];
    /** Most mutations of rejected input are rejected too, so half of them start from accepted input. */
    const good = [...language.corpus];
    const problems: string[] = [];
    let [accepted, slowest] = [0, 0];
    for (const text of language.corpus) expect(tryRead(language, text), text).not.toBeInstanceOf(Error);
    await coverage.hasGrown();
    for (let nth = 0; nth < INPUTS; nth++) {
      const text = mutate(choices, choices.chance(0.5) ? good : corpus, language.words);
      const cpuMs = leastCpu(() => tryRead(language, text));
      slowest = Math.max(slowest, cpuMs);
      const result = tryRead(language, text);
      if (result instanceof Error) problems.push(`${JSON.stringify(text)}: ${result.stack}`);
      if (cpuMs > MAX_CPU_MS) problems.push(`${JSON.stringify(text)}: ${cpuMs.toFixed(0)} ms`);
      if (result === true) accepted++;
      if (!(await coverage.hasGrown())) continue;
      corpus.push(text);
      if (result === true) good.push(text);
    }
    await coverage.close();
    console.info(
      `${name}: ${INPUTS} inputs, ${accepted} accepted, ${corpus.length - language.corpus.length} reached new code, ${coverage.paths()} paths through functions, slowest ${slowest.toFixed(0)} ms of CPU`,
    );
    expect(problems.slice(0, 20)).toEqual([]);
    expect(accepted).toBeGreaterThan(INPUTS / 200);
    expect(corpus.length).toBeGreaterThan(language.corpus.length);
  });
});

function tryRead({ read }: Language, text: string): boolean | Error {
  try {
    return read(text);
  } catch (error) {
    return error as Error;
  }
}

function leastCpu(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < TRIES && least > MAX_CPU_MS; nth++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

const MAX_LENGTH = 4_096;

/** One to four changes of a known text: a word inserted, a part removed, repeated, or taken from another text. */
function mutate({ one, upTo }: Choices, corpus: string[], words: string[]): string {
  let text = one(corpus);
  for (let count = 1 + upTo(3); count > 0; count--) {
    const [at, length] = [upTo(text.length), upTo(8)];
    const [before, part, after] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
    const other = one(corpus);
    const from = upTo(other.length);
    text = one([
      () => before + one(words) + part + after,
      () => before + one(words) + after,
      () => before + after,
      () => before + part.repeat(1 + upTo(30)) + after,
      () => before + other.slice(from, from + upTo(40)) + part + after,
      () => before + String.fromCharCode(upTo(127)) + part + after,
    ])();
  }
  return text.slice(0, MAX_LENGTH);
}
