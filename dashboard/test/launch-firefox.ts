import { existsSync } from "node:fs";
import { type Browser, firefox } from "playwright-core";

const SYSTEM = ["/usr/bin/firefox-esr", "/usr/bin/firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"];

/** An installed Firefox, over WebDriver BiDi: Playwright's own protocol needs its patched build. */
export async function launchFirefox(): Promise<Browser> {
  const executablePath = process.env.FIREFOX_PATH ?? SYSTEM.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error("No Firefox found. Install one (apt-get install firefox-esr) or name one in FIREFOX_PATH.");
  const browser = await firefox.launch({ channel: "moz-firefox", executablePath });
  ignoreMediaFeatures(browser);
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    await context.addInitScript(INSERT_TEXT);
    return context;
  };
  return browser;
}

type Session = { send: (method: string, params: unknown) => Promise<unknown> };
type Internals = { _connection: { toImpl: (browser: Browser) => { _browserSession: Session } } };

/**
 * Playwright sets the color scheme of every context, with a command that Firefox 153 does not know. Without it pages have
 * the theme of the system, and motion is not reduced.
 */
function ignoreMediaFeatures(browser: Browser): void {
  const session = (browser as unknown as Internals)._connection.toImpl(browser)._browserSession;
  const everySession = Object.getPrototypeOf(session) as Session;
  const { send } = everySession;
  everySession.send = function (method, params) {
    return method === "emulation.setMediaFeaturesOverride" ? Promise.resolve({}) : send.call(this, method, params);
  };
}

/**
 * Over BiDi, Playwright inserts text by setting the value of the field, which React does not notice, and which an editor
 * does not have. This types it as a user does.
 */
const INSERT_TEXT = `
  Object.defineProperty(globalThis, "__pw_bidiInsertText", {
    get: () => (text) => void document.execCommand("insertText", false, text),
    set: () => {},
  });
`;
