import type { Cli } from "../cli.ts";

/** The result of one check, and how to fix a problem. */
export type Finding = {
  check: string;
  status: "ok" | "warning" | "failed" | "skipped";
  message: string;
  /** Empty if there is nothing to do. */
  remedy: string;
};

export type Check = (cli: Cli, endpoint: string | undefined) => Promise<Finding[]>;

export const ok = (check: string, message: string): Finding => ({ check, status: "ok", message, remedy: "" });
export const skipped = (check: string, message: string, remedy = ""): Finding => ({
  check,
  status: "skipped",
  message,
  remedy,
});
export const warning = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: "warning",
  message,
  remedy,
});
export const failed = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: "failed",
  message,
  remedy,
});
