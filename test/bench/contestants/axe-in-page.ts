import type * as AxeCore from 'axe-core';
import type { Page } from 'puppeteer';
import { findingsFromAxe, tags } from '../findings.ts';
import type { Ask, Scanner } from './worker.ts';

export const axeSource = await Bun.file(new URL(import.meta.resolve('axe-core/axe.min.js'))).text();

declare const axe: typeof AxeCore;

export async function open(page: Page, { url, readySelector }: Ask): Promise<void> {
  await page.goto(url, { waitUntil: 'load' });
  if (readySelector !== undefined) await page.waitForSelector(readySelector);
}

/** What anybody would write who has read axe's documentation: inject it, and `axe.run`. */
export async function scanWithAxe(page: Page, ask: Ask): ReturnType<Scanner['scan']> {
  await open(page, ask);
  const frames = page.frames().filter((frame) => !frame.url().startsWith('chrome-error:'));
  for (const frame of frames) await frame.evaluate(axeSource);
  if (frames.length > 1) {
    // Frames of other sites give no answer otherwise.
    for (const frame of frames) await frame.evaluate(allowAllOrigins);
  }
  const { results, elements } = await page.evaluate(run, tags);
  return { findings: findingsFromAxe(results), elements };
}

function allowAllOrigins(): void {
  axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] });
}

async function run(runOnly: string[]): Promise<{ results: AxeCore.AxeResults; elements: number }> {
  const elements = document.getElementsByTagName('*').length;
  return { results: await axe.run(document, { runOnly }), elements };
}
