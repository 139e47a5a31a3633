import { measureSequentially } from "../compare/measure-sequentially.mjs";

/** Measures analytics responses with a different query each time. */
export async function measure(service, { path, query }, { calls }) {
  const nextPath = () => `/v1/analytics/${path}?${new URLSearchParams(query())}`;
  const { ms, text } = await measureSequentially(service, nextPath, calls);
  return { ms, kb: Math.round(text.length / 1_024) };
}
