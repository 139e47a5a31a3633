import { describe, expect, it } from "vitest";
import { didYouMean } from "./did-you-mean.ts";

describe("did you mean", () => {
  it.each([
    { typed: "send-mial", known: ["send-mail", "send-sms", "import"], meant: ["send-mail"] },
    { typed: "snd-mail", known: ["send-mail"], meant: ["send-mail"] },
    { typed: "nightly", known: ["nightly-report", "nightly-import"], meant: ["nightly-report", "nightly-import"] },
    { typed: "hello", known: ["world", "order"], meant: [] },
    { typed: "a", known: ["b"], meant: ["b"] },
    { typed: "x", known: [], meant: [] },
  ])("$typed of $known: $meant", ({ typed, known, meant }) => {
    expect(didYouMean(typed, known)).toEqual(meant);
  });
});
