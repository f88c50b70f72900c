import type * as AxeCore from 'axe-core';
import { type BrowserStage, visit } from './browser-stage.ts';

declare const axe: typeof AxeCore;

/** axe-core as it comes. */
export const stockSource = await Bun.file(
  new URL(import.meta.resolve('axe-core/axe.min.js')),
).text();

/**
 * What axe itself finds, used as its documentation says: a script in the page and in its frames,
 * and `axe.run` with the same rules and otherwise its defaults.
 */
export function runAxeInMainWorld(stage: BrowserStage, url: string): Promise<AxeCore.AxeResults> {
  return visit(stage, url, async (page) => {
    for (const frame of page.frames()) {
      await frame.evaluate(
        `${stockSource}; axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] })`,
      );
    }
    return page.evaluate(() =>
      axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }),
    );
  });
}
