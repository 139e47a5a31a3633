import type { Cli } from "../cli.ts";

/** One thing that is looked at: how it is, and what to do when it is not well. */
export type Finding = {
  check: string;
  status: "ok" | "warning" | "failed" | "skipped";
  message: string;
  /** What to do; empty when nothing is. */
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
