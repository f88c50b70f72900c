import axe from 'axe-core';
import puppeteer, { type Browser } from 'puppeteer';
import { type Findings, type RuleFindings, tags } from '../findings.ts';
import { importPeer } from './peers.ts';
import { launchOptions, serveScans } from './worker.ts';

interface Issue {
  readonly code: string;
  readonly runnerExtras: { readonly impact: string | null; readonly needsFurtherReview: boolean };
  /** Each says in its text which axe it is from. */
  readonly message: string;
}

type Pa11y = (
  url: string,
  options: {
    browser: Browser;
    runners: string[];
    standard: string;
    includeWarnings: boolean;
    includeNotices: boolean;
    timeout: number;
    viewport: { width: number; height: number };
  },
) => Promise<{ issues: Issue[] }>;

const timeoutMs = 900_000;
/** It runs those of best practices too. */
const comparedRules = new Set(axe.getRules(tags).map(({ ruleId }) => ruleId));

await serveScans(async (binary) => {
  const { default: pa11y } = await importPeer<{ default: Pa11y }>('pa11y');
  const browser = await puppeteer.launch(launchOptions(binary));
  return {
    scan: async ({ url }) => {
      const { issues } = await pa11y(url, {
        browser,
        runners: ['axe'],
        standard: 'WCAG2AA',
        includeWarnings: true,
        includeNotices: true,
        timeout: timeoutMs,
        viewport: { width: 1_280, height: 800 },
      });
      return { findings: findingsOf(issues) };
    },
    close: () => browser.close(),
  };
});

function findingsOf(issues: readonly Issue[]): Findings {
  const compared = issues.filter(({ code }) => comparedRules.has(code));
  const [toReview = [], violations = []] = [true, false].map((review) =>
    compared.filter(({ runnerExtras }) => runnerExtras.needsFurtherReview === review),
  );
  return {
    axeVersion: /\/rules\/axe\/([\d.]+)\//.exec(issues[0]?.message ?? '')?.[1] ?? 'unknown',
    violations: summarize(violations),
    incomplete: summarize(toReview),
  };
}

function summarize(issues: readonly Issue[]): RuleFindings {
  const groups = Map.groupBy(issues, ({ code }) => code).entries();
  return Object.fromEntries(
    groups.map(([code, [first, ...others]]) => [
      code,
      { impact: first?.runnerExtras.impact ?? 'minor', count: 1 + others.length },
    ]),
  );
}
