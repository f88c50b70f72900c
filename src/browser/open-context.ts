import type { Browser, BrowserContext, CDPSession } from 'puppeteer';

/**
 * Opens a context with cookies, cache and storage of its own, whose pages may ask the visitor for
 * nothing and download nothing, and reach what `proxyServer` lets them reach.
 */
export async function openContext(
  { browser, session }: { browser: Browser; session: CDPSession },
  proxyServer: string,
): Promise<BrowserContext> {
  const context = await browser.createBrowserContext({
    downloadBehavior: { policy: 'deny' },
    proxyServer,
    // Else loopback is reached without the proxy.
    proxyBypassList: ['<-loopback>'],
  });
  if (context.id === undefined) throw new Error('the context has no id');
  // What is granted is all that is granted, to every origin.
  await session.send('Browser.grantPermissions', {
    permissions: [],
    browserContextId: context.id,
  });
  return context;
}
