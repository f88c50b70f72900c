import type { CDPSession } from 'puppeteer';

/** A page that refreshes later than this may be read meanwhile, and is scanned as it is. */
const soonSeconds = 3;

/**
 * Knows when the main frame is about to go elsewhere by itself: by `<meta http-equiv=refresh>`, by a
 * Refresh field, or by a script that has said so. A timer that will say so later is not to be seen.
 * Needs the Page domain.
 */
export class ScheduledNavigation {
  #isPending = false;
  #url = '';

  constructor(session: CDPSession, mainFrameId: string) {
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id !== mainFrameId) return;
      this.#url = frame.url;
      // What was scheduled while the document was parsed is not always cleared.
      this.#isPending = false;
    });
    session.on('Page.frameScheduledNavigation', ({ frameId, delay, url }) => {
      if (frameId !== mainFrameId) return;
      // A page that refreshes itself now and then would be waited for without end; one that does so at
      // once can't be read, and comes to the limit of navigations.
      this.#isPending = delay === 0 || (delay <= soonSeconds && url !== this.#url);
    });
    session.on('Page.frameClearedScheduledNavigation', ({ frameId }) => {
      if (frameId === mainFrameId) this.#isPending = false;
    });
  }

  get isPending(): boolean {
    return this.#isPending;
  }
}
