import puppeteer from 'puppeteer';
import { scanWithAxe } from './axe-in-page.ts';
import { launchOptions, serveScans } from './worker.ts';

/* The floor that every other service stands on: a warm browser, a context a page, `axe.run`. */

await serveScans(async (binary) => {
  const browser = await puppeteer.launch(launchOptions(binary));
  return {
    scan: async (ask) => {
      const context = await browser.createBrowserContext();
      try {
        return await scanWithAxe(await context.newPage(), ask);
      } finally {
        await context.close();
      }
    },
    close: () => browser.close(),
  };
});
