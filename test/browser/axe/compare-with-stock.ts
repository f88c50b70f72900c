import type * as AxeCore from 'axe-core';
import type { CDPSession, Page } from 'puppeteer';

declare const axe: typeof AxeCore;

const stockSource = await Bun.file(new URL(import.meta.resolve('axe-core/axe.min.js'))).text();

/** What a run of axe says, without what differs between any two runs. */
export type Findings = Record<string, unknown>;

/**
 * Runs axe as it comes and then `source`, each in a world of its own beside the page, so that both see
 * one and the same document. With all that axe can tell of each element, those that pass included.
 */
export async function runBoth(
  page: Page,
  source: string,
): Promise<{ stock: Findings; patched: Findings }> {
  const session = await page.createCDPSession();
  const stock = await runIn(session, 'stock', stockSource);
  return { stock, patched: await runIn(session, 'patched', source) };
}

async function runIn(session: CDPSession, worldName: string, source: string): Promise<Findings> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName,
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
  const { passes, violations, incomplete, inapplicable } = await axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
    iframes: false,
    xpath: true,
    ancestry: true,
  });
  return JSON.stringify({ violations, incomplete, passes, inapplicable }, (key, value: unknown) =>
    // Of a rule that failed; it tells where in the source.
    key === 'stack' ? undefined : value,
  );
}
