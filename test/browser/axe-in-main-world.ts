import type * as AxeCore from 'axe-core';
import type { BrowserStage } from './browser-stage.ts';

declare const axe: typeof AxeCore;
const axeSource = await Bun.file(new URL(import.meta.resolve('axe-core/axe.min.js'))).text();

/**
 * What axe itself finds, used as its documentation says: a script in the page and in its frames,
 * and `axe.run` with the same rules and otherwise its defaults.
 */
export async function runAxeInMainWorld(
  { chromium, openEgress }: BrowserStage,
  url: string,
): Promise<AxeCore.AxeResults> {
  await using egress = await openEgress();
  await using lease = await chromium.lease(egress.url);
  const page = await lease.context.newPage();
  await page.goto(url, { waitUntil: 'load' });
  for (const frame of page.frames()) {
    await frame.evaluate(
      `${axeSource}; axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] })`,
    );
  }
  // Not without the await: the page goes with the lease.
  return await page.evaluate(() =>
    axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }),
  );
}
