import type * as AxeCore from 'axe-core';
import type { Page } from 'puppeteer';

declare const axe: typeof AxeCore;

/** What runs of axe say, without what differs between any two. */
export interface Findings {
  /** Violations, incomplete, passes and inapplicable, with all that axe can tell of an element. */
  readonly all: AxeCore.Result[][];
  /** When asked for violations and incomplete, of the others the rules. */
  readonly asked: [AxeCore.Result[], AxeCore.Result[], string[], string[]];
}

/**
 * Runs the axe of this source beside the page. What a run measures may move what the next one finds:
 * compare runs on fresh documents.
 */
export async function findBy(source: string, page: Page): Promise<Findings> {
  const session = await page.createCDPSession();
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'axe',
  });
  await session.send('Runtime.evaluate', { contextId, expression: `${source}\n;undefined` });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    contextId,
    expression: `(${findAll.toString()})()`,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails !== undefined) {
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  }
  return JSON.parse(result.value as string) as Findings;
}

/** Runs in the page. */
async function findAll(): Promise<string> {
  const options = {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
    iframes: false,
  };
  const all = await axe.run(document, { ...options, xpath: true, ancestry: true });
  const asked = await axe.run(document, { ...options, resultTypes: ['violations', 'incomplete'] });
  const ids = (rules: AxeCore.Result[]): string[] => rules.map(({ id }) => id);
  const findings = {
    all: [all.violations, all.incomplete, all.passes, all.inapplicable],
    asked: [asked.violations, asked.incomplete, ids(asked.passes), ids(asked.inapplicable)],
  };
  return JSON.stringify(findings, (key, value: unknown) =>
    // Of a rule that broke off; it tells where in the source.
    key === 'stack' ? undefined : value,
  );
}
