import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { SLOWNESS } from "../open-dashboard.ts";
import { writeCode } from "../write-code.ts";

/** User input by mouse, or by keyboard alone. */
export type UserInput = {
  /** A button, link, tab or checkbox. */
  press: (target: Locator) => Promise<void>;
  /** Replaces the content. */
  write: (field: Locator, text: string) => Promise<void>;
  /** Opens a table row. */
  open: (row: Locator) => Promise<void>;
  /** A tree item. */
  choose: (item: Locator) => Promise<void>;
  /** Moves a slider by this many stops. */
  slide: (slider: Locator, stops: number) => Promise<void>;
};

export function mouse(page: Page): UserInput {
  return {
    press: (target) => target.click(),
    write: async (field, text) => {
      await field.click();
      if (await field.evaluate((element) => (element as HTMLElement).isContentEditable)) await writeCode(field, text);
      else await field.fill(text);
    },
    open: (row) => row.getByRole("link").first().click(),
    choose: (item) => item.click(),
    slide: async (slider, stops) => {
      const box = await slider.boundingBox();
      const [min, max, value] = await slider.evaluate((input: HTMLInputElement) => [
        +input.min,
        +input.max,
        +input.value,
      ]);
      if (!box || min === undefined || max === undefined || value === undefined) throw new Error("no slider");
      const at = (value + stops - min) / (max - min);
      await page.mouse.click(box.x + 8 + at * (box.width - 16), box.y + box.height / 2);
    },
  };
}

/** Uses no pointer and sets no focus: what Tab does not reach cannot be used. */
export function keyboard(page: Page): UserInput {
  const press = async (target: Locator) => {
    await target.waitFor();
    const role = await target.getAttribute("role");
    if (role === "tab") return reachTab(page, target);
    await reach(page, target);
    // Waits while the button is disabled, as with the mouse.
    await expect.poll(() => target.isEnabled(), { timeout: 20_000 * SLOWNESS }).toBe(true);
    const isBox = await target.evaluate((element) => (element as HTMLInputElement).type === "checkbox");
    await page.keyboard.press(isBox ? "Space" : "Enter");
  };
  return {
    press,
    write: async (field, text) => {
      await reach(page, field);
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.press("Delete");
      await page.keyboard.insertText(text);
    },
    open: async (row) => {
      await step(page, row, "j");
      await page.keyboard.press("Enter");
    },
    choose: async (item) => {
      await item.waitFor();
      await reach(page, page.locator('[role=treeitem][tabindex="0"]'));
      await step(page, item, "ArrowDown");
      await page.keyboard.press("Enter");
    },
    slide: async (slider, stops) => {
      await reach(page, slider);
      for (let nth = 0; nth < Math.abs(stops); nth++) await page.keyboard.press(stops > 0 ? "ArrowRight" : "ArrowLeft");
    },
  };
}

const MAX_TABS = 150;

async function reach(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let nth = 0; nth < MAX_TABS; nth++) {
    if (await hasFocus(target)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${target} was not reached by pressing Tab ${MAX_TABS} times`);
}

/** A tab list has one tab stop; arrow keys move within it. */
async function reachTab(page: Page, target: Locator): Promise<void> {
  const list = page.getByRole("tablist").filter({ has: target });
  const isWithin = () => list.evaluate((element) => element.contains(document.activeElement));
  for (let nth = 0; nth < MAX_TABS && !(await isWithin()); nth++) await page.keyboard.press("Tab");
  await step(page, target, "ArrowRight");
}

/** Presses a key until the target has the focus. */
async function step(page: Page, target: Locator, key: string): Promise<void> {
  await target.waitFor();
  for (let nth = 0; nth < 40; nth++) {
    if (await hasFocus(target)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not reach ${target}`);
}

/** The focus moves within a frame. */
async function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate(
    (element) =>
      new Promise<boolean>((resolve) => requestAnimationFrame(() => resolve(element === document.activeElement))),
  );
}

/** Counts pointer events. */
export const COUNT_POINTERS = `
  globalThis.pointed = 0;
  addEventListener("pointerdown", () => { globalThis.pointed += 1; }, true);
`;
