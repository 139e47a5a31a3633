import { choicesFrom } from "../differential/choices.ts";
import { watchCoverage } from "./coverage.ts";
import { LANGUAGES } from "./languages/all-languages.ts";
import type { Language } from "./languages/language.ts";
import { mutate } from "./mutate.ts";

// A process of its own, so that coverage and CPU time are those of the languages and their libraries alone.

/** CPU of one input: the smallest of a few tries, since the first ones run code that is not compiled. */
const MAX_CPU_MS = 100;
const TRIES = 3;
const MAX_PROBLEMS = 20;

export type Fuzzed = {
  problems: string[];
  inputs: number;
  accepted: number;
  kept: number;
  paths: number;
  slowest_ms: number;
};

const [name = "", ...numbers] = process.argv.slice(2);
const [seed = 0, maxInputs = 0, minutes = 0] = numbers.map(Number);
process.stdout.write(JSON.stringify(await fuzz(LANGUAGES[name] as Language)));

async function fuzz(language: Language): Promise<Fuzzed> {
  const choices = choicesFrom(seed);
  const endsAt = Date.now() + minutes * 60_000;
  const coverage = await watchCoverage();
  const corpus = [...language.corpus];
  /** Most mutations of rejected input are rejected too, so half of them start from accepted input. */
  const good = [...language.corpus];
  const problems = corpus.filter((text) => tryRead(language, text) instanceof Error).map((text) => `corpus: ${text}`);
  let [inputs, accepted, slowest_ms] = [0, 0, 0];
  await coverage.hasGrown();
  for (; inputs < maxInputs && Date.now() < endsAt && problems.length < MAX_PROBLEMS; inputs++) {
    const text = mutate(choices, choices.chance(0.5) ? good : corpus, language.words);
    const { result, cpuMs } = measure(() => tryRead(language, text));
    slowest_ms = Math.max(slowest_ms, cpuMs);
    if (result instanceof Error) problems.push(`${JSON.stringify(text)}: ${result.stack}`);
    if (cpuMs > MAX_CPU_MS) problems.push(`${JSON.stringify(text)}: ${cpuMs.toFixed(0)} ms`);
    if (result === true) accepted++;
    if (!(await coverage.hasGrown())) continue;
    corpus.push(text);
    if (result === true) good.push(text);
  }
  const kept = corpus.length - language.corpus.length;
  return { problems, inputs, accepted, kept, paths: coverage.paths(), slowest_ms };
}

function tryRead({ read }: Language, text: string): boolean | Error {
  try {
    return read(text);
  } catch (error) {
    return error as Error;
  }
}

function measure<T>(work: () => T): { result: T; cpuMs: number } {
  let least = { result: undefined as T, cpuMs: Number.POSITIVE_INFINITY };
  for (let nth = 0; nth < TRIES && least.cpuMs > MAX_CPU_MS; nth++) {
    const before = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(before);
    least = { result, cpuMs: Math.min(least.cpuMs, (user + system) / 1_000) };
  }
  return least;
}
