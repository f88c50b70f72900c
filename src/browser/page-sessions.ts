import type { CDPSession } from 'puppeteer';

/**
 * The protocol sessions of a page: its own, and one for each frame and worker that runs apart from
 * it. Lives as long as the page; nothing to close.
 */
export class PageSessions {
  readonly main: CDPSession;
  /** Of frames that run in a process of their own, by frame id. */
  readonly frames: ReadonlyMap<string, CDPSession>;
  readonly #frames = new Map<string, CDPSession>();
  readonly #prepare: Prepare;

  private constructor(main: CDPSession, prepare: Prepare) {
    this.main = main;
    this.frames = this.#frames;
    this.#prepare = prepare;
  }

  /** Prepares each session before what it reaches has begun to run. */
  static async attach(main: CDPSession, prepare: Prepare): Promise<PageSessions> {
    const sessions = new PageSessions(main, prepare);
    await sessions.#follow(main);
    return sessions;
  }

  async #follow(session: CDPSession): Promise<void> {
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const child = session.connection()?.session(sessionId);
      if (child == null) return;
      if (targetInfo.type === 'iframe') this.#frames.set(targetInfo.targetId, child);
      Promise.all([this.#follow(child), child.send('Runtime.runIfWaitingForDebugger')]).catch(() =>
        this.#frames.delete(targetInfo.targetId),
      );
    });
    session.on('Target.detachedFromTarget', ({ sessionId }) => {
      for (const [frameId, child] of this.#frames) {
        if (child.id() === sessionId) this.#frames.delete(frameId);
      }
    });
    const attached = session.send('Target.setAutoAttach', {
      autoAttach: true,
      // As puppeteer does: where two sessions differ in it, a frame within a frame now and then never loads.
      waitForDebuggerOnStart: true,
      flatten: true,
      filter: [{ type: 'iframe' }, { type: 'worker' }],
    });
    await Promise.all([attached, this.#prepare(session)]);
  }
}

/** Must send what it has to say before it waits for anything. */
type Prepare = (session: CDPSession) => Promise<unknown>;
