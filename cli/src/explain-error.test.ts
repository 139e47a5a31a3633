import { ApiError } from "@millrace/sdk";
import { expect, it } from "vitest";
import type { Cli } from "./cli.ts";
import { explainError } from "./explain-error.ts";

it("prints each validation error once", () => {
  const cli = { format: "json", settings: { baseUrl: { value: "http://localhost:8787", source: "default" } } } as Cli;
  const errors = [
    { location: "body.url", message: "must be a URL", value: "x" },
    { location: "body.events", message: "is required", value: null },
  ];
  const linesOf = (message: string, fields: typeof errors) => {
    const details = { code: "validation_failed", status: 422, method: "POST", path: "/v1/webhook-subscriptions" };
    const error = new ApiError({ ...details, message, fields, body: null, requestId: "r", retryAfterSecs: undefined });
    return explainError(cli, error).lines.filter((line) => line.startsWith("body."));
  };
  expect(linesOf("body.url: must be a URL", errors.slice(0, 1))).toEqual([]);
  expect(linesOf("body.url: must be a URL (and 1 more)", errors)).toEqual(["body.events: is required"]);
  expect(linesOf("The payload does not match.", errors)).toHaveLength(2);
});
