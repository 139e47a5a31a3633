import { invalid } from "../../platform/errors/errors.ts";

/** Size in bytes of JSON, as it is stored and sent. */
export function refuseLarge(location: string, json: string, max: number): void {
  const bytes = Buffer.byteLength(json);
  if (bytes > max) throw invalid(location, `has ${bytes} bytes as JSON; the maximum is ${max}`, null);
}
