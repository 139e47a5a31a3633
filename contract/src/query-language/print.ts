import { printDuration } from "./amounts.ts";
import type { RunCondition } from "./types.ts";

/** Prints conditions as a query that parseQuery parses back to the same conditions. */
export function printQuery(conditions: readonly RunCondition[]): string {
  return conditions.map((each) => ("negated" in each && each.negated ? `-${print(each)}` : print(each))).join(" ");
}

function print(condition: RunCondition): string {
  switch (condition.key) {
    case "text":
      return printText(condition.text);
    case "error":
      return `error:${[condition.text, ...(condition.or ?? [])].map(printWord).join(",")}`;
    case "is":
      return `is:${condition.value}`;
    case "payload":
      return `payload${condition.path.map((name) => `.${printName(name)}`).join("")}:${JSON.stringify(condition.value)}`;
    case "duration":
      return `duration:${condition.operator}${printDuration(condition.amount)}`;
    case "attempts":
      return `attempts:${condition.operator === "=" ? "" : condition.operator}${condition.amount}`;
    case "since":
    case "until":
      return `${condition.key}:${"at" in condition ? condition.at : printDuration(condition.ago_ms)}`;
    default:
      return `${condition.key}:${condition.values.map(printWord).join(",")}`;
  }
}

function printWord(word: string): string {
  return /^[^\s",][^\s,]*$/.test(word) && !word.includes('"') ? word : JSON.stringify(word);
}

function printText(text: string): string {
  return /^[^\s",:-][^\s",:]*$/.test(text) ? text : JSON.stringify(text);
}

function printName(name: string): string {
  return /^[\w$-]+$/.test(name) ? name : JSON.stringify(name);
}
