import type { BrowserContext, CDPSession, Protocol } from 'puppeteer';

/**
 * Opens an empty page in the context and returns the protocol session that reaches it. Puppeteer's own
 * page would ask the browser for much that no scan reads: each message to the console, each world and
 * each lifecycle event of each frame. Other pages that are opened in the context are closed at once.
 */
export async function openPage(
  browserSession: CDPSession,
  context: BrowserContext,
): Promise<CDPSession> {
  const browserContextId = context.id;
  if (browserContextId === undefined) throw new Error('the context has no id');
  const { targetId } = await browserSession.send('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
  });
  const { sessionId } = await browserSession.send('Target.attachToTarget', {
    targetId,
    flatten: true,
  });
  const session = browserSession.connection()?.session(sessionId);
  if (session == null) throw new Error('the page was closed while it was being opened');
  closePopups(browserSession, browserContextId, targetId);
  return session;
}

/** What is told of pages that are opened, once for all contexts of a browser. */
export async function discoverPages(browserSession: CDPSession): Promise<void> {
  await browserSession.send('Target.setDiscoverTargets', {
    discover: true,
    filter: [{ type: 'page' }],
  });
}

/** Until the page itself is closed. */
function closePopups(browserSession: CDPSession, contextId: string, pageId: string): void {
  const closePopup = ({ targetInfo }: Protocol.Target.TargetCreatedEvent): void => {
    if (targetInfo.browserContextId !== contextId) return;
    const { targetId } = targetInfo;
    browserSession.send('Target.closeTarget', { targetId }).catch(() => {});
  };
  const stop = ({ targetId }: Protocol.Target.TargetDestroyedEvent): void => {
    if (targetId !== pageId) return;
    browserSession.off('Target.targetCreated', closePopup);
    browserSession.off('Target.targetDestroyed', stop);
  };
  browserSession.on('Target.targetCreated', closePopup);
  browserSession.on('Target.targetDestroyed', stop);
}
