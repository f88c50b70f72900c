import type { CDPSession } from 'puppeteer';
import { ScanFailedError } from '../errors.ts';
import type { ContextLease } from './browser-instance.ts';
import { DocumentLog } from './document-log.ts';
import type { EgressProxy } from './egress-proxy.ts';
import { IsolatedWorlds } from './isolated-world.ts';
import { OpenRequests } from './open-requests.ts';
import { PageLimits } from './page-limits.ts';
import { PageSessions } from './page-sessions.ts';
import { ScheduledNavigation } from './scheduled-navigation.ts';

/** A page made ready for hostile content, and what is needed to follow it. Ends with its context. */
export interface ScanPage {
  readonly session: CDPSession;
  readonly mainFrameId: string;
  readonly worlds: IsolatedWorlds;
  readonly log: DocumentLog;
  readonly requests: OpenRequests;
  readonly scheduled: ScheduledNavigation;
  readonly egress: EgressProxy;
  /**
   * Rejects when the page passes a limit, or its renderer crashes: calls into a crashed page may never
   * settle by themselves.
   */
  readonly failed: Promise<never>;
}

export async function openScanPage(lease: ContextLease, egress: EgressProxy): Promise<ScanPage> {
  const session = await lease.openPage();
  const { frameTree } = await session.send('Page.getFrameTree');
  const mainFrameId = frameTree.frame.id;
  const requests = new OpenRequests();
  const limits = new PageLimits(mainFrameId);
  const log = new DocumentLog(session, mainFrameId);
  const scheduled = new ScheduledNavigation(session, mainFrameId);
  const crashed = rejectOnCrash(session);
  // An open dialog blocks every later call into the page.
  session.on('Page.javascriptDialogOpening', () => {
    session.send('Page.handleJavaScriptDialog', { accept: false }).catch(() => {});
  });
  const userAgent = { userAgent: lease.userAgent, userAgentMetadata: clientHints(lease) };
  const [sessions] = await Promise.all([
    PageSessions.attach(session, (each) => {
      requests.watch(each);
      limits.watch(each);
      return Promise.all([
        each.send('Network.enable', withoutBodies),
        each.send('Network.setUserAgentOverride', userAgent),
        each.send('Network.setBypassServiceWorker', { bypass: true }),
      ]);
    }),
    session.send('Page.enable'),
    session.send('Performance.enable', { timeDomain: 'timeTicks' }),
    session.send('Emulation.setDeviceMetricsOverride', viewport),
  ]);
  const failed = Promise.race([crashed, limits.exceeded, egress.exceeded]);
  failed.catch(() => {});
  const worlds = new IsolatedWorlds(sessions);
  return { session, mainFrameId, worlds, log, requests, scheduled, egress, failed };
}

/** Laid out as in a window of this size, but painted at next to none: nobody looks at it. */
const viewport = { width: 1280, height: 800, deviceScaleFactor: 1, mobile: false, scale: 0.01 };

/** Chromium would tell of each request with what it sends, be it megabytes. */
const withoutBodies = { maxPostDataSize: 1 };

function rejectOnCrash(session: CDPSession): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  // The page outlives a scan that ended otherwise.
  promise.catch(() => {});
  session.on('Inspector.targetCrashed', () =>
    reject(
      new ScanFailedError(
        'page-crashed',
        'The page crashed the browser tab, most often by using too much memory.',
      ),
    ),
  );
  return promise;
}

/** What an ordinary Chrome of this version says of itself: https://wicg.github.io/ua-client-hints/ */
function clientHints({ majorVersion }: ContextLease) {
  return {
    brands: [
      { brand: 'Chromium', version: majorVersion },
      { brand: 'Google Chrome', version: majorVersion },
      { brand: 'Not_A Brand', version: '8' },
    ],
    fullVersion: `${majorVersion}.0.0.0`,
    fullVersionList: [
      { brand: 'Chromium', version: `${majorVersion}.0.0.0` },
      { brand: 'Google Chrome', version: `${majorVersion}.0.0.0` },
      { brand: 'Not_A Brand', version: '8.0.0.0' },
    ],
    platform: 'Linux',
    platformVersion: '',
    architecture: 'x86',
    model: '',
    mobile: false,
  };
}
