import { ApiError } from "../../platform/errors/errors.ts";

export type Filter = { attribute: string; value: string };

const MAX_COUNT = 200;

/** `userName eq "ada@example.com"`: the only form that providers use to find one. Undefined: no filter. */
export function parseFilter(text: string | undefined): Filter | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const [, attribute = "", value] = /^\s*([\w.:]+)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i.exec(text) ?? [];
  if (value === undefined) throw new ApiError("bad_request", 'Only filters such as userName eq "ada" exist.');
  return { attribute: attribute.toLowerCase(), value: value.slice(1, -1).replaceAll(/\\(.)/g, "$1") };
}

/** `startIndex` counts from 1. */
export function pageOf({ startIndex, count }: { startIndex?: string; count?: string }) {
  const whole = (text: string | undefined, otherwise: number) =>
    text !== undefined && /^-?\d{1,9}$/.test(text) ? Number(text) : otherwise;
  return {
    start: Math.max(1, whole(startIndex, 1)),
    limit: Math.min(MAX_COUNT, Math.max(0, whole(count, MAX_COUNT))),
  };
}
