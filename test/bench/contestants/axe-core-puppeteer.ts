import type { AxeResults } from 'axe-core';
import puppeteer, { type Page } from 'puppeteer';
import { findingsFromAxe, tags } from '../findings.ts';
import { axeSource, open } from './axe-in-page.ts';
import { importPeer } from './peers.ts';
import { launchOptions, serveScans } from './worker.ts';

/* The library of axe's makers, with the same axe as the floor: it comes with an older one. */

interface AxePuppeteerModule {
  readonly AxePuppeteer: new (
    page: Page,
    source: string,
  ) => { withTags(tags: string[]): { analyze(): Promise<AxeResults> } };
}

await serveScans(async (binary) => {
  const { AxePuppeteer } = await importPeer<AxePuppeteerModule>('@axe-core/puppeteer');
  const browser = await puppeteer.launch(launchOptions(binary));
  return {
    scan: async (ask) => {
      const context = await browser.createBrowserContext();
      try {
        const page = await context.newPage();
        await open(page, ask);
        const results = await new AxePuppeteer(page, axeSource).withTags(tags).analyze();
        return { findings: findingsFromAxe(results) };
      } finally {
        await context.close();
      }
    },
    close: () => browser.close(),
  };
});
