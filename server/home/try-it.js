import { code, el } from "./dom.js";
import { codeBlock } from "./secret-once.js";

/** Lines to paste into a terminal, in the order a newcomer needs them. */
export function tryIt() {
  const { origin } = location;
  const bearer = '  -H "Authorization: Bearer $MILLRACE_API_KEY"';
  return el(
    "section",
    { class: "card try", "aria-labelledby": "section-try" },
    el("div", { class: "card-head" }, el("h2", { id: "section-try" }, "Try it")),
    el(
      "div",
      { class: "try-body" },
      el("p", {}, "Paste into a terminal. Step 2 needs an API key of this project in place of ", code("svc_…")),
      codeBlock("1. Is the service ready?", `curl -s ${origin}/health/ready`),
      codeBlock("2. Set your key", 'export MILLRACE_API_KEY="svc_…"'),
      codeBlock("3. Who am I?", `curl -s ${origin}/v1/me \\\n${bearer}`),
      codeBlock(
        "4. Add an environment",
        `curl -s ${origin}/v1/environments \\\n${bearer} \\\n  -H "Content-Type: application/json" \\\n  -d '{"name": "Preview"}'`,
      ),
      el(
        "p",
        { class: "try-more" },
        "All of it: ",
        el("a", { href: "/docs" }, "API reference"),
        " · ",
        el("a", { href: "/openapi.json" }, "openapi.json"),
      ),
    ),
  );
}
