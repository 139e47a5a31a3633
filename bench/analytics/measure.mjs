import { askOneByOne } from "../compare/ask-one-by-one.mjs";

/** Answers of analytics, each asked for in another way. */
export async function measure(service, { path, query }, { calls }) {
  const nextPath = () => `/v1/analytics/${path}?${new URLSearchParams(query())}`;
  const { ms, text } = await askOneByOne(service, nextPath, calls);
  return { ms, kb: Math.round(text.length / 1_024) };
}
