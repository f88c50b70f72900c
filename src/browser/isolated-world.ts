import type { CDPSession, Protocol } from 'puppeteer';
import type { PageSessions } from './page-sessions.ts';
import { isTimeout, within } from './time-limit.ts';

const remoteFrameTimeoutMs = 2_000;

/** A document in the page: its frame, and the protocol session that reaches it. */
export interface Frame {
  readonly id: string;
  /** Changes with every navigation of the frame. */
  readonly loaderId: string;
  /** Of an error page, the URL that it stands for; empty before a frame's first document has come. */
  readonly url: string;
  /** True when Chromium shows its own error page instead of the document. */
  readonly isErrorPage: boolean;
  readonly session: CDPSession;
}

/** A function of ours threw inside the page. */
export class PageFunctionError extends Error {
  override readonly name = 'PageFunctionError';
}

/**
 * Runs our code beside the page's, in frames of any origin.
 *
 * An isolated world shares the DOM with the page and nothing else: a page that defines its own
 * `axe`, patches `JSON` or freezes prototypes changes nothing here, and its Content-Security-Policy
 * does not apply (https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-createIsolatedWorld).
 * Puppeteer has such a world of its own but does not offer it, so this speaks the protocol.
 * Lives as long as the page; nothing to close.
 */
export class IsolatedWorlds {
  readonly #sessions: PageSessions;
  readonly #contextIds = new Map<string, Promise<number>>();
  readonly #injections = new Map<string, Promise<unknown>>();
  readonly #shared = new Map<CDPSession, string>();
  #generation = 0;

  constructor(sessions: PageSessions) {
    this.#sessions = sessions;
  }

  /** All frames now in the page by id, the main frame first. */
  async frames(): Promise<[Frame, ...Frame[]]> {
    const remote = [...this.#sessions.frames.values()].map((session) =>
      // A frame may vanish while it is asked, or be too busy to answer.
      within(remoteFrameTimeoutMs, framesOf(session)).catch(() => []),
    );
    return [...(await framesOf(this.#sessions.main)), ...(await Promise.all(remote)).flat()];
  }

  async mainFrame(): Promise<Frame> {
    return (await framesOf(this.#sessions.main))[0];
  }

  /** Ends what is loading: while a navigation is pending, Chromium holds back answers. */
  async stopLoading(): Promise<void> {
    // Refused at the moment at which one document takes the place of another.
    await this.#sessions.main.send('Page.stopLoading').catch(() => {});
  }

  /**
   * Calls `pageFunction`, which must not close over anything, with JSON arguments in the frame's
   * world and awaits its promise. Throws `PageFunctionError` when the function threw.
   */
  async call<Args extends unknown[], Result>(
    frame: Frame,
    pageFunction: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>> {
    const { value } = await this.#evaluate(frame, callExpression(pageFunction, args), true);
    return value as Awaited<Result>;
  }

  /**
   * As `call`, but stops what is running in the frame's process when it takes longer, and throws a
   * `TimeoutError`. What it ran in is in no known state then: see `renew`.
   */
  async callWithin<Args extends unknown[], Result>(
    ms: number,
    frame: Frame,
    pageFunction: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>> {
    try {
      return await within(ms, this.call(frame, pageFunction, ...args));
    } catch (error) {
      if (isTimeout(error)) await frame.session.send('Runtime.terminateExecution');
      throw error;
    }
  }

  /** Gives every frame a world that nothing has run in. */
  renew(): void {
    this.#generation += 1;
    this.#contextIds.clear();
    this.#injections.clear();
    this.#shared.clear();
  }

  /** Runs a script for what it leaves in the world's globals, once a document. */
  async inject(frame: Frame, script: string): Promise<void> {
    const document = keyOf(frame);
    const injection = this.#injections.get(document) ?? this.#inject(frame, script);
    this.#injections.set(document, injection);
    await injection;
  }

  /**
   * Sends a script once for all frames that the session reaches now, for `inject` to run it in some of
   * them: of a long script, to send it is the greater part of what that costs.
   */
  async share(session: CDPSession, script: string): Promise<void> {
    const { identifier } = await session.send('Page.addScriptToEvaluateOnNewDocument', {
      source: `globalThis.curbcutSharedScript = (function () {${script}\n})`,
      worldName: this.#worldName,
      runImmediately: true,
    });
    this.#shared.set(session, script);
    await session.send('Page.removeScriptToEvaluateOnNewDocument', { identifier });
  }

  /** The id of the frame within the element that `pageFunction` returns. */
  async childFrameId<Args extends unknown[]>(
    frame: Frame,
    pageFunction: (...args: Args) => Element | null,
    ...args: Args
  ): Promise<string | undefined> {
    const { objectId } = await this.#evaluate(frame, callExpression(pageFunction, args), false);
    if (objectId === undefined) return undefined;
    const { node } = await frame.session.send('DOM.describeNode', { objectId });
    return node.frameId;
  }

  async #inject(frame: Frame, script: string): Promise<void> {
    if (this.#shared.get(frame.session) === script && (await this.call(frame, runSharedScript))) {
      return;
    }
    await this.#evaluate(frame, `${script}\n;undefined`, true);
  }

  async #evaluate(
    frame: Frame,
    expression: string,
    returnByValue: boolean,
  ): Promise<Protocol.Runtime.RemoteObject> {
    const { result, exceptionDetails } = await frame.session.send('Runtime.evaluate', {
      contextId: await this.#contextId(frame),
      expression,
      returnByValue,
      awaitPromise: true,
    });
    if (exceptionDetails === undefined) return result;
    throw new PageFunctionError(exceptionDetails.exception?.description ?? exceptionDetails.text);
  }

  #contextId(frame: Frame): Promise<number> {
    const document = keyOf(frame);
    const known = this.#contextIds.get(document);
    if (known !== undefined) return known;
    const contextId = this.#createWorld(frame);
    this.#contextIds.set(document, contextId);
    // There is none at the moment at which one document takes the place of another: who asks next
    // tries again.
    contextId.catch(() => {
      if (this.#contextIds.get(document) === contextId) this.#contextIds.delete(document);
    });
    return contextId;
  }

  async #createWorld({ id, session }: Frame): Promise<number> {
    const { executionContextId } = await session.send('Page.createIsolatedWorld', {
      frameId: id,
      worldName: this.#worldName,
    });
    return executionContextId;
  }

  get #worldName(): string {
    return `curbcut-${this.#generation}`;
  }
}

/** Runs in the page. False in a document that has come since the script was shared. */
function runSharedScript(): boolean {
  const world = globalThis as typeof globalThis & { curbcutSharedScript: () => void };
  // An element with this id would be a property of the window too.
  if (!Object.hasOwn(world, 'curbcutSharedScript')) return false;
  world.curbcutSharedScript();
  return true;
}

function keyOf({ id, loaderId }: Frame): string {
  return `${id} ${loaderId}`;
}

function callExpression(pageFunction: (...args: never[]) => unknown, args: unknown[]): string {
  return `(${pageFunction.toString()})(${args.map((arg) => JSON.stringify(arg)).join(',')})`;
}

/** The frames that live in the session's process, the outermost first. */
async function framesOf(session: CDPSession): Promise<[Frame, ...Frame[]]> {
  const flatten = ({ frame, childFrames }: Protocol.Page.FrameTree): [Frame, ...Frame[]] => [
    {
      id: frame.id,
      loaderId: frame.loaderId,
      url: frame.unreachableUrl ?? frame.url,
      isErrorPage: frame.unreachableUrl !== undefined || frame.url.startsWith('chrome-error:'),
      session,
    },
    ...(childFrames ?? []).flatMap(flatten),
  ];
  const { frameTree } = await session.send('Page.getFrameTree');
  return flatten(frameTree);
}
