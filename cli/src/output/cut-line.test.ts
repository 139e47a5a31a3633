import { expect, it } from "vitest";
import { cutLine } from "./cut-line.ts";

it("leaves the last column of the terminal free, and keeps color codes", () => {
  expect(cutLine("1234567", 8)).toBe("1234567");
  expect(cutLine("12345678", 8)).toBe("1234567");
  expect(cutLine("\u001b[31m12345678\u001b[39m9", 8)).toBe("\u001b[31m1234567\u001b[39m");
});
