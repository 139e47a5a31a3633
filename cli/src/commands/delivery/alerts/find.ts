import type { AlertChannel } from "@millrace/contract/alerts/alert-channels";
import type { AlertRule } from "@millrace/contract/alerts/alert-rules";
import { findListed } from "../../../api/names.ts";
import type { Cli } from "../../../cli.ts";

export const RULES = "/v1/alert-rules";
export const CHANNELS = "/v1/alert-channels";

export function findRule(cli: Cli, given: string): Promise<AlertRule> {
  const listed = { noun: "Alert rule", path: RULES, listedBy: "millrace alerts list" };
  return findListed<AlertRule>(cli, { ...listed, nameOf: ({ name }) => name }, given);
}

export function findChannel(cli: Cli, given: string): Promise<AlertChannel> {
  const listed = { noun: "Alert channel", path: CHANNELS, listedBy: "millrace alerts channels list" };
  return findListed<AlertChannel>(cli, { ...listed, nameOf: ({ name }) => name }, given);
}
