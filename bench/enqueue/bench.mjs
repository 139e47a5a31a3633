import { compare } from "../compare/compare.mjs";

await compare({ bench: "enqueue", title: "Single calls that enqueue, 32 at a time", unit: "calls/s", n: 20_000 });
