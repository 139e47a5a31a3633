import { compare } from "../compare/compare.mjs";

await compare({ bench: "drain", title: "A full queue, dispatched over HTTP and completed", unit: "runs/s", n: 20_000 });
