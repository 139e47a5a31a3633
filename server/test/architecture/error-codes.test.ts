import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ERROR_CODES } from "@millrace/contract/error-codes/all-codes";
import { expect, it } from "vitest";

const AREAS = join(import.meta.dirname, "../../../contract/src/error-codes");

it("every error code belongs to one area, and the table lists every area", () => {
  const texts = readdirSync(AREAS).map((name) => readFileSync(join(AREAS, name), "utf8"));
  const codes = texts.flatMap((text) => [...text.matchAll(/^ {2}(\w+): \{$/gm)].map(([, code]) => code));
  expect(codes.toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted());
});
