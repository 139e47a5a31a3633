import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";

/** A pattern that matches in time linear in the text, compiled once. Throws a clear message on a bad pattern. */
export function compilePattern(source: string): RE2JS {
  const known = patterns.get(source);
  if (known) return known;
  patternSize(source);
  const pattern = compile(source);
  patterns.set(source, pattern);
  return pattern;
}

/** Upper bound of a pattern's instructions, without compiling it. Throws if there are too many. */
export function patternSize(source: string): number {
  if (source.length > MAX_PATTERN_LENGTH) throw new Error(`Pattern is longer than ${MAX_PATTERN_LENGTH} characters`);
  const size = estimateProgram(source);
  if (size > MAX_PROGRAM_SIZE) throw new Error("Pattern repeats too much");
  return size;
}

/** Returns the issue of a pattern, or undefined. */
export function findPatternIssue(source: string): string | undefined {
  try {
    compilePattern(source);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function isCompiled(source: string): boolean {
  return patterns.has(source);
}

const MAX_PATTERN_LENGTH = 500;
const MAX_PROGRAM_SIZE = 2_500;
const patterns = new LRUCache<string, RE2JS>({ max: 200 });

/**
 * Upper bound of the compiled program's size, computed from the text alone: RE2 expands `x{1000}` a thousand times, so
 * 400 characters can need 400,000 instructions and 0.24 s of compiling.
 */
function estimateProgram(source: string): number {
  const groups = [0];
  let last = 0;
  for (const [token, min, max] of source.matchAll(TOKEN)) {
    if (token === "(") {
      groups.push(2);
      last = 0;
    } else if (token === ")" && groups.length > 1) {
      last = groups.pop() ?? 0;
      addToLast(groups, last);
    } else if (min !== undefined) {
      addToLast(groups, last * Math.max(Number(min), Number(max ?? 0)));
    } else {
      last = 1;
      addToLast(groups, token.startsWith("\\Q") ? token.length : 1);
    }
  }
  return groups.reduce((sum, size) => sum + size, 0);
}

// A count, a quotation, an escape, a class, or one character.
const TOKEN = /\{(\d+)(?:,(\d*))?\}|\\Q.*?(?:\\E|$)|\\[pP]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|./gs;

function addToLast(groups: number[], size: number): void {
  groups[groups.length - 1] = (groups.at(-1) ?? 0) + size;
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Invalid pattern: ${reason}`, { cause: error });
  }
}
