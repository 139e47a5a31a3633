import { expect, it } from "vitest";
import { formatUsd } from "./format-usd.ts";

it.each([
  [0, "$0.00"],
  [1, "$0.000001"],
  [150, "$0.00015"],
  [10_000, "$0.01"],
  [1_500_000, "$1.50"],
  [20_000_000, "$20.00"],
  [-12_001_810, "-$12.00181"],
  [Number.MAX_SAFE_INTEGER, "$9007199254.740991"],
])("shows %i micro-USD as dollars, exactly and with at least two decimals", (microusd, text) => {
  expect(formatUsd(microusd)).toBe(text);
});
