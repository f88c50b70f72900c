import axe, { type AxeResults } from 'axe-core';
import puppeteer, { type Page } from 'puppeteer';
import { type Findings, findingsFromAxe, tags } from '../findings.ts';
import { importPeer } from './peers.ts';
import { launchOptions, serveScans } from './worker.ts';

/** What it gathers of axe's result. */
interface Accessibility extends Pick<AxeResults, 'violations' | 'incomplete'> {
  readonly version: string;
}

type Lighthouse = (
  url: string,
  flags: { onlyCategories: string[]; logLevel: string; maxWaitForLoad: number },
  config: object,
  page: Page,
) => Promise<{ artifacts: { Accessibility: Accessibility }; lhr: LighthouseResult } | undefined>;

interface LighthouseResult {
  readonly runtimeError?: { readonly message: string };
}

/** A page as large as the others see it, at the speed at which it comes. */
const config = {
  extends: 'lighthouse:default',
  settings: {
    formFactor: 'desktop',
    throttlingMethod: 'provided',
    screenEmulation: {
      mobile: false,
      width: 1_280,
      height: 800,
      deviceScaleFactor: 1,
      disabled: false,
    },
  },
};
const maxWaitForLoadMs = 60_000;
const comparedRules = new Set(axe.getRules(tags).map(({ ruleId }) => ruleId));

await serveScans(async (binary) => {
  const { default: lighthouse } = await importPeer<{ default: Lighthouse }>('lighthouse');
  const browser = await puppeteer.launch(launchOptions(binary));
  return {
    scan: async ({ url }) => {
      const context = await browser.createBrowserContext();
      try {
        const flags = {
          onlyCategories: ['accessibility'],
          logLevel: 'silent',
          maxWaitForLoad: maxWaitForLoadMs,
        };
        const result = await lighthouse(url, flags, config, await context.newPage());
        const error = result?.lhr.runtimeError?.message;
        if (result === undefined || error !== undefined) throw new Error(error ?? 'no result');
        return { findings: findingsOf(result.artifacts.Accessibility) };
      } finally {
        await context.close();
      }
    },
    close: () => browser.close(),
  };
});

function findingsOf({ version, violations, incomplete }: Accessibility): Findings {
  const compared = (results: AxeResults['violations']): AxeResults['violations'] =>
    results.filter(({ id }) => comparedRules.has(id));
  return findingsFromAxe({
    testEngine: { name: 'axe-core', version },
    violations: compared(violations),
    incomplete: compared(incomplete),
  });
}
